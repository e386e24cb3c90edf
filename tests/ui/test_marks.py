"""Doubtful sentences are marked at their end, wrong figures where they stand, and no tag crosses another."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from kaijuan.answering.support import check_answer
from kaijuan.types import Chunk
from kaijuan.ui.markdown import to_html
from kaijuan.ui.marks import marks_to_tags, with_marks
from kaijuan.ui.messages import say

SOURCES = {1: Chunk("s1#0", "s1", "退货", "签收后七天内可以退货，运费由买家承担。")}
_VOID = {"br", "hr", "img"}


class _Nesting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _html(text: str) -> str:
    checked = check_answer(text, SOURCES)
    return str(marks_to_tags(to_html(with_marks(checked.text, checked))))


def test_a_wrong_figure_is_marked_where_it_stands() -> None:
    html = _html("签收后 9 天内可以退货[1]。")
    assert '<mark class="kj-wrong"' in html and ">9 天</mark>" in html
    assert say("answer.unsupported_short") in html


def test_what_is_supported_carries_no_mark() -> None:
    assert "kj-doubt" not in _html("签收后 7 天内可以退货[1]。") and "kj-wrong" not in _html(
        "签收后 7 天内可以退货[1]。"
    )


def test_a_sentence_without_any_source_is_marked() -> None:
    assert say("answer.uncited_short") in _html("食堂每天中午十一点半开饭。")


@pytest.mark.parametrize(
    "text",
    [
        "**签收后 9 天内**可以退货[1]。",
        "- 签收后 9 天内可以退货[1]\n- **食堂 12:30 开饭**",
        "| 项 | 值 |\n| --- | --- |\n| 退货期限 | 9 天[1] |",
        "退货期限是 `9 天`[1]，见 <b>9 天</b>。\n\n> 签收后 9 天内可以退货[1]。",
        "[签收后 9 天](https://example.com)可以退货[1]。",
        "\ue023x\ue024",
    ],
)
def test_tags_never_cross(text: str) -> None:
    html = _html(text)
    _Nesting().feed(html)
    assert not any(0xE020 <= ord(char) <= 0xE024 for char in html)
