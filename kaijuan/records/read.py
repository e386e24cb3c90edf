"""Reading answers: a page of those that a filter means, one whole, how many, what the legs found, what nobody cited."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kaijuan.records.answer_rows import header_of, records_of
from kaijuan.records.figures import Share
from kaijuan.records.moments import to_text
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Filter, Page

#: Answers on a page.
PAGE = 50
#: Before every time and every id, and after every one.
FIRST, LAST = "", "~"

ANSWERS = """
    SELECT
        a.*, f.at AS feedback_at, f.value AS feedback_value, f.reason AS feedback_reason,
        EXISTS (SELECT 1 FROM tickets t WHERE t.answer_id = a.id) AS handed_over
    FROM answers a LEFT JOIN feedback f ON f.answer_id = a.id
"""
_MEANT = """
    a.at >= :since AND a.at < :until
    AND (:collection IS NULL OR a.collection = :collection)
    AND (:viewer IS NULL OR a.viewer = :viewer)
    AND (:conversation_id IS NULL OR a.conversation_id = :conversation_id)
    AND (:refused IS NULL OR (a.refused IS NOT NULL) = :refused)
    AND (:thumb IS NULL OR f.value = :thumb)
    AND (:handed_over IS NULL OR EXISTS (SELECT 1 FROM tickets t WHERE t.answer_id = a.id) = :handed_over)
    AND (:source IS NULL OR EXISTS (
        SELECT 1 FROM context c WHERE c.answer_id = a.id AND c.source_id = :source AND c.cited > 0
    ))
    AND (:words IS NULL OR instr(lower(a.question || char(10) || a.asked || char(10) || a.text), lower(:words)) > 0)
    AND (:mark IS NULL OR CASE :mark
        WHEN 'empty' THEN a.empty
        WHEN 'invented' THEN a.invented
        WHEN 'unsupported' THEN a.unsupported
        WHEN 'uncited' THEN a.uncited
        WHEN 'conflicts' THEN a.conflicts
        WHEN 'weak' THEN a.weak
        WHEN 'incomplete' THEN a.incomplete
    END > 0)
"""
# Put together from constants only; what people say is always bound.
_PAGE = f"""
    {ANSWERS} WHERE {_MEANT} AND (a.at < :before_at OR a.id < :before_id) ORDER BY a.at DESC, a.id DESC LIMIT :limit
"""
_COUNT = f"SELECT count(*) FROM answers a LEFT JOIN feedback f ON f.answer_id = a.id WHERE {_MEANT}"
_ONE = f"{ANSWERS} WHERE a.id = ?"
_LEGS = """
    WITH recent AS (
        SELECT id FROM answers WHERE :collection IS NULL OR collection = :collection ORDER BY id DESC LIMIT :last
    )
    SELECT
        count(*) AS answers,
        coalesce(sum(EXISTS (SELECT 1 FROM hits WHERE answer_id = recent.id AND leg = 'keyword')), 0) AS keyword,
        coalesce(sum(EXISTS (SELECT 1 FROM hits WHERE answer_id = recent.id AND leg = 'vector')), 0) AS vector
    FROM recent
"""
_CITED = """
    SELECT DISTINCT c.source_id FROM answers a JOIN context c ON c.answer_id = a.id
    WHERE c.cited > 0 AND a.collection = :collection AND a.at >= :since AND a.at < :until
"""


@dataclass(frozen=True, slots=True)
class Legs:
    """Of the last answers, those for which each leg found at least one passage."""

    keyword: Share
    vector: Share


def answers(records: Records, meant: Filter, before: str | None = None, limit: int = PAGE) -> Page[AnswerRecord]:
    """A page of answers, newest first, without their hits, context and stages; raises RecordsError."""
    rows, following = records.read(lambda db: page_rows(db, meant, before, limit))
    return Page(tuple(header_of(row) for row in rows), following)


def answer(records: Records, answer_id: str) -> AnswerRecord | None:
    """One answer with all it rests on; None when it is not there (any more). Raises RecordsError."""
    found = records.read(lambda db: records_of(db, db.execute(_ONE, (answer_id,)).fetchall()))
    return found[0] if found else None


def count(records: Records, meant: Filter) -> int:
    """How many answers a filter means; raises RecordsError."""
    values = _values(meant)
    found: int = records.read(lambda db: db.execute(_COUNT, values).fetchone()[0])
    return found


def legs(records: Records, last: int, collection: str | None = None) -> Legs:
    """For how many of the last answers each leg found something; raises RecordsError."""
    row = records.read(lambda db: db.execute(_LEGS, {"collection": collection, "last": last}).fetchone())
    return Legs(Share(row["keyword"], row["answers"]), Share(row["vector"], row["answers"]))


def never_cited(
    records: Records,
    collection: str,
    source_ids: Sequence[str],
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[str, ...]:
    """Those of a collection's documents that no answer kept cites, in the order given; raises RecordsError."""
    values = {"collection": collection, **span(since, until)}
    cited = {row[0] for row in records.read(lambda db: db.execute(_CITED, values).fetchall())}
    return tuple(source for source in source_ids if source not in cited)


def page_rows(
    db: sqlite3.Connection, meant: Filter, before: str | None, limit: int
) -> tuple[list[sqlite3.Row], str | None]:
    """Rows of the answers meant, newest first, and what the following ones are `before`; None at the end."""
    at, _, answer_id = (before or LAST).partition(" ")
    values = {**_values(meant), "before_at": at, "before_id": answer_id, "limit": limit + 1}
    # Of the moment of the last answer itself there may be more.
    values["until"] = min(values["until"], at + LAST)
    rows = db.execute(_PAGE, values).fetchall()
    last = rows[limit - 1] if len(rows) > limit else None
    return rows[:limit], f"{last['at']} {last['id']}" if last else None


def span(since: datetime | None, until: datetime | None) -> dict[str, str]:
    """A half-open span of time as values to bind."""
    return {"since": to_text(since) if since else FIRST, "until": to_text(until) if until else LAST}


def _values(meant: Filter) -> dict[str, Any]:
    return {
        "collection": meant.collection,
        "viewer": meant.viewer,
        "conversation_id": meant.conversation_id,
        "refused": meant.refused,
        "thumb": meant.thumb,
        "handed_over": meant.handed_over,
        "source": meant.source,
        "words": meant.words or None,
        "mark": meant.mark,
        **span(meant.since, meant.until),
    }
