"""The three ledgers over time, computed from the answers themselves: how old, how well attributed, at what cost."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import TypeVar

from kaijuan.records.figures import Share, Spread, spread
from kaijuan.records.moments import from_text
from kaijuan.records.read import span
from kaijuan.records.store import Records

Key = TypeVar("Key", bound=Hashable)
_DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?\Z")

_ANSWERS = """
    SELECT
        a.id, a.at, a.refused, a.empty, a.invented, a.unsupported, a.uncited, a.input_tokens, a.output_tokens, a.price,
        a.seconds, a.first_text_seconds, f.value AS thumb,
        EXISTS (SELECT 1 FROM tickets t WHERE t.answer_id = a.id) AS handed_over
    FROM answers a LEFT JOIN feedback f ON f.answer_id = a.id
    WHERE a.at >= :since AND a.at < :until AND (:collection IS NULL OR a.collection = :collection)
    ORDER BY a.id
"""
_CITED = """
    SELECT DISTINCT c.answer_id, c.source_id, c.updated FROM answers a JOIN context c ON c.answer_id = a.id
    WHERE a.at >= :since AND a.at < :until AND (:collection IS NULL OR a.collection = :collection) AND c.cited > 0
"""
_STAGES = """
    SELECT s.answer_id, s.place, s.stage, s.seconds FROM answers a JOIN stages s ON s.answer_id = a.id
    WHERE a.at >= :since AND a.at < :until AND (:collection IS NULL OR a.collection = :collection)
"""


@dataclass(frozen=True, slots=True)
class Freshness:
    """Age in days of the documents that answers cite, at the time of the answer; `undated` ones have no age."""

    ages: Spread
    undated: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """Shares of answers. Of those that were no refusal: citing nothing, citing what does not exist, saying what the cited
    passage does not hold, saying something uncited (the last two only of answers that were checked). Of all: refused,
    handed over. Of those with a thumb: up.
    """

    empty: Share
    invented: Share
    unsupported: Share
    uncited: Share
    refused: Share
    handed_over: Share
    thumbs_up: Share


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and money as far as they are known, how many answers they are not known of, and seconds.

    `price` is None when it is known of no answer. `stages` are in the order of the furthest place that each had in an answer, then by name.
    """

    input_tokens: int
    output_tokens: int
    uncounted: int
    price: float | None
    unpriced: int
    seconds: Spread
    first_text: Spread
    stages: tuple[tuple[str, Spread], ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """The three ledgers of some answers."""

    answers: int
    freshness: Freshness
    attribution: Attribution
    cost: Cost


@dataclass(frozen=True, slots=True)
class Day:
    """The ledgers of one day on which something was asked."""

    day: date
    totals: Totals


def by_day(
    records: Records,
    since: datetime | None = None,
    until: datetime | None = None,
    collection: str | None = None,
    zone: tzinfo = UTC,
) -> tuple[Day, ...]:
    """Ledgers of every day of the zone with answers in [since, until), oldest first; raises RecordsError."""
    tallies = _tallies(records, since, until, collection, zone, lambda day: day)
    return tuple(Day(day, tally.totals()) for day, tally in sorted(tallies.items()))


def overall(
    records: Records,
    since: datetime | None = None,
    until: datetime | None = None,
    collection: str | None = None,
    zone: tzinfo = UTC,
) -> Totals:
    """Ledgers of all answers in [since, until) together; ages are counted in days of the zone. Raises RecordsError."""
    return _tallies(records, since, until, collection, zone, lambda day: None).get(None, _Tally()).totals()


def age_in_days(updated: str | None, day: date) -> int | None:
    """Age on a day of a document with this date, at least 0; None without a date. A month counts from its first day.

    >>> age_in_days("2026-03-05", date(2026, 3, 15)), age_in_days("2026-03", date(2026, 3, 15))
    (10, 14)
    """
    found = _DATE.match(updated or "")
    if not found:
        return None
    try:
        written = date(int(found[1]), int(found[2]), int(found[3] or 1))
    except ValueError:
        return None
    return max((day - written).days, 0)


@dataclass(slots=True)
class _Tally:
    """What is gathered of some answers before it is summed up."""

    rows: list[sqlite3.Row] = field(default_factory=list)
    ages: list[int | None] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)

    def add_stage(self, stage: str, place: int, seconds: float) -> None:
        self.stages.setdefault(stage, []).append(seconds)
        self.places[stage] = max(place, self.places.get(stage, 0))

    def totals(self) -> Totals:
        dated = [age for age in self.ages if age is not None]
        freshness = Freshness(spread(dated), len(self.ages) - len(dated))
        return Totals(len(self.rows), freshness, self._attribution(), self._cost())

    def _attribution(self) -> Attribution:
        answered = [row for row in self.rows if row["refused"] is None]
        rated = [row for row in self.rows if row["thumb"] is not None]

        def of_answered(column: str) -> Share:
            checked = [row[column] for row in answered if row[column] is not None]
            return Share(sum(value > 0 for value in checked), len(checked))

        return Attribution(
            empty=of_answered("empty"),
            invented=of_answered("invented"),
            unsupported=of_answered("unsupported"),
            uncited=of_answered("uncited"),
            refused=Share(len(self.rows) - len(answered), len(self.rows)),
            handed_over=Share(sum(row["handed_over"] for row in self.rows), len(self.rows)),
            thumbs_up=Share(sum(row["thumb"] == "up" for row in rated), len(rated)),
        )

    def _cost(self) -> Cost:
        prices = [row["price"] for row in self.rows if row["price"] is not None]
        first = [row["first_text_seconds"] for row in self.rows if row["first_text_seconds"] is not None]
        return Cost(
            input_tokens=sum(row["input_tokens"] or 0 for row in self.rows),
            output_tokens=sum(row["output_tokens"] or 0 for row in self.rows),
            uncounted=sum(row["input_tokens"] is None or row["output_tokens"] is None for row in self.rows),
            price=sum(prices) if prices else None,
            unpriced=len(self.rows) - len(prices),
            seconds=spread([row["seconds"] for row in self.rows]),
            first_text=spread(first),
            stages=tuple((stage, spread(self.stages[stage])) for stage in self._in_order()),
        )

    def _in_order(self) -> list[str]:
        return sorted(self.stages, key=lambda stage: (self.places[stage], stage))


def _tallies(
    records: Records,
    since: datetime | None,
    until: datetime | None,
    collection: str | None,
    zone: tzinfo,
    key_of: Callable[[date], Key],
) -> dict[Key, _Tally]:
    values = {**span(since, until), "collection": collection}

    def gather(db: sqlite3.Connection) -> dict[Key, _Tally]:
        tallies: dict[Key, _Tally] = {}
        days: dict[str, date] = {}
        for row in db.execute(_ANSWERS, values):
            day = days[row["id"]] = from_text(row["at"]).astimezone(zone).date()
            tallies.setdefault(key_of(day), _Tally()).rows.append(row)
        for row in db.execute(_CITED, values):
            day = days[row["answer_id"]]
            tallies[key_of(day)].ages.append(age_in_days(row["updated"], day))
        for row in db.execute(_STAGES, values):
            tallies[key_of(days[row["answer_id"]])].add_stage(row["stage"], row["place"], row["seconds"])
        return tallies

    return records.read(gather)
