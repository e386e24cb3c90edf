"""Composing without a model: what is said comes from the passages, in their order, each piece behind its source's number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from kaijuan.answering.citations import resolve
from kaijuan.answering.compose import SAID_CHARS, Rated, choose, draft, rate
from kaijuan.answering.similarity import Similarity, term_weights
from kaijuan.answering.types import Conflict, Statement
from kaijuan.answering.units import Unit, plain, units
from kaijuan.text import fold
from kaijuan.types import Chunk, Trace
from tests.answering.made import TopicEmbedder, chunk, no_model, trace

REFUND = chunk("s13#0", "仓库验收通过后财务才处理。退款三天内到账。长假顺延。", "退款到账时效", "2025-01-15")
POSTAGE = chunk("s01#0", "实付满 99 元免运费。大件商品另有规定。", "何时免运费", "2025-03-11")
STEPS = chunk(
    "s47#0",
    "## 改绑手机号\n\n改绑手机号的步骤如下：\n\n1. 打开设置。\n2. 上传身份证。\n3. 等待审核。\n\n审核要一天。",
    "账号",
)
CODES = chunk("s07#0", "| 码 | 处理 |\n| --- | --- |\n| E4031 | 不能重试 |\n| E4032 | 允许重试 |", "返回码")


def _rated(made: Trace, similarity: Similarity | None = None) -> list[Rated]:
    return rate(made.searched, made.context, similarity or no_model(), term_weights(made.terms, made.term_weights))


def _chosen(question: str, *best_first: Chunk, similarity: Similarity | None = None) -> list[Unit]:
    made = trace(question, best_first)
    return choose(question, _rated(made, similarity), made.context, similarity or no_model())


def _text(chosen: Sequence[Unit], conflicts: Sequence[Conflict] = (), numbers: dict[str, int] | None = None) -> str:
    return "".join(draft(chosen, conflicts, numbers or {}))


def test_the_sentence_with_the_question_s_words_is_best() -> None:
    untitled = [replace(REFUND, title=""), replace(POSTAGE, title="")]
    assert _rated(trace("退款几天到账", untitled))[0].unit.text == "退款三天内到账。"
    assert _rated(trace("满多少免运费", untitled))[0].unit.text == "实付满 99 元免运费。"


def test_the_nearer_sentence_is_best_where_words_say_nothing() -> None:
    similarity = Similarity(TopicEmbedder("顺延", "验收"))
    assert _rated(trace("赶上节日会不会顺延", [REFUND]), similarity)[0].unit.text == "长假顺延。"


def test_worth_falls_and_is_the_same_every_time() -> None:
    made = trace("退款几天到账", [REFUND, POSTAGE, STEPS])
    worths = [r.worth for r in _rated(made)]
    assert worths == sorted(worths, reverse=True)
    assert _rated(made) == _rated(made)


def test_headings_questions_and_code_are_never_said() -> None:
    passage = chunk("d#0", "## 退款几天到账\n\n问：退款几天到账？\n答：三天。\n\n```\n退款几天到账\n```\n")
    assert [r.unit.text for r in _rated(trace("退款几天到账", [passage]))] == ["三天。"]


def test_the_row_of_another_code_does_not_answer() -> None:
    best = _rated(trace("E4032 能重试吗", [CODES]))[0]
    assert best.unit.text == "码：E4032；处理：允许重试"
    assert "E4031" not in _text(_chosen("E4032 能重试吗", CODES))


def test_a_how_question_gets_the_whole_list_in_order() -> None:
    text = _text(_chosen("怎么改绑手机号", STEPS))
    places = [text.index(step) for step in ("打开设置", "上传身份证", "等待审核")]
    assert places == sorted(places)


def test_overlap_of_neighbouring_chunks_is_said_once() -> None:
    shared = "退款三天内到账，遇到长假顺延一天。"
    first = chunk("s13#0", f"仓库先验收。{shared}", "退款")
    second = chunk("s13#1", f"{shared}余额当场到账。", "退款")
    assert _text(_chosen("退款几天到账", first, second)).count("退款三天内到账") == 1


def test_the_same_words_with_another_figure_are_no_repetition() -> None:
    other = chunk("s14#0", "退款五天内到账。", "退款到账时效")
    text = _text(_chosen("退款几天内到账", REFUND, other, similarity=Similarity(TopicEmbedder("退款"))))
    assert "三天" in text and "五天" in text


def test_nothing_rated_nothing_chosen() -> None:
    assert choose("退款", [], (), no_model()) == []


def test_an_answer_stays_short() -> None:
    sentences = "".join(f"退款第{n}批在第{n}天到账，逐一核对户名和流水号以后才算数。" for n in range(60))
    chosen = _chosen("退款几天到账", chunk("d#0", sentences, "退款"))
    assert 0 < sum(len(unit.text) for unit in chosen) <= SAID_CHARS


CONTEXTS = {
    "退款几天到账": (REFUND, POSTAGE, STEPS),
    "怎么改绑手机号": (STEPS, REFUND),
    "E4032 能重试吗": (CODES, POSTAGE),
    "满多少免运费，退款几天到账": (POSTAGE, REFUND, CODES),
}


@pytest.mark.parametrize(("question", "chunks"), CONTEXTS.items())
@pytest.mark.parametrize("model", [None, TopicEmbedder("退款", "运费", "改绑", "重试")], ids=["words", "model"])
def test_everything_said_stands_in_the_passage_it_cites(
    question: str, chunks: tuple[Chunk, ...], model: TopicEmbedder | None
) -> None:
    made = trace(question, chunks)
    sources = {c.context_number: c.chunk for c in made.context}
    chosen = _chosen(question, *chunks, similarity=Similarity(model))
    assert chosen
    for unit in chosen:
        assert unit.text in {u.text for u in units(sources[unit.number].text, unit.number)}
    text = _text(chosen)
    cited = resolve(text, len(chunks))
    assert cited.removed == () and set(cited.cited) == {unit.number for unit in chosen}
    for said, number in re.findall(r"(?:^|[。；\n])(?:- )?([^。\n\[]+?)\[(\d+)\]", text):
        own = {fold(u.text) for u in units(sources[int(number)].text, 0)}
        assert any(fold(plain(said)) in unit or unit.rstrip("。；") in fold(said) for unit in own), said


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("三天到账。", "三天到账[2]。"),
        ("三天到账；", "三天到账[2]。"),
        ("步骤如下：", "步骤如下[2]："),
        ("三天到账！", "三天到账[2]！"),
        ("三天到账", "三天到账[2]。"),
        ("3.5 元", "3.5 元[2]。"),
    ],
)
def test_the_citation_stands_before_the_full_stop(written: str, shown: str) -> None:
    assert _text([Unit(written, 2, 0, 0)]) == shown


def test_sentences_of_a_source_run_on_items_stand_below_each_other_and_sources_apart() -> None:
    said = [Unit("甲。", 1, 0, 0), Unit("乙。", 1, 1, 0), Unit("丙", 1, 2, 1, "item"), Unit("丁", 1, 3, 1, "item")]
    assert _text([*said, Unit("戊。", 2, 0, 0)]) == "甲[1]。乙[1]。\n\n- 丙[1]。\n- 丁[1]。\n\n戊[2]。"


OLD, NEW = chunk("s01#0", "满 99 元免运费。", "何时免运费", "2025-03-11"), chunk("s05#0", "满 129 元免。", "运费问答")
DISPUTED = Conflict(
    "元", (Statement("满 99 元免运费。", "99 元", OLD), Statement("满 129 元免。", "129 元", NEW, newer=True))
)


def test_a_conflict_comes_first_with_title_date_and_source_of_each_version() -> None:
    text = _text([Unit("大件另议。", 1, 0, 0)], [DISPUTED], {"s01#0": 1, "s05#0": 2})
    first, second = (line for line in text.splitlines() if line.startswith("- "))
    for part in ("《何时免运费》", "2025-03-11", "满 99 元免运费", "[1]"):
        assert part in first
    for part in ("《运费问答》", "未注明日期", "较新", "满 129 元免", "[2]"):
        assert part in second
    assert text.index(first) < text.index(second) < text.index("大件另议")


def test_what_a_conflict_shows_is_not_said_again() -> None:
    text = _text([Unit("满 99 元免运费。", 1, 0, 0)], [DISPUTED], {"s01#0": 1, "s05#0": 2})
    assert text.count("99 元") == 1
