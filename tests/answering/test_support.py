"""The support check: verdicts, where they stand in the text, and citations given to sentences that cite nothing."""

from __future__ import annotations

import random

import pytest

from kaijuan.answering.support import Checked, Checker, Counts, check_answer
from kaijuan.types import REFUSAL, Chunk
from tests.answering.made import chunk

REFUND = chunk("s1#0", "签收后七天内可以退货，运费 8 元由买家承担。\n\n定制商品不能退货。", "退货", "2026-03-05")
SHIPPING = chunk(
    "s2#0",
    "| 地区 | 首重 | 续重每公斤 |\n| --- | --- | --- |\n| 新疆 | 18 元 | 9 元 |\n| 西藏 | 22 元 | 12 元 |\n\n"
    "满 99 元免运费；不满 99 元的，每单收 8 元。",
    "运费",
    "2025-11-01",
)
CODES = chunk("s3#0", "E4031：签名错误，禁止重试。\nE4032：会话过期，允许重试，须换新令牌。", "返回码")
SOURCES = {1: REFUND, 2: SHIPPING, 3: CODES}


def _only(text: str, *others: Chunk) -> tuple[str, tuple[str, ...]]:
    """Verdict and wrong figures of the one sentence."""
    (found,) = check_answer(text, SOURCES, others=others).sentences
    return found.verdict, found.wrong


@pytest.mark.parametrize(
    "text",
    [
        "签收后 7 天内可以退货[1]。",
        "签收后７天内可以退货[1]。",
        "签收后 168 小时内可以退货[1]。",
        "定制商品不可以退[1]。",
        "寄往西藏的首重 22 元，续重每公斤 12 元[2]。",
        "满九十九元免运费，不满的每单收八元[2]。",
        "会话过期（E4032）可以重试，但要换新令牌[3]。",
        "根据资料[1]，签收后七天内可以退货。",
        "2026年3月5日的资料写七天内可以退货[1]。",
        "**七天**内可以退货[1]。",
        "系统报 E4032，须换新令牌重试[3]。",
        "签收后**7** 天内可以退货[1]。",
    ],
)
def test_what_the_source_says_is_supported(text: str) -> None:
    assert _only(text) == ("supported", ())


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("签收后 9 天内可以退货[1]。", ("9 天",)),
        ("签收后七小时内可以退货[1]。", ("七小时",)),
        ("签收后七天内可以退货[2]。", ("七天",)),  # the right words beside the wrong number
        ("寄往西藏的首重 18 元[2]。", ("18 元",)),
        ("不满 99 元免运费[2]。", ("99 元",)),
        ("签名错误的返回码是 E4032[3]。", ("E4032",)),
        ("E4039 是会话过期[3]。", ("E4039",)),
        ("2026-03-06 的资料写七天内可以退货[1]。", ("2026-03-06",)),
        ("签收后 25:00 前可以退货[1]。", ("25:00",)),
        ("定制商品可以退货[1]。", ()),
        ("签收后七天内不能退货[1]。", ()),
        ("E4031 可以重试[3]。", ()),
        ("商城周年庆全场半价酬宾[1]。", ("半价",)),
        ("签收后七天内可以退货[7]。", ("七天",)),  # no such source
    ],
)
def test_what_it_does_not_say_is_not(text: str, wrong: tuple[str, ...]) -> None:
    assert _only(text) == ("unsupported", wrong)


def test_words_that_were_added_make_a_sentence_thin() -> None:
    text = "签收后七天内可以退货，运费由买家承担，还可以请门店经理代为转卖给附近熟人[1]。"
    assert _only(text) == ("weak", ())


def test_several_sources_are_held_together_but_a_figure_stands_with_its_subject_in_one_of_them() -> None:
    assert _only("签收后七天内可以退货，满 99 元免运费[1][2]。")[0] == "supported"
    assert _only("签收后 99 天内可以退货[1][2]。") == ("unsupported", ("99 天",))
    assert _only("满 99 元可以退货，寄往西藏的首重 8 元[1][2]。")[0] == "unsupported"


def test_sources_that_disagree_may_both_be_cited() -> None:
    old, new = (
        chunk("a#0", "会议室最多提前七天预订。", "预订", "2025-03-01"),
        chunk("b#0", "会议室最多提前十四天预订。", "预订（新）", "2025-08-10"),
    )
    said = "提前预订有两种说法：2025-03-01 的资料写七天[1]，2025-08-10 的资料写十四天[2]。"
    assert [c.verdict for c in check_answer(said, {1: old, 2: new}).sentences] == ["supported"]


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL,
        "您好！",
        "具体如下：",
        "## 退货规则",
        "根据资料，退货的条件如下：",
        "您想了解七天内能不能退货吗？",
        "希望以上信息对您有帮助。",
        "资料中没有提到上门取件。",
        "```\n七天\n```",
        "资料中的说法不一致，各自的说法和日期如下[1][2]：",
    ],
)
def test_what_states_nothing_needs_no_source(text: str) -> None:
    assert check_answer(text, SOURCES).counts == Counts(exempt=len(check_answer(text, SOURCES).sentences))


def test_a_transition_does_not_hide_a_claim() -> None:
    assert _only("三十天无理由退货的条件如下：") == ("uncited", ("三十天",))
    assert _only("退款一个小时到账，具体如下[1]：")[0] == "unsupported"


def test_places_are_those_of_the_text() -> None:
    text = "签收后**9 天**内可以退货[1]。[帮助](http://a.example/99)里写着运费 **8** 元[1]。\n\n- 首重 `18 元`，寄往西藏[2]"
    checked = check_answer(text, SOURCES)
    assert checked.text == text
    assert [text[c.start : c.end] for c in checked.sentences] == [
        "签收后**9 天**内可以退货[1]。",
        "帮助](http://a.example/99)里写着运费 **8** 元[1]。",
        "首重 `18 元`，寄往西藏[2]",
    ]
    assert [c.verdict for c in checked.sentences] == ["unsupported", "supported", "unsupported"]
    marked = [text[start:end] for c in checked.sentences for start, end in c.spans]
    assert marked == ["9 天", "18 元"] == [written for c in checked.sentences for written in c.wrong]


def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    checked = check_answer("七天内可以退货。[1]满 99 元免运费。[2]", SOURCES)
    assert [(c.cited, c.verdict) for c in checked.sentences] == [((1,), "supported"), ((2,), "supported")]
    alone = check_answer("七天内可以退货。\n[1]", SOURCES)
    assert [(c.cited, c.verdict) for c in alone.sentences] == [((1,), "supported")]


def test_a_semicolon_parts_sentences_only_behind_a_marker() -> None:
    assert [c.cited for c in check_answer("满 99 元免运费；不满的收 8 元[2]。", SOURCES).sentences] == [(2,)]
    parted = check_answer("七天内可以退货[1]；满 99 元免运费[2]。", SOURCES)
    assert [c.cited for c in parted.sentences] == [(1,), (2,)]


def test_a_list_rests_on_what_its_opening_line_cites() -> None:
    text = "寄往各地的首重如下[2]：\n\n1. 新疆：18 元\n2. 西藏：18 元\n3. 七天内可以退货[1]\n\n满 99 元免运费。"
    checked = check_answer(text, SOURCES)
    assert [(c.cited, c.verdict) for c in checked.sentences[1:]] == [
        ((2,), "supported"),
        ((2,), "unsupported"),
        ((1,), "supported"),
        ((2,), "supported"),  # no part of the list: it was given its own
    ]
    assert checked.sentences[-1].added == 2


def test_table_rows_are_checked_under_their_column_names() -> None:
    text = "| 地区 | 首重 3 公斤内 |\n| --- | --- |\n| 新疆 | 18 元[2] |\n| 西藏 | 18 元[2] |\n"
    checked = check_answer(text, SOURCES)
    assert [c.verdict for c in checked.sentences] == ["exempt", "supported", "unsupported"]
    last = checked.sentences[-1]
    assert (last.wrong, [text[start:end] for start, end in last.spans]) == (("18 元",), ["18 元"])
    assert text[last.start : last.end] == "西藏 | 18 元[2]"


def test_code_is_left_alone() -> None:
    text = "七天内可以退货[1]。\n\n```python\ndays = 9  # [1]\n```\n\n用 `rows[2]` 取值，满 99 元免运费[2]。"
    checked = check_answer(text, SOURCES)
    assert [c.verdict for c in checked.sentences] == ["supported", "exempt", "supported"]
    assert [c.cited for c in checked.sentences] == [(1,), (), (2,)]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("签收后七天内可以退货。", "签收后七天内可以退货[1]。"),
        ("**签收后七天内可以退货。**", "**签收后七天内可以退货[1]。**"),
        ("**签收后七天内可以退货**", "**签收后七天内可以退货**[1]"),
        ("- 签收后七天内`可以退货`", "- 签收后七天内`可以退货`[1]"),
        ("签收后七天内[可以退货](https://a.example)。", "签收后七天内[可以退货](https://a.example)[1]。"),
        ("| 地区 | 首重 |\n|---|---|\n| 西藏 | 22 元 |", "| 地区 | 首重 |\n|---|---|\n| 西藏 | 22 元[2] |"),
        ("签收后七天内可以退货！E4032 允许重试，须换新令牌", "签收后七天内可以退货[1]！E4032 允许重试，须换新令牌[3]"),
    ],
)
def test_a_sentence_that_only_one_source_supports_is_given_its_citation(text: str, given: str) -> None:
    checked = check_answer(text, SOURCES)
    assert checked.text == given
    assert {c.verdict for c in checked.sentences} <= {"supported", "exempt"}
    assert all(given[c.start : c.end].endswith((f"[{c.added}]", f"[{c.added}]。", f"[{c.added}]。**", f"[{c.added}]！"))
               for c in checked.sentences if c.added)  # fmt: skip


def test_none_is_given_where_two_support_or_none_does() -> None:
    twin = chunk("s9#0", "签收后七天内可以退货。", "售后")
    two = check_answer("签收后七天内可以退货。", {1: REFUND, 2: twin})
    assert (two.text, two.counts) == ("签收后七天内可以退货。", Counts(uncited=1))
    none = check_answer("会员生日当天送 3 张优惠券。", SOURCES)
    assert none.counts == Counts(uncited=1, wrong=1) and none.sentences[0].wrong == ("3 张",)
    assert check_answer("七天内可以退货。", {}).counts == Counts(uncited=1)
    assert check_answer("首重：22 元。", SOURCES).counts == Counts(uncited=1)  # of which place, it does not say


def test_a_passage_that_was_not_cited_joins_behind_those_that_were() -> None:
    text = "满 99 元免运费。E4032 允许重试，须换新令牌。签收后七天内可以退货[1]。"
    checked = check_answer(text, {1: REFUND}, others=[CODES, SHIPPING])
    assert checked.text == "满 99 元免运费[2]。E4032 允许重试，须换新令牌[3]。签收后七天内可以退货[1]。"
    assert checked.joined == (SHIPPING, CODES)
    assert [c.cited for c in checked.sentences] == [(2,), (3,), (1,)]
    assert checked.counts == Counts(supported=3, added=2)


def test_known_weights_of_terms_count() -> None:
    """A word that is rare in the whole index keeps a sentence from resting on the others alone."""
    text = "签收后七天内可以退货并附琉璃盏[1]。"
    assert check_answer(text, SOURCES).sentences[0].verdict == "supported"
    heavy = dict.fromkeys(("附赠", "赠琉", "琉璃", "璃盏"), 12.0)
    assert check_answer(text, SOURCES, heavy).sentences[0].verdict != "supported"


_ATOMS = (
    *"[]【】()（）*_`|-#>~ \n\t，。；：、！？!?.,0123456789一二三半第年月日天元个不没未可以退货运费",
    "**", "```", "[1]", "[2]", "[9]", "| ", "|\n", "---", "签收后七天内可以退货", "8 元", "E4032", "2026-03-05", "三分之一",
    "25:00", "不得", "支持", "1. ", "- ", "## ", "`a[1]`", "[x](http://a.example)", "<b>", "满 99 元免运费", "。[1]",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_any_text_is_checked_and_changed_by_added_citations_only(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        text = "".join(rng.choices(_ATOMS, k=rng.randrange(1, 60)))
        checked = check_answer(text, {1: REFUND, 2: SHIPPING}, others=[CODES])
        left, at = [], 0
        for sentence in checked.sentences:
            assert 0 <= sentence.start <= sentence.end <= len(checked.text), text
            assert all(sentence.start <= start < end <= sentence.end for start, end in sentence.spans), text
            if sentence.added is not None:
                marker = f"[{sentence.added}]"
                place = checked.text.rindex(marker, at, sentence.end)
                left.append(checked.text[at:place])
                at = place + len(marker)
        assert "".join([*left, checked.text[at:]]) == text
        assert sum(vars_of(checked.counts)) == len(checked.sentences)


def vars_of(counts: Counts) -> tuple[int, ...]:
    return counts.stated, counts.exempt


@pytest.mark.parametrize(
    "text",
    ["[" * 20_000, "|" * 20_000, "**甲 " * 5_000, "`a``b" * 4_000, "-" * 20_000 + "甲", "七天，" * 8_000, "不" * 20_000,
     "七天内可以退货[1]。" * 800, "| 七天 " * 4_000],
    ids=["brackets", "pipes", "bold", "ticks", "dashes", "commas", "denials", "sentences", "cells"],
)  # fmt: skip
def test_hostile_text_is_checked(text: str) -> None:
    assert check_answer(text, SOURCES).text.replace("[2]", "").startswith(text[:100])


def test_looking_ahead_while_it_streams_finds_the_same() -> None:
    text = "退货的规则如下[1]：\n- 签收后 9 天内可以退货\n- 定制商品不能退货\n\n寄往西藏的首重 18 元[2]。E4032 允许重试，须换新令牌。"
    sources = {1: REFUND, 2: SHIPPING}
    whole = check_answer(text, sources, others=[CODES])
    checker = Checker([REFUND, SHIPPING, CODES], {})
    for end in range(len(text)):
        known = {n: c for n, c in sources.items() if f"[{n}]" in text[:end]}
        checker.look_ahead(text[:end], known)
    assert checker.check(text, sources) == whole
    assert [c.verdict for c in whole.sentences] == ["exempt", "unsupported", "supported", "unsupported", "supported"]


def test_counts_add_up() -> None:
    checked: Checked = check_answer("七天内可以退货[1]。运费 9 元[1]。会员送蛋糕。满 99 元免运费。", SOURCES)
    assert checked.counts == Counts(supported=2, unsupported=1, uncited=1, added=1, wrong=1)
    assert checked.counts.stated == 4
    assert checked.counts + checked.counts == Counts(supported=4, unsupported=2, uncited=2, added=2, wrong=2)
