"""Documents that answer a yes-or-no question in opposite ways are shown side by side; nothing else is."""

from __future__ import annotations

import pytest

from kaijuan.answering.claims import Passage
from kaijuan.answering.denials import asks_whether, find_denials, polarities
from tests.answering.made import chunk


def _passages(
    first: str, second: str, dates: tuple[str | None, str | None] = ("2025-06-01", "2026-02-15")
) -> list[Passage]:
    texts = (first, second)
    return [
        Passage(chunk(f"{name}#0", text, updated=updated), (text,))
        for name, text, updated in zip("ab", texts, dates, strict=True)
    ]


@pytest.mark.parametrize(
    ("question", "first", "second", "words"),
    [
        ("网页端支持断点续传吗？", "网页端支持断点续传。", "网页端不支持断点续传。", ("支持", "不支持")),
        ("开发票需要提供税号吗", "开具企业发票需要提供税号。", "开具企业发票无需提供税号。", ("需要", "无需")),
        ("上门取件收费吗", "上门取件免费。", "上门取件收费，每单八元。", ("免费", "收费")),
        ("拆封后能不能退货", "拆封后的商品可以退货。", "拆封后的商品不得退货。", ("可以", "不得")),
        ("保修是否包含电池", "整机保修包含电池。", "整机保修不包含电池。", ("包含", "不包含")),
    ],
)
def test_a_yes_and_a_no_to_the_same_question_are_a_conflict(
    question: str, first: str, second: str, words: tuple[str, str]
) -> None:
    [conflict] = find_denials(question, _passages(first, second), None)
    assert tuple(s.figure for s in conflict.statements) == words
    assert [s.newer for s in conflict.statements] == [False, True]
    assert [s.chunk.updated for s in conflict.statements] == ["2025-06-01", "2026-02-15"]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("网页端怎么上传？", "网页端支持断点续传。", "网页端不支持断点续传。"),  # no yes or no is asked for
        ("支持断点续传吗？", "网页端不支持断点续传。", "桌面端支持断点续传。"),  # two different things
        ("支持断点续传吗？", "SF-2200 支持断点续传。", "SF-3000 不支持断点续传。"),
        ("拆封后能退吗", "拆封后的商品可以退货。", "如果影响二次销售，拆封后的商品不得退货。"),  # a condition
        ("拆封后能退吗", "拆封后的商品可以退货。", "海外仓发出的包裹不能改址。"),
        ("网页端支持断点续传吗？", "网页端支持断点续传。", "网页端支持断点续传，刷新后继续。"),
    ],
)
def test_what_is_not_the_same_question_is_none(question: str, first: str, second: str) -> None:
    assert find_denials(question, _passages(first, second), None) == ()


def test_one_document_does_not_contradict_itself() -> None:
    texts = ("网页端支持断点续传。", "网页端不支持断点续传。")
    passages = [Passage(chunk(f"a#{n}", text), (text,)) for n, text in enumerate(texts)]
    assert find_denials("网页端支持断点续传吗？", passages, None) == ()


def test_without_both_dates_none_is_called_newer() -> None:
    [conflict] = find_denials("取件收费吗", _passages("上门取件免费。", "上门取件收费。", ("2025-01-01", None)), None)
    assert [s.newer for s in conflict.statements] == [False, False]


@pytest.mark.parametrize(
    ("question", "whether"),
    [("支持断点续传吗", True), ("能不能退", True), ("是否包邮", True), ("怎么退", False), ("退款几天到账", False)],
)
def test_questions_that_want_yes_or_no(question: str, whether: bool) -> None:
    assert asks_whether(question) is whether


def test_a_sentence_that_says_both_says_neither() -> None:
    assert polarities("网页端支持上传，不支持续传。") == []
