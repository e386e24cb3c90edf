"""The tables of the records, step by step: the file's `user_version` says how many steps it has had.

A step that has shipped is never edited; a change is a new step.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

Step = tuple[str, ...]

_FIRST: Step = (
    """
    CREATE TABLE conversations (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        created TEXT NOT NULL,
        viewer TEXT NOT NULL,
        collection TEXT NOT NULL,
        deleted TEXT
    )
    """,
    """
    CREATE TABLE answers (
        id TEXT PRIMARY KEY,
        at TEXT NOT NULL,
        conversation_id TEXT REFERENCES conversations (id) ON DELETE SET NULL,
        turn INTEGER NOT NULL,
        collection TEXT NOT NULL,
        version TEXT NOT NULL,
        viewer TEXT NOT NULL,
        question TEXT NOT NULL,
        asked TEXT NOT NULL,
        text TEXT NOT NULL,
        refused TEXT,
        explanation TEXT NOT NULL,
        answerer TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt TEXT NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        price REAL,
        seconds REAL NOT NULL,
        first_text_seconds REAL,
        incomplete INTEGER NOT NULL,
        cited INTEGER NOT NULL,
        invented INTEGER NOT NULL,
        empty INTEGER NOT NULL,
        unsupported INTEGER,
        uncited INTEGER,
        conflicts INTEGER NOT NULL,
        weak INTEGER NOT NULL,
        settings_hash TEXT NOT NULL,
        missing TEXT NOT NULL,
        notices TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE hits (
        answer_id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
        leg TEXT NOT NULL,
        rank INTEGER NOT NULL,
        chunk_id TEXT NOT NULL,
        score REAL,
        PRIMARY KEY (answer_id, leg, rank, chunk_id)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE context (
        answer_id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        chunk_id TEXT NOT NULL,
        source_id TEXT NOT NULL,
        title TEXT NOT NULL,
        final_rank INTEGER NOT NULL,
        rerank_score REAL,
        tokens INTEGER NOT NULL,
        cited INTEGER NOT NULL,
        updated TEXT,
        PRIMARY KEY (answer_id, number)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE stages (
        answer_id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        stage TEXT NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (answer_id, place)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE feedback (
        answer_id TEXT PRIMARY KEY REFERENCES answers (id) ON DELETE CASCADE,
        at TEXT NOT NULL,
        value TEXT NOT NULL CHECK (value IN ('up', 'down')),
        reason TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE tickets (
        id TEXT PRIMARY KEY,
        at TEXT NOT NULL,
        answer_id TEXT REFERENCES answers (id) ON DELETE SET NULL,
        conversation_id TEXT,
        viewer TEXT NOT NULL,
        collection TEXT NOT NULL,
        question TEXT NOT NULL,
        asked TEXT NOT NULL,
        reason TEXT NOT NULL,
        transcript TEXT NOT NULL,
        chunks TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'closed')),
        closed TEXT,
        webhook TEXT NOT NULL CHECK (webhook IN ('none', 'waiting', 'sent', 'failed'))
    )
    """,
    "CREATE INDEX answers_at ON answers (at, id)",
    "CREATE UNIQUE INDEX answers_turn ON answers (conversation_id, turn) WHERE conversation_id IS NOT NULL",
    "CREATE INDEX conversations_viewer ON conversations (viewer)",
    "CREATE INDEX tickets_answer ON tickets (answer_id)",
    "PRAGMA user_version = 1",
)
#: An answer may stand in place of another one; a ticket says why another system does not have it.
_SECOND: Step = (
    "ALTER TABLE answers ADD COLUMN replaces TEXT REFERENCES answers (id) ON DELETE SET NULL",
    "CREATE INDEX answers_replaces ON answers (replaces) WHERE replaces IS NOT NULL",
    "ALTER TABLE tickets ADD COLUMN webhook_said TEXT NOT NULL DEFAULT ''",
    "PRAGMA user_version = 2",
)
STEPS: tuple[Step, ...] = (_FIRST, _SECOND)


class NewerSchema(Exception):
    """The file was written by a later program; `found` is the number of its schema."""

    def __init__(self, found: int) -> None:
        super().__init__(found)
        self.found = found


def migrate(db: sqlite3.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Bring a file to the last step, each step whole or not at all; raises NewerSchema and changes nothing then.

    The last statement of a step writes its number into `user_version`.
    """
    done = schema_of(db)
    if done > len(steps):
        raise NewerSchema(done)
    for step in steps[done:]:
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in step:
                db.execute(statement)
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise


def schema_of(db: sqlite3.Connection) -> int:
    """How many steps the file has had; 0 for a new one."""
    found: int = db.execute("PRAGMA user_version").fetchone()[0]
    return found
