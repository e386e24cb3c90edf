"""The attribution ledger over a run of answers."""

from __future__ import annotations

from kaijuan.answering.attribution import Attribution
from kaijuan.answering.citations import resolve
from kaijuan.answering.support import Counts, check_answer
from tests.answering.made import chunk


def test_an_answer_counts_once_however_many_citations_it_invented() -> None:
    assert Attribution().add((2,), (9, 12, 9)) == Attribution(answers=1, invented=1, empty=0)


def test_an_answer_without_any_citation_left_is_counted_as_empty() -> None:
    assert Attribution().add((), (9,)) == Attribution(answers=1, invented=1, empty=1)
    assert Attribution().add((), ()) == Attribution(answers=1, invented=0, empty=1)


def test_a_run_of_answers_adds_up_and_the_earlier_ledger_stays() -> None:
    ledger = start = Attribution()
    for answer in ("甲[1]。", "甲[2]，乙[9]。", "没有出处。", "甲[9]。", "`a[9]` 见[3]。"):
        cited = resolve(answer, 8)
        ledger = ledger.add(cited.cited, cited.removed)
    assert ledger == Attribution(answers=5, invented=2, empty=2)
    assert start == Attribution()


def test_checked_answers_count_once_and_their_sentences_each() -> None:
    sources = {1: chunk("s1#0", "签收后七天内可以退货，运费 8 元。", "退货")}
    ledger = Attribution()
    for text in (
        "签收后七天内可以退货[1]。运费 9 元[1]。签收后 9 天内可以退货[1]。",
        "签收后七天内可以退货[1]。会员生日送 3 张券。",
        "签收后七天内可以退货[1]。",
    ):
        ledger = ledger.add((1,), (), check_answer(text, sources).counts)
    ledger = ledger.add((1,), ())  # one that was not checked
    assert (ledger.answers, ledger.checked) == (4, 3)
    assert (ledger.unsupported, ledger.uncited, ledger.wrong) == (1, 1, 2)
    assert ledger.sentences == Counts(supported=3, unsupported=2, uncited=1, wrong=3)
