"""Figures: every spelling of a number with its unit, and what looks like one but is not."""

from __future__ import annotations

import pytest

from kaijuan.answering.figures import figures, same_amount, unheld_figures
from kaijuan.answering.numerals import number

GIB = 1024**3


@pytest.mark.parametrize(
    ("text", "written", "unit", "values"),
    [
        ("签收后七天内可退", "七天", "天", (168.0,)),
        ("十五天内", "十五天", "天", (360.0,)),
        ("满二百九十九元免", "二百九十九元", "元", (299.0,)),
        ("加收百分之五", "百分之五", "%", (5.0,)),
        ("千分之三", "千分之三", "%", (0.3,)),
        ("一个半月", "一个半月", "月", (1080.0,)),
        ("半年内有效", "半年", "年", (4320.0,)),
        ("两天半没有动", "两天半", "天", (60.0,)),
        ("两个半小时", "两个半小时", "小时", (2.5,)),
        ("约 3.5 万元", "3.5 万元", "元", (35000.0,)),
        ("1,000 元", "1,000 元", "元", (1000.0,)),
        ("一亿两千万元", "一亿两千万元", "元", (120_000_000.0,)),
        ("两千五百块", "两千五百块", "元", (2500.0,)),
        ("售价￥1,299.00", "￥1,299.00", "元", (1299.0,)),
        ("最大 20 GB", "20 GB", "GB", (20.0 * GIB,)),
        ("最大20gb", "20gb", "GB", (20.0 * GIB,)),
        ("最大２０ＧＢ", "２０ＧＢ", "GB", (20.0 * GIB,)),
        ("102400 MB/人", "102400 MB/人", "MB", (100.0 * GIB,)),
        ("5–7 天送达", "5–7 天", "天", (120.0, 168.0)),
        ("3~5个工作日", "3~5个工作日", "工作日", (72.0, 120.0)),
        ("七到十五天", "七到十五天", "天", (168.0, 360.0)),
        ("七八天", "七八天", "天", (168.0, 192.0)),
        ("10% 到 20%", "10% 到 20%", "%", (10.0, 20.0)),
        ("3000 元至 5000 元", "3000 元至 5000 元", "元", (3000.0, 5000.0)),
        ("24 小时", "24 小时", "小时", (24.0,)),
        ("9:30 开始", "9:30", "clock", (9.5,)),
        ("上午九点半", "上午九点半", "clock", (9.5,)),
        ("下午 3 点", "下午 3 点", "clock", (15.0,)),
        ("9:00–18:00", "9:00–18:00", "clock", (9.0, 18.0)),
        ("7 日内申请", "7 日", "天", (168.0,)),
        ("每月 5 日开票", "5 日", "date", (0.0, 0.0, 5.0)),
        ("2026 年 3 月 1 日起", "2026 年 3 月 1 日", "date", (2026.0, 3.0, 1.0)),
        ("二〇二六年三月", "二〇二六年三月", "date", (2026.0, 3.0, 0.0)),
        ("更新于 2026-03-05", "2026-03-05", "date", (2026.0, 3.0, 5.0)),
        ("6.4 之后", "6.4", "", (6.4,)),
    ],
)
def test_reads_a_figure(text: str, written: str, unit: str, values: tuple[float, ...]) -> None:
    found = figures(text)
    assert [(f.written, f.unit) for f in found] == [(written, unit)]
    assert found[0].values == pytest.approx(values)
    assert text[found[0].start : found[0].end] == written


@pytest.mark.parametrize(
    "text",
    [
        "错误码 E4032",
        "型号 SF-3000 和 SC120",
        "报 YT-5001",
        "版本 v2.3.1",
        "见第3条和第十二章",
        "第 16 天起只读",
        "第一次申请",
        "1. 先登录\n2、再提交\n（3）完成",
        "一、总则\n二、范围",
        "运费券[1][2]",
        "① 照片",
        "一次性用品",
        "十分方便，一般统一处理",
        "热线 400-820-1234",
        "地址 192.168.8.1",
        "订单 202603011234",
        "5G网络和 2.4G 接收器",
        "换一个零件",
        "",
    ],
)
def test_not_a_figure(text: str) -> None:
    assert figures(text) == ()


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("满 99 元免运费", "at_least"),
        ("不满 99 元", "under"),
        ("单个文件最大 20 GB", "at_most"),
        ("不超过 5,000 个", "at_most"),
        ("3 个工作日以内到账", "at_most"),
        ("至少 10 位", "at_least"),
        ("300 元以上", "at_least"),
        ("评标人不少于五位", "at_least"),
        ("不得低于 10%", "at_least"),
        ("余额低于 10 元", "under"),
        ("超过 72 小时没有更新", "over"),
        ("运费 8 元", ""),
    ],
)
def test_role(text: str, role: str) -> None:
    assert figures(text)[0].role == role


def test_measure_of_a_price() -> None:
    assert [(f.unit, f.per) for f in figures("38 元/人/月，0.3 元/GB/月")] == [("元", "人/月"), ("元", "GB/月")]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("72 小时", "三天", True),
        ("一周", "7 天", True),
        ("5 个工作日", "7 天", True),
        ("半年", "180 天", True),
        ("一年", "365 天", True),
        ("12 个月", "1 年", True),
        ("1024 MB", "1 GB", True),
        ("2026 年 3 月", "2026-03-05", True),
        ("3 天", "3 个工作日", False),
        ("50 年", "51 年", False),
        ("20 GB", "20 元", False),
        ("3–5 天", "5 天", False),
        ("99 元", "99 美元", False),
    ],
)
def test_same_amount(first: str, second: str, same: bool) -> None:
    assert same_amount(figures(first)[0], figures(second)[0]) is same


def test_an_answer_holds_the_figures_of_its_passage() -> None:
    passage = "自 2025 年 9 月 12 日起，单个文件最大 20 GB；退款 3~5 个工作日到账，SF-3000 除外。"
    assert unheld_figures("最大 20GB，退款最快 3 个工作日。", passage) == ()
    assert [f.written for f in unheld_figures("最大 50 GB，2025-09-12 起。", passage)] == ["50 GB"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("十", 10),
        ("二十", 20),
        ("一百零五", 105),
        ("两千五", 2500),
        ("三万亿", 3e12),
        ("1,234.5", 1234.5),
        ("半", 0.5),
        ("", 0),
    ],
)
def test_number(written: str, value: float) -> None:
    assert number(written) == value


def test_a_long_text_is_read_in_linear_time() -> None:
    text = "一二三四五六七八九十百千万" * 400 + "1" * 4000 + "1,000 " * 1000
    assert len(figures(text)) >= 1000
