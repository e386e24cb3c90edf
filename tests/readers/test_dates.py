"""Dates of documents."""

import pytest

from kaijuan.readers import parse_date


@pytest.mark.parametrize(
    "written",
    ["2026年3月5日", "2026-03-05", "2026/3/5", "2026.3.5", " 2026 年 3 月 5 日 ", "２０２６年３月５日", "2026年3月5号",
     "2026-03-05T10:00:00+08:00", "2026-03-05 10:00"],
)  # fmt: skip
def test_days(written: str) -> None:
    assert parse_date(written) == "2026-03-05"


@pytest.mark.parametrize("written", ["2026年3月", "2026-03", "2026/3", "2026年3月份"])
def test_months(written: str) -> None:
    assert parse_date(written) == "2026-03"


@pytest.mark.parametrize(
    "written",
    [
        "长期有效",
        "",
        "2026年",
        "今天",
        "2026-02-30",
        "2026年13月",
        "2026/3-5",
        "v2026.3.5",
        "2026-03-05起",
        "0000-01-01",
    ],
)
def test_anything_else_is_no_date(written: str) -> None:
    assert parse_date(written) is None
