"""The CSV file: Chinese in Excel, no formulas, nothing invented for what is unknown."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from kaijuan.records.csv_export import BATCH, csv_export
from kaijuan.records.record import ticket_of
from kaijuan.records.store import Records
from kaijuan.records.tickets import hand_over
from kaijuan.records.types import Filter
from tests.records.made import Clock, record


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def records(tmp_path: Path, clock: Clock) -> Records:
    return Records(tmp_path / "records.sqlite", 90, clock)


def _read(exported: bytes) -> list[dict[str, str]]:
    assert exported.startswith(b"\xef\xbb\xbf"), "without it Excel shows Chinese as something else"
    text = exported.decode("utf-8-sig")
    assert "\ufeff" not in text and text.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def _export(records: Records, meant: Filter | None = None) -> list[dict[str, str]]:
    return _read(b"".join(csv_export(records, meant or Filter(), timezone(timedelta(hours=8)))))


def test_an_answer_is_one_line_whatever_it_says(records: Records, clock: Clock) -> None:
    made = record(clock, '退款，\n“几天”到账"？', text="第一行\r\n第二行,；[1]", price=0.5, input_tokens=None)
    records.write(replace(made, weak=True, unsupported=0))
    records.rate(made.id, "down", "旧了")
    hand_over(records, ticket_of(made, "", now=clock))
    (line,) = _export(records)
    assert (line["问题"], line["回答"]) == (made.question, made.text)
    assert (line["编号"], line["时间"]) == (made.id, "2026-11-30 20:00:00+08:00")
    assert (line["输入词元"], line["输出词元"], line["费用"], line["引用不符的句数"]) == ("", "0", "0.5", "0")
    assert (line["引用的资料"], line["证据较弱"], line["未说完"]) == ("s02、s01", "是", "否")
    assert (line["评价"], line["评价理由"], line["转人工"]) == ("踩", "旧了", "是")


@pytest.mark.parametrize("begins", ["=1+1", "+86", "-5℃", "@all", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠a"])
def test_no_cell_that_somebody_wrote_can_become_a_formula(records: Records, clock: Clock, begins: str) -> None:
    made = record(clock, begins, viewer=begins, text=begins)
    records.write(made)
    records.rate(made.id, "up", begins)
    (line,) = _export(records)
    assert {line[name] for name in ("问题", "用户", "回答", "检索用语", "评价理由")} == {f"'{begins}"}


def test_harmless_text_and_figures_are_left_alone(records: Records, clock: Clock) -> None:
    records.write(record(clock, "SF-3000 = 什么？", price=0.001))
    (line,) = _export(records)
    assert (line["问题"], line["费用"]) == ("SF-3000 = 什么？", "0.001")


def test_all_answers_of_a_filter_are_exported_once_over_several_batches(records: Records, clock: Clock) -> None:
    records.write(record(clock, "别的集合", collection="yunti"))
    for n in range(BATCH + 1):
        records.write(record(clock, f"q{n}"))
        clock.pass_(seconds=1)
    lines = _export(records, Filter(collection="shop"))
    assert [line["问题"] for line in lines] == [f"q{n}" for n in reversed(range(BATCH + 1))]
    assert {line["引用的资料"] for line in lines} == {"s02、s01"}


def test_nothing_found_is_the_headings_alone(records: Records) -> None:
    assert _export(records) == []
