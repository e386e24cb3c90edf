"""Units: what of a passage an answer may say, without markup, and what it stands under."""

from __future__ import annotations

import re

import pytest

from kaijuan.answering.units import Unit, plain, units


def _shown(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, unit.text) for unit in units(text, 1)]


CASES = {
    "sentences": (
        "七天内可退。运费自理；包邮的不退！",
        [("sentence", "七天内可退。"), ("sentence", "运费自理；"), ("sentence", "包邮的不退！")],
    ),
    "heading": ("## 退货 ##\n七天内可退。", [("heading", "退货"), ("sentence", "七天内可退。")]),
    "bullets": ("- 甲\n* 乙\n+ 丙\n• 丁\n· 戊", [("item", c) for c in "甲乙丙丁戊"]),
    "numbers": ("1. 申请\n2、寄回\n3）验收\n（4）退款", [("item", w) for w in ("申请", "寄回", "验收", "退款")]),
    "a decimal is no list number": ("3.5 元一件。", [("sentence", "3.5 元一件。")]),
    "a year is no list number": ("2026. 年度汇总。", [("sentence", "2026. 年度汇总。")]),
    "table": (
        "| 码 | 处理 |\n| --- | :-: |\n| E4032 | 重试 |\n| E4033 |  |",
        [("row", "码：E4032；处理：重试"), ("row", "码：E4033")],
    ),
    "table without header names": ("|  | 价 |\n|---|---|\n| 月费 | 20 |", [("row", "月费；价：20")]),
    "table without rule row": ("| 甲 | 乙 |\n| 丙 | 丁 |", [("row", "甲；乙"), ("row", "丙；丁")]),
    "fence": (
        "```sh\nrun [1]\n# 注释\n```\n跑完了。",
        [("code", "run [1]"), ("code", "# 注释"), ("sentence", "跑完了。")],
    ),
    "question and answer": (
        "问：几天能退？\n答：七天。超过不退。",
        [("question", "几天能退？"), ("sentence", "七天。"), ("sentence", "超过不退。")],
    ),
    "bold question and answer": (
        "**Q: 几天能退？**\n**A:** 七天。",
        [("question", "几天能退？"), ("sentence", "七天。")],
    ),
    "an asking sentence": ("能退吗？可以。", [("question", "能退吗？"), ("sentence", "可以。")]),
    "emphasis": ("**七天**内（*可*）退__货__。", [("sentence", "七天内（可）退货。")]),
    "product of numbers": ("面积是 3*4*5 米。", [("sentence", "面积是 3*4*5 米。")]),
    "nothing": ("", []),
    "blank": (" \n\t\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), CASES.values(), ids=CASES)
def test_units(text: str, shown: list[tuple[str, str]]) -> None:
    assert _shown(text) == shown


def test_number_and_places_follow_the_passage() -> None:
    found = units("甲。\n- 乙\n\n丙。", 4)
    assert [unit.place for unit in found] == [0, 1, 2]
    assert {unit.number for unit in found} == {4}


def test_an_answer_stands_under_its_question() -> None:
    found = units("问：几天能退？\n答：七天。\n问：谁出运费？\n答：买家。", 1)
    assert [(u.lead, u.text) for u in found if u.kind == "sentence"] == [
        ("几天能退？", "七天。"),
        ("谁出运费？", "买家。"),
    ]


def test_items_stand_under_the_line_that_opens_their_list() -> None:
    found = units("到账时间如下：\n\n- 余额：当场\n- 银行卡：3 天\n\n## 别的\n- 无关", 1)
    leads = {unit.text: unit.lead for unit in found}
    assert leads["余额：当场"] == leads["银行卡：3 天"] == "到账时间如下："
    assert leads["无关"] == ""


def test_blocks_part_paragraphs_lists_and_tables() -> None:
    found = units("甲。乙。\n\n- 丙\n- 丁\n\n| 码 |\n|---|\n| 戊 |\n\n| 价 |\n|---|\n| 己 |", 1)
    blocks: dict[int, list[str]] = {}
    for unit in found:
        blocks.setdefault(unit.block, []).append(unit.text)
    assert list(blocks.values()) == [["甲。", "乙。"], ["丙", "丁"], ["码：戊"], ["价：己"]]


def test_depth_tells_nested_items_apart() -> None:
    assert [unit.depth for unit in units("- 甲\n  - 乙\n- 丙", 1)] == [0, 2, 0]


def test_plain_takes_markup_only() -> None:
    assert plain(" **重要** 2*3 与 a_b_c ") == "重要 2*3 与 a_b_c"


PASSAGES = [text for text, _ in CASES.values()] + [
    "# 标题\n\n引言一句。引言二句：\n\n1. 甲。\n2. 乙。\n\n| 级 | 天 |\n| - | - |\n| 金 | 10 |\n\n> 引文。\n",
    "｜全角｜竖线｜\n- \n-\n1.\n问：\n答：\n",
    "```\n没有关的代码\n",
]


@pytest.mark.parametrize("text", PASSAGES)
def test_nothing_is_made_up_and_no_unit_is_empty(text: str) -> None:
    """Every character of a unit stands in the passage, but for the marks that join the cells of a row."""
    for unit in units(text, 1):
        assert isinstance(unit, Unit) and unit.text and unit.text == unit.text.strip()
        for part in re.split("[：；]", unit.text) if unit.kind == "row" else [unit.text]:
            assert not set(part) - set(text)
