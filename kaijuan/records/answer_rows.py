"""An AnswerRecord as rows of its tables, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from kaijuan.records.moments import from_text, to_text
from kaijuan.records.types import AnswerRecord, ContextRecord, Feedback, HitRecord, StageRecord
from kaijuan.types import Notice

_BEGIN_CONVERSATION = """
    INSERT INTO conversations (id, title, created, viewer, collection)
    VALUES (:id, :title, :at, :viewer, :collection) ON CONFLICT (id) DO NOTHING
"""
_NEXT_TURN = "SELECT coalesce(max(turn), 0) + 1 FROM answers WHERE conversation_id = ?"
_ANSWER = """
    INSERT INTO answers (
        id, at, conversation_id, turn, collection, version, viewer, question, asked, text, refused, explanation,
        answerer, model, prompt, input_tokens, output_tokens, price, seconds, first_text_seconds, incomplete, cited,
        invented, empty, unsupported, uncited, conflicts, weak, settings_hash, missing, notices, replaces
    ) VALUES (
        :id, :at, :conversation_id, :turn, :collection, :version, :viewer, :question, :asked, :text, :refused,
        :explanation, :answerer, :model, :prompt, :input_tokens, :output_tokens, :price, :seconds, :first_text_seconds,
        :incomplete, :cited, :invented, :empty, :unsupported, :uncited, :conflicts, :weak, :settings_hash, :missing,
        :notices, (SELECT id FROM answers WHERE id = :replaces)
    )
"""
# A conversation is called what it began with, also when that was edited; a name that a person gave it stays.
_TITLE = """
    SELECT a.question FROM answers a
    WHERE a.id = :replaces AND a.conversation_id = :conversation_id AND NOT EXISTS (
        SELECT 1 FROM answers b WHERE b.conversation_id = a.conversation_id AND b.turn < a.turn AND NOT EXISTS (
            SELECT 1 FROM answers r WHERE r.replaces = b.id
        )
    )
"""
_RETITLE = "UPDATE conversations SET title = :title WHERE id = :id AND title = :before"
_HIT = "INSERT INTO hits (answer_id, leg, rank, score, chunk_id) VALUES (?, ?, ?, ?, ?)"
_CONTEXT = """
    INSERT INTO context (
        answer_id, number, chunk_id, source_id, title, final_rank, rerank_score, tokens, cited, updated
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_STAGE = "INSERT INTO stages (answer_id, place, stage, seconds) VALUES (?, ?, ?, ?)"
#: The ids come as one JSON list, so that their number does not change the statement.
_HITS_OF = """
    SELECT answer_id, leg, rank, score, chunk_id FROM hits
    WHERE answer_id IN (SELECT value FROM json_each(?)) ORDER BY answer_id, leg, rank
"""
_CONTEXT_OF = """
    SELECT answer_id, number, chunk_id, source_id, title, final_rank, rerank_score, tokens, cited, updated FROM context
    WHERE answer_id IN (SELECT value FROM json_each(?)) ORDER BY answer_id, number
"""
_STAGES_OF = """
    SELECT answer_id, stage, seconds FROM stages
    WHERE answer_id IN (SELECT value FROM json_each(?)) ORDER BY answer_id, place
"""
TITLE_CHARS = 40
#: Columns that hold 0 or 1.
_FLAGS = ("incomplete", "empty", "weak", "handed_over")
#: Fields of a record that are rows of other tables or are known only when it is read.
_APART = frozenset({"hits", "context", "stages", "feedback", "handed_over"})


def insert(db: sqlite3.Connection, record: AnswerRecord) -> None:
    """Write a record with all its rows, as the next turn of its conversation, which begins with its first answer."""
    values = _values(record)
    if record.conversation_id is not None:
        _begin_conversation(db, record)
        _name_again(db, record)
        values["turn"] = db.execute(_NEXT_TURN, (record.conversation_id,)).fetchone()[0]
    db.execute(_ANSWER, values)
    db.executemany(_HIT, [(record.id, h.leg, h.rank, h.score, h.chunk_id) for h in record.hits])
    db.executemany(_CONTEXT, [(record.id, *(_storable(getattr(c, f.name)) for f in fields(c))) for c in record.context])
    db.executemany(_STAGE, [(record.id, place, s.stage, s.seconds) for place, s in enumerate(record.stages)])


def title_of(question: str) -> str:
    """A question as the title of a conversation: one line, not too long.

    >>> title_of("  退款几天\\n到账？ ")
    '退款几天 到账？'
    """
    line = " ".join(question.split())
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"


def records_of(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> tuple[AnswerRecord, ...]:
    """Rows of answers, with feedback and handed_over as columns beside, as whole records in the same order."""
    ids = json.dumps([row["id"] for row in rows])
    hits = _by_answer(db.execute(_HITS_OF, (ids,)))
    context = _by_answer(db.execute(_CONTEXT_OF, (ids,)))
    stages = _by_answer(db.execute(_STAGES_OF, (ids,)))
    return tuple(
        replace(
            header_of(row),
            hits=tuple(HitRecord(**hit) for hit in hits.get(row["id"], ())),
            context=tuple(ContextRecord(**passage) for passage in context.get(row["id"], ())),
            stages=tuple(StageRecord(**stage) for stage in stages.get(row["id"], ())),
        )
        for row in rows
    )


def header_of(row: sqlite3.Row) -> AnswerRecord:
    """A row of answers as a record without hits, context and stages."""
    values = dict(row)
    at, value, reason = (values.pop(name) for name in ("feedback_at", "feedback_value", "feedback_reason"))
    values["at"] = from_text(values["at"])
    values["missing"] = tuple(json.loads(values["missing"]))
    values["notices"] = tuple(Notice(*notice) for notice in json.loads(values["notices"]))
    values |= {flag: bool(values[flag]) for flag in _FLAGS}
    return AnswerRecord(**values, feedback=Feedback(value, reason, from_text(at)) if value else None)


def plain(text: str) -> str:
    """The text without halves of surrogate pairs, which a model's stream can leave and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _begin_conversation(db: sqlite3.Connection, record: AnswerRecord) -> None:
    values = {
        "id": record.conversation_id,
        "title": plain(title_of(record.question)),
        "at": to_text(record.at),
        "viewer": plain(record.viewer),
        "collection": plain(record.collection),
    }
    db.execute(_BEGIN_CONVERSATION, values)


def _name_again(db: sqlite3.Connection, record: AnswerRecord) -> None:
    """Name a conversation anew whose first question was edited."""
    asked = {"replaces": record.replaces, "conversation_id": record.conversation_id}
    row = db.execute(_TITLE, asked).fetchone()
    if row is not None:
        title, before = plain(title_of(record.question)), title_of(row["question"])
        db.execute(_RETITLE, {"id": record.conversation_id, "title": title, "before": before})


def _values(record: AnswerRecord) -> dict[str, Any]:
    values = {f.name: _storable(getattr(record, f.name)) for f in fields(record) if f.name not in _APART}
    values["at"] = to_text(record.at)
    values["missing"] = json.dumps([plain(text) for text in record.missing], ensure_ascii=False)
    values["notices"] = json.dumps([[n.stage, plain(n.text)] for n in record.notices], ensure_ascii=False)
    return values


def _storable(value: object) -> object:
    return plain(value) if isinstance(value, str) else value


def _by_answer(rows: Iterable[sqlite3.Row]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        values = dict(row)
        grouped.setdefault(values.pop("answer_id"), []).append(values)
    return grouped
