"""What the file of records holds at this moment: answers, thumbs and tickets, each with how many."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from kaijuan.records.store import Records

_ANSWERS = """
    SELECT collection, CASE WHEN refused IS NULL THEN 'answered' ELSE 'refused' END AS outcome, count(*) AS number
    FROM answers GROUP BY 1, 2 ORDER BY 1, 2
"""
_THUMBS = "SELECT value, count(*) AS number FROM feedback GROUP BY value"
_TICKETS = "SELECT status, count(*) AS number FROM tickets GROUP BY status"


@dataclass(frozen=True, slots=True)
class Held:
    """Answers by collection and outcome, thumbs by kind, tickets by status; the last two always with every kind."""

    answers: dict[tuple[str, str], int]
    thumbs: dict[str, int]
    tickets: dict[str, int]


def held(records: Records) -> Held:
    """What the records hold, all of it from one moment; raises RecordsError."""
    return records.read(_count)


def _count(db: sqlite3.Connection) -> Held:
    answers = {(row["collection"], row["outcome"]): row["number"] for row in db.execute(_ANSWERS)}
    thumbs = {row["value"]: row["number"] for row in db.execute(_THUMBS)}
    tickets = {row["status"]: row["number"] for row in db.execute(_TICKETS)}
    return Held(answers, {"down": 0, "up": 0, **thumbs}, {"closed": 0, "open": 0, **tickets})
