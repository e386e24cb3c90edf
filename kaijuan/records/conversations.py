"""Conversations of one viewer: listed, taken up again, renamed, deleted. Nobody reaches another viewer's."""

from __future__ import annotations

import sqlite3

from kaijuan.errors import ViewError
from kaijuan.records.answer_rows import plain, records_of, title_of
from kaijuan.records.moments import from_text, to_text
from kaijuan.records.read import ANSWERS
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Conversation

#: Conversations that are listed.
LISTED = 50

_OF_VIEWER = """
    SELECT
        c.id, c.title, c.created, c.viewer, c.collection, max(a.at) AS last,
        sum(NOT EXISTS (SELECT 1 FROM answers r WHERE r.replaces = a.id)) AS turns
    FROM conversations c JOIN answers a ON a.conversation_id = c.id
    WHERE c.viewer = :viewer AND c.deleted IS NULL
    GROUP BY c.id ORDER BY last DESC, c.id DESC LIMIT :limit
"""
_TURNS = f"""
    {ANSWERS} JOIN conversations c ON c.id = a.conversation_id
    WHERE c.id = :id AND c.viewer = :viewer AND c.deleted IS NULL
    AND NOT EXISTS (SELECT 1 FROM answers r WHERE r.replaces = a.id) ORDER BY a.turn
"""
_RENAME = "UPDATE conversations SET title = :title WHERE id = :id AND viewer = :viewer AND deleted IS NULL"
_DELETE = "UPDATE conversations SET deleted = :at WHERE id = :id AND viewer = :viewer AND deleted IS NULL"


def conversations(records: Records, viewer: str, limit: int = LISTED) -> tuple[Conversation, ...]:
    """A viewer's conversations, the one last spoken in first; raises RecordsError."""
    values = {"viewer": plain(viewer), "limit": limit}
    rows = records.read(lambda db: db.execute(_OF_VIEWER, values).fetchall())
    return tuple(_conversation(row) for row in rows)


def turns(records: Records, conversation_id: str, viewer: str) -> tuple[AnswerRecord, ...]:
    """The answers of a conversation in order, with all they rest on, without those that another one stands in place of.

    Empty unless it is the viewer's. Raises RecordsError.
    """
    values = {"id": conversation_id, "viewer": plain(viewer)}
    return records.read(lambda db: records_of(db, db.execute(_TURNS, values).fetchall()))


def rename(records: Records, conversation_id: str, viewer: str, title: str) -> None:
    """Give a conversation another title; raises ViewError when it is not the viewer's or the title is blank, RecordsError."""
    shown = title_of(plain(title))
    if not shown:
        raise ViewError("对话的名称是空的，请输入一个名称。")
    _change_one(records, _RENAME, {"id": conversation_id, "viewer": plain(viewer), "title": shown})


def delete(records: Records, conversation_id: str, viewer: str) -> None:
    """Take a conversation out of its viewer's sight; its answers stay for the ledgers as long as any other.

    Raises ViewError when it is not the viewer's, RecordsError.
    """
    values = {"id": conversation_id, "viewer": plain(viewer), "at": to_text(records.now())}
    _change_one(records, _DELETE, values)


def _change_one(records: Records, statement: str, values: dict[str, str]) -> None:
    if records.change(lambda db: db.execute(statement, values).rowcount) == 0:
        shown = values["id"][:40]
        raise ViewError(f"没有编号为“{shown}”的对话，或它不是你的；请从对话列表里选择。")


def _conversation(row: sqlite3.Row) -> Conversation:
    values = dict(row)
    return Conversation(**{**values, "created": from_text(values["created"]), "last": from_text(values["last"])})
