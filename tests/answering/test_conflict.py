"""Conflicts: two documents, one thing, two figures; and pairs that only look like it."""

from __future__ import annotations

import math

import pytest

from kaijuan.answering.conflict import Passage, Similarity, asked_families, find_conflicts
from kaijuan.answering.contrast import apart, sides
from kaijuan.answering.types import Conflict
from kaijuan.types import Chunk


def _passage(id: str, *sentences: str, title: str = "", updated: str | None = None) -> Passage:
    text = "\n".join(sentences)
    return Passage(Chunk(f"{id}#0", id, title, text, updated=updated), sentences)


def _by_characters(first: str, second: str) -> float:
    """Stands for an embedding: cosine of character sets on the narrow scale that text embeddings have."""
    a, b = set(first), set(second)
    return 0.5 + 0.5 * len(a & b) / math.sqrt(max(1, len(a) * len(b)))


def _shown(conflicts: tuple[Conflict, ...]) -> list[set[str]]:
    return [{s.figure for s in conflict.statements} for conflict in conflicts]


CONFLICTS = [
    ("签收后几天内可以无理由退货？", "自签收日起七天内可无理由退货。", "自签收日起十五天内可无理由退货。", {"七天", "十五天"}),
    ("年假有多少天？", "入职满一年的员工年假为 5 天。", "员工入职满一年，年假 7 天。", {"5 天", "7 天"}),
    ("密码至少要几位？", "登录密码至少 8 位。", "登录密码至少为 10 位，须含字母。", {"8 位", "10 位"}),
    ("会议室最多坐几个人？", "大会议室最多容纳 30 人。", "大会议室最多可容纳 24 人，需提前预约。", {"30 人", "24 人"}),
    ("出差住宿每晚报多少钱？", "出差住宿标准为每晚 350 元。", "住宿标准每晚 400 元，凭发票报销。", {"350 元", "400 元"}),
    ("食堂中午几点开饭？", "食堂午餐 11:30 开始供应。", "食堂午餐从 12:00 开始供应。", {"11:30", "12:00"}),
    ("备份保留多久？", "每日备份保留 30 天。", "每日备份保留两个月。", {"30 天", "两个月"}),
    ("优惠打几折？", "老会员续费享受 9 折优惠。", "老会员续费享受 85 折优惠。", {"9 折", "85 折"}),
    ("SF-3000 保修多久？", "整机保修：SF-2200、SF-3000 为 12 个月，SF-5100 为 24 个月。", "SF-3000 整机保修 18 个月。", {"12 个月", "18 个月"}),
    ("新制度哪天开始执行？", "新考勤制度自 2026 年 1 月 1 日起执行。", "新考勤制度自 2026 年 3 月 1 日起执行。", {"2026 年 1 月 1 日", "2026 年 3 月 1 日"}),
    ("银行卡退款几天到账？", "借记卡、信用卡退款：3 个工作日以内到账。", "用银行卡付的退款，5 个工作日内到账。", {"3 个工作日", "5 个工作日"}),
    ("发票几天内可以换开？", "发票抬头写错，自开票日起 90 天内可以换开。", "不论普通发票还是专用发票，开票日起 180 天内都可以换开。", {"90 天", "180 天"}),
]  # fmt: skip

NO_CONFLICTS = [
    ("满多少免运费？", "大陆地区运费满九十九元免。", "港澳地区运费满二百九十九元免。"),
    ("满多少免运费？", "订单满 99 元免运费。", "港澳台订单满 299 元免运费。"),
    ("单个文件最大多大？", "网页端单个文件最大 20 GB。", "手机端单个文件最大 4 GB。"),
    ("退货期是几天？", "普通会员退货期为 7 天。", "金卡会员退货期为 10 天。"),
    ("保修多久？", "SF-2200 整机保修 12 个月。", "SF-3000 整机保修 18 个月。"),
    ("几天内要寄回？", "退货须在 7 天内寄回仓库。", "换货须在 10 天内寄回仓库。"),
    ("版本历史保留多少天？", "团队版的历史版本保留 30 天。", "企业版的历史版本保留 180 天。"),
    ("断点续传多久有效？", "传输中断后 72 小时内可以续传。", "传输中断后三天内可以续传。"),
    ("送达要几天？", "普通快递 3–5 天送达。", "普通快递一般 4 天送达。"),
    ("运费怎么收，满多少免？", "实付满 99 元免运费。", "不够免运费条件的，收运费 8 元。"),
    ("密码要几位？", "密码最少 8 位。", "密码最多 20 位。"),
    ("退款多久到账？", "退款一般 3 天到账，最长 7 天到账。", "退款最长 7 天到账。"),
    ("工单多久回复？", "物流工单 4 小时内首次回复。", "物流工单 2 个工作日内结案。"),
    ("价格是多少？", "价格是每人 20 元。", "价格是每月 50 元。"),
    ("预售多久发货？", "现货订单付款后 48 小时内发货。", "预售订单付款后 15 天内发货。"),
    ("保修多久？", "整机保修 12 个月。", "打印头保修 6 个月。"),
    ("怎么连蓝牙？", "长按进纸键 5 秒进入配对。", "仓库下午 3 点截单。"),
]  # fmt: skip


@pytest.mark.parametrize("similarity", [None, _by_characters], ids=["words", "similarity"])
@pytest.mark.parametrize(("question", "first", "second", "figures"), CONFLICTS)
def test_conflict(question: str, first: str, second: str, figures: set[str], similarity: Similarity | None) -> None:
    assert _shown(find_conflicts(question, [_passage("a", first), _passage("b", second)], similarity)) == [figures]


@pytest.mark.parametrize("similarity", [None, _by_characters], ids=["words", "similarity"])
@pytest.mark.parametrize(("question", "first", "second"), NO_CONFLICTS)
def test_no_conflict(question: str, first: str, second: str, similarity: Similarity | None) -> None:
    assert find_conflicts(question, [_passage("a", first), _passage("b", second)], similarity) == ()


def test_the_heading_sets_apart_what_the_sentence_does_not_name() -> None:
    first = _passage("a", "整机保修 12 个月。", title="SF-2200 使用说明")
    second = _passage("b", "整机保修 18 个月。", title="SF-3000 使用说明")
    assert find_conflicts("整机保修多久？", [first, second], None) == ()


def test_one_document_does_not_contradict_itself() -> None:
    first, second = _passage("a", "退货期为 7 天。"), _passage("a", "退货期为 15 天。")
    assert find_conflicts("退货期几天？", [first, second], None) == ()


def test_a_figure_that_is_not_asked_for_is_no_conflict() -> None:
    first = _passage("a", "整机保修 12 个月，检测费 20 元。")
    second = _passage("b", "整机保修 12 个月，检测费 30 元。")
    assert find_conflicts("整机保修多久？", [first, second], None) == ()
    assert _shown(find_conflicts("检测费多少钱？", [first, second], None)) == [{"20 元", "30 元"}]


def test_oldest_first_and_the_newer_is_marked() -> None:
    new = _passage("a", "退货期为 15 天。", updated="2026-02-15")
    old = _passage("b", "退货期为 7 天。", updated="2025-06")
    (conflict,) = find_conflicts("退货期几天？", [new, old], None)
    assert [(s.figure, s.newer, s.chunk.id) for s in conflict.statements] == [
        ("7 天", False, "b#0"),
        ("15 天", True, "a#0"),
    ]
    assert conflict.unit == "天"


@pytest.mark.parametrize(
    ("first", "second"), [(None, "2026-02-15"), (None, None), ("2026-02", "2026-02-15"), ("2026-02-15", "2026-02-15")]
)
def test_nothing_is_newer_when_the_dates_do_not_say(first: str | None, second: str | None) -> None:
    passages = [_passage("b", "退货期为 7 天。", updated=first), _passage("a", "退货期为 15 天。", updated=second)]
    (conflict,) = find_conflicts("退货期几天？", passages, None)
    assert not any(s.newer for s in conflict.statements)


def test_three_documents_are_one_conflict_with_one_statement_each() -> None:
    passages = [
        _passage("a", "退货期为 7 天。", updated="2024-01-01"),
        _passage("b", "退货期为 15 天。", "退货期 15 天，以签收日起算。", updated="2025-01-01"),
        _passage("c", "退货期为 30 天。", updated="2026-01-01"),
    ]
    (conflict,) = find_conflicts("退货期几天？", passages, None)
    assert [(s.figure, s.newer) for s in conflict.statements] == [("7 天", False), ("15 天", False), ("30 天", True)]


def test_order_of_the_passages_does_not_matter() -> None:
    passages = [_passage("a", "退货期为 7 天。"), _passage("b", "退货期为 15 天。"), _passage("c", "退货期为 30 天。")]
    forward = find_conflicts("退货期几天？", passages, None)
    backward = find_conflicts("退货期几天？", passages[::-1], None)
    assert (
        [s.chunk.id for s in forward[0].statements]
        == [s.chunk.id for s in backward[0].statements]
        == ["a#0", "b#0", "c#0"]
    )


def test_a_question_about_something_else_reports_nothing() -> None:
    passages = [
        _passage("a", "单个文件最大 50 GB。", "疫苗在小猫八周大时打第一针。"),
        _passage("b", "单个文件最大 20 GB。"),
    ]
    assert _shown(find_conflicts("单个文件最大多大？", passages, _by_characters)) == [{"50 GB", "20 GB"}]
    assert find_conflicts("小猫几周大打第一针疫苗？", passages, _by_characters) == ()


def test_nothing_given_nothing_found() -> None:
    assert find_conflicts("退货期几天？", [], None) == ()
    assert find_conflicts("", [_passage("a"), _passage("b", "退货期为 15 天。")], _by_characters) == ()


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("要几天", {"time"}),
        ("多少元", {"money"}),
        ("最大多大", {"size", "area", "length", "weight", "岁"}),
        ("几点开门", {"clock"}),
    ],
)
def test_what_kind_of_figure_is_asked_for(question: str, alone: set[str]) -> None:
    assert asked_families(question)[0] == alone


def test_what_the_question_names_is_no_special_case() -> None:
    ours, theirs = sides(["手机端最大"], 1), sides(["单个文件最大"], 1)
    assert apart(ours, theirs, sides(["最大多大"], 1))
    assert not apart(ours, theirs, sides(["手机端最大多大"], 1))


def test_a_statement_for_every_case_is_no_special_case() -> None:
    assert not apart(sides(["企业用户限 7 天"], 1), sides(["不论什么用户限 15 天"], 1), sides(["限几天"], 1))
