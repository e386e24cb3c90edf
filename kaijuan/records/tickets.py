"""Tickets: questions handed over to people, kept until somebody closes them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from typing import Any

from kaijuan.errors import ViewError
from kaijuan.records.answer_rows import plain
from kaijuan.records.moments import from_text, to_text
from kaijuan.records.read import LAST, PAGE
from kaijuan.records.store import Records
from kaijuan.records.types import Page, Said, Ticket, TicketChunk, TicketStatus, Webhook
from kaijuan.types import Notice

# An answer that was not kept leaves its ticket without one.
_OPEN = """
    INSERT INTO tickets (
        id, at, answer_id, conversation_id, viewer, collection, question, asked, reason, transcript, chunks, status,
        closed, webhook, webhook_said
    ) VALUES (
        :id, :at, (SELECT id FROM answers WHERE id = :answer_id), :conversation_id, :viewer, :collection, :question,
        :asked, :reason, :transcript, :chunks, :status, NULL, :webhook, :webhook_said
    )
"""
_PAGE = """
    SELECT * FROM tickets
    WHERE id < :before AND (:status IS NULL OR status = :status) AND (:collection IS NULL OR collection = :collection)
    ORDER BY id DESC LIMIT :limit
"""
_ONE = "SELECT * FROM tickets WHERE id = ?"
_CLOSE = "UPDATE tickets SET status = 'closed', closed = coalesce(closed, :at) WHERE id = :id"
_REOPEN = "UPDATE tickets SET status = 'open', closed = NULL WHERE id = :id"
_TELL = "UPDATE tickets SET webhook = :webhook, webhook_said = :said WHERE id = :id"
_UNTOLD = "SELECT * FROM tickets WHERE webhook = 'waiting' ORDER BY id"
_AGAIN = "UPDATE tickets SET webhook = 'waiting' WHERE webhook = 'failed'"


def hand_over(records: Records, ticket: Ticket) -> Notice | None:
    """Keep a new ticket, also where no answers are kept; a notice when a damaged file was replaced. Raises RecordsError."""
    values = _values(ticket)
    return records.add(lambda db: db.execute(_OPEN, values))


def tickets(
    records: Records,
    status: TicketStatus | None = None,
    collection: str | None = None,
    before: str | None = None,
    limit: int = PAGE,
) -> Page[Ticket]:
    """A page of tickets, newest first; raises RecordsError."""
    values = {"status": status, "collection": collection, "before": before or LAST, "limit": limit + 1}
    rows = records.read(lambda db: db.execute(_PAGE, values).fetchall())
    return Page(tuple(_ticket(row) for row in rows[:limit]), rows[limit - 1]["id"] if len(rows) > limit else None)


def ticket(records: Records, ticket_id: str) -> Ticket | None:
    """One ticket; None when it is not there. Raises RecordsError."""
    row = records.read(lambda db: db.execute(_ONE, (ticket_id,)).fetchone())
    return None if row is None else _ticket(row)


def close(records: Records, ticket_id: str) -> None:
    """Close a ticket, from when on it is kept as long as an answer; raises ViewError without one, RecordsError."""
    _change_one(records, _CLOSE, {"id": ticket_id, "at": to_text(records.now())})


def reopen(records: Records, ticket_id: str) -> None:
    """Open a closed ticket again; raises ViewError without one, RecordsError."""
    _change_one(records, _REOPEN, {"id": ticket_id})


def told(records: Records, ticket_id: str, webhook: Webhook, said: str = "") -> None:
    """Note what became of telling another system about a ticket, and why it went wrong where it did.

    Raises ViewError without one, RecordsError.
    """
    _change_one(records, _TELL, {"id": ticket_id, "webhook": webhook, "said": plain(said)})


def untold(records: Records) -> tuple[Ticket, ...]:
    """Tickets of which another system is still to be told, oldest first; raises RecordsError."""
    return tuple(_ticket(row) for row in records.read(lambda db: db.execute(_UNTOLD).fetchall()))


def tell_again(records: Records) -> int:
    """Let the tickets wait again that could not be told; how many there were. Raises RecordsError."""
    return records.change(lambda db: db.execute(_AGAIN).rowcount)


def _change_one(records: Records, statement: str, values: dict[str, str]) -> None:
    if records.change(lambda db: db.execute(statement, values).rowcount) == 0:
        raise ViewError(f"没有编号为“{values['id'][:40]}”的工单，请从工单列表里选择。")


def _values(ticket: Ticket) -> dict[str, Any]:
    # The lists go in as JSON, and its escapes keep what no text file could hold.
    return {
        **{name: plain(value) if isinstance(value, str) else value for name, value in asdict(ticket).items()},
        "at": to_text(ticket.at),
        "transcript": json.dumps([asdict(said) for said in ticket.transcript]),
        "chunks": json.dumps([asdict(chunk) for chunk in ticket.chunks]),
    }


def _ticket(row: sqlite3.Row) -> Ticket:
    values = dict(row)
    return Ticket(
        **{
            **values,
            "at": from_text(values["at"]),
            "closed": from_text(values["closed"]) if values["closed"] else None,
            "transcript": tuple(Said(**said) for said in json.loads(values["transcript"])),
            "chunks": tuple(TicketChunk(**chunk) for chunk in json.loads(values["chunks"])),
        }
    )
