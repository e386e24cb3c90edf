"""The three ledgers by day, on a case computed by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from kaijuan.records.figures import Share, Spread, spread
from kaijuan.records.insights import Attribution, Freshness, age_in_days, by_day, overall
from kaijuan.records.record import ticket_of
from kaijuan.records.store import Records
from kaijuan.records.tickets import hand_over
from kaijuan.records.types import StageRecord
from tests.records.made import Clock, record

FIRST, SECOND = date(2026, 11, 30), date(2026, 12, 1)
EVENING = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """Four answers on the first day, one of another collection; one just after midnight."""
    clock = Clock(datetime(2026, 11, 30, 8, tzinfo=UTC))
    records = Records(tmp_path / "records.sqlite", 90, clock)
    plain = record(clock, "q1", seconds=1.0, first_text_seconds=0.5, input_tokens=1000, output_tokens=100, price=0.25)
    refused = record(clock, "q2", refused="off_topic", seconds=2.0, first_text_seconds=None, context=(), stages=())
    refused = replace(refused, input_tokens=0, output_tokens=0, price=0.0)
    bad = record(clock, "q3", seconds=4.0, first_text_seconds=0.75, invented=3, unsupported=2, uncited=0)
    bad = replace(bad, input_tokens=None, output_tokens=None, price=None, stages=(StageRecord("search", 0.5),))
    other = record(clock, "q4", collection="yunti", empty=True, context=(), seconds=8.0, price=0.5, unsupported=0)
    other = replace(other, input_tokens=10, output_tokens=None, stages=())
    late = replace(record(clock, "q5", seconds=16.0), at=EVENING + timedelta(hours=1), price=None)
    for one in (plain, refused, bad, other, late):
        records.write(one)
    records.rate(plain.id, "up")
    records.rate(refused.id, "down")
    records.rate(bad.id, "down")
    hand_over(records, ticket_of(refused, "急", now=clock))
    hand_over(records, ticket_of(refused, "很急", now=clock))
    return records


def test_a_day_is_what_its_answers_come_to(records: Records) -> None:
    first, second = by_day(records)
    assert (first.day, second.day) == (FIRST, SECOND)
    assert (first.totals.answers, second.totals.answers) == (4, 1)
    # q1 and q3 cite s02 of 2026-11-20 (10 days) and s01 of 2026-10 (60 days since the 1st); nobody cites s03.
    assert first.totals.freshness == Freshness(Spread(4, 10, 60, 60), undated=0)
    assert first.totals.attribution == Attribution(
        empty=Share(1, 3),  # q4 of the three that were no refusal
        invented=Share(1, 3),  # q3
        unsupported=Share(1, 2),  # q3 of the two that were checked; q1 was not
        uncited=Share(0, 1),
        refused=Share(1, 4),
        handed_over=Share(1, 4),  # two tickets, one answer
        thumbs_up=Share(1, 3),
    )
    cost = first.totals.cost
    assert (cost.input_tokens, cost.output_tokens, cost.uncounted) == (1010, 100, 2)
    assert (cost.price, cost.unpriced) == (0.75, 1)
    assert cost.seconds == Spread(4, 2.0, 8.0, 8.0)
    assert cost.first_text == Spread(2, 0.5, 0.75, 0.75)
    # q1 has the stages embed 0.02, search 0.03 and answer 0.25, q3 only search 0.5.
    stages = dict(cost.stages)
    assert list(stages) == ["embed", "search", "answer"]
    assert stages["embed"] == Spread(1, 0.02, 0.02, 0.02) and stages["search"] == Spread(2, 0.03, 0.5, 0.5)
    assert stages["answer"].p50 == pytest.approx(0.25)


def test_money_known_of_no_answer_is_unknown_and_not_nothing(records: Records) -> None:
    cost = by_day(records)[1].totals.cost
    assert (cost.price, cost.unpriced) == (None, 1)


def test_a_day_begins_at_midnight_of_the_zone(records: Records) -> None:
    beijing = timezone(timedelta(hours=8))
    days = by_day(records, zone=beijing)
    assert [(day.day, day.totals.answers) for day in days] == [(FIRST, 4), (SECOND, 1)]
    hawaii = timezone(timedelta(hours=-10))
    assert [(day.day, day.totals.answers) for day in by_day(records, zone=hawaii)] == [
        (date(2026, 11, 29), 4),
        (FIRST, 1),
    ]
    # The age of a document is counted to the same day.
    assert by_day(records, zone=hawaii)[0].totals.freshness.ages == Spread(4, 9, 59, 59)


def test_only_the_span_and_the_collection_asked_for_count(records: Records) -> None:
    assert [day.totals.answers for day in by_day(records, collection="yunti")] == [1]
    assert [day.day for day in by_day(records, since=EVENING)] == [SECOND]
    assert [day.day for day in by_day(records, until=EVENING)] == [FIRST]
    assert by_day(records, since=EVENING, until=EVENING) == ()
    assert overall(records, until=EVENING) == by_day(records)[0].totals
    everything = overall(records)
    assert everything.answers == 5 and everything.cost.seconds == Spread(5, 4.0, 16.0, 16.0)


def test_nothing_asked_is_no_share_of_anything(tmp_path: Path) -> None:
    empty = overall(Records(tmp_path / "records.sqlite", 90, Clock()))
    assert (empty.answers, empty.attribution.refused.value, empty.cost.price) == (0, None, None)
    assert (empty.freshness.ages, empty.cost.seconds) == (Spread(), Spread())


def test_documents_without_a_date_have_no_age(tmp_path: Path) -> None:
    clock = Clock()
    records = Records(tmp_path / "records.sqlite", 90, clock)
    made = record(clock)
    undated = tuple(replace(passage, updated=None) if passage.cited == 1 else passage for passage in made.context)
    # The same document cited twice is one source.
    again = replace(undated[1], number=9, chunk_id="s01#7", cited=3)
    records.write(replace(made, context=(*undated, again)))
    assert overall(records).freshness == Freshness(Spread(1, 60, 60, 60), undated=1)


@pytest.mark.parametrize(
    ("updated", "age"),
    [
        ("2026-11-30", 0),
        ("2026-11-01", 29),
        ("2025-11-30", 365),
        ("2026-11", 29),
        ("2027-01-01", 0),
        (None, None),
        ("", None),
        ("去年", None),
        ("2026-13-01", None),
        ("2026-02-30", None),
    ],
)
def test_ages(updated: str | None, age: int | None) -> None:
    assert age_in_days(updated, FIRST) == age


@pytest.mark.parametrize(
    ("values", "p50", "p95"),
    [
        ([7.0], 7.0, 7.0),
        ([2.0, 1.0], 1.0, 2.0),
        ([3.0, 1.0, 2.0], 2.0, 3.0),
        ([float(n) for n in range(1, 21)], 10.0, 19.0),
        ([float(n) for n in range(1, 22)], 11.0, 20.0),
        ([float(n) for n in range(1, 101)], 50.0, 95.0),
    ],
)
def test_percentiles_are_values_that_occurred(values: list[float], p50: float, p95: float) -> None:
    assert spread(list(reversed(values))) == Spread(len(values), p50, p95, max(values))
