"""How long records stay: answers so many days with all their rows, closed tickets as long, open ones until closed."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from kaijuan.records.moments import to_text

_OLD_ANSWERS = """
    DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE at < :before ORDER BY at LIMIT :at_most)
"""
_CLOSED_TICKETS = "DELETE FROM tickets WHERE status = 'closed' AND closed < ?"
#: A conversation without answers is one whose answers have all gone.
_EMPTY_CONVERSATIONS = """
    DELETE FROM conversations
    WHERE created < ? AND NOT EXISTS (SELECT 1 FROM answers WHERE conversation_id = conversations.id)
"""


def cutoff(now: datetime, days: int) -> datetime:
    """What is older than this goes."""
    return now - timedelta(days=days)


def delete_old_answers(db: sqlite3.Connection, before: datetime, at_most: int) -> int:
    """Delete the oldest answers of before then, `at_most` of them, their rows included; how many went."""
    return db.execute(_OLD_ANSWERS, {"before": to_text(before), "at_most": at_most}).rowcount


def delete_remains(db: sqlite3.Connection, before: datetime) -> None:
    """Delete tickets closed before then, and conversations of before then of which nothing is left."""
    moment = to_text(before)
    db.execute(_CLOSED_TICKETS, (moment,))
    db.execute(_EMPTY_CONVERSATIONS, (moment,))
