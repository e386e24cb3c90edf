"""Files of earlier programs are brought forward with all they hold, step by step and never half."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kaijuan.records.read import answer, answers
from kaijuan.records.schema import STEPS, NewerSchema, migrate, schema_of
from kaijuan.records.store import Records
from kaijuan.records.types import Filter
from tests.records.made import Clock, record, whole

#: Schema 1 as it was shipped, with a conversation, two answers, feedback and a ticket in it.
FIRST = Path(__file__).parent / "files" / "schema1.sql"
NEXT = ("ALTER TABLE answers ADD COLUMN channel TEXT NOT NULL DEFAULT 'web'", "PRAGMA user_version = 2")


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        yield opened


def _tables(db: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Names of everything in the schema with their columns, blanks and line ends not counting."""
    found = db.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    return {(kind, name, " ".join(sql.split())) for kind, name, sql in found}


@pytest.mark.parametrize("had", range(len(STEPS) + 1))
def test_a_file_of_any_step_comes_to_the_same_tables(db: sqlite3.Connection, had: int) -> None:
    migrate(db, STEPS[:had])
    assert schema_of(db) == had
    migrate(db)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh)
        assert _tables(db) == _tables(fresh) != set()
    assert schema_of(db) == len(STEPS)


def test_the_first_step_is_still_what_was_shipped(db: sqlite3.Connection) -> None:
    migrate(db, STEPS[:1])
    with closing(sqlite3.connect(":memory:")) as shipped:
        shipped.executescript(FIRST.read_text(encoding="utf-8"))
        assert _tables(db) == _tables(shipped)


def test_a_shipped_file_of_schema_1_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    with closing(sqlite3.connect(path)) as shipped:
        shipped.executescript(FIRST.read_text(encoding="utf-8"))
    records = Records(path, 90, Clock())
    found = answers(records, Filter()).items
    assert [one.question for one in found] == ["SF-9000 怎么连 Wi-Fi", "退款几天到账？"]
    refused, answered = found
    assert (refused.refused, refused.price, refused.handed_over) == ("missing_code", None, True)
    read = answer(records, answered.id)
    assert read is not None and read.feedback is not None and read.feedback.reason == "很清楚"
    assert len(read.hits) == 6 and [c.cited for c in read.context] == [0, 2, 1] and len(read.stages) == 3
    assert records.keep(record(Clock(), conversation_id=answered.conversation_id)) is None
    assert whole(path)


def test_a_further_step_keeps_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    records = Records(path, 90, Clock())
    made = record(Clock())
    records.write(made)
    steps = (*STEPS, (NEXT[0], f"PRAGMA user_version = {len(STEPS) + 1}"))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, steps)
        migrate(db, steps)  # no step is done twice
        assert db.execute("SELECT id, channel FROM answers").fetchall() == [(made.id, "web")]
        assert schema_of(db) == len(STEPS) + 1
    assert whole(path)


def test_a_step_that_fails_leaves_the_file_at_the_step_before(db: sqlite3.Connection) -> None:
    migrate(db)
    before = _tables(db)
    failing = (*STEPS, (NEXT[0], "INSERT INTO nowhere VALUES (1)", f"PRAGMA user_version = {len(STEPS) + 1}"))
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(db, failing)
    assert (schema_of(db), _tables(db)) == (len(STEPS), before)


def test_a_file_of_a_later_program_is_refused_unchanged(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerSchema):
        migrate(db)
    assert (schema_of(db), _tables(db)) == (99, set())


def test_every_step_writes_its_own_number_last() -> None:
    assert [step[-1] for step in STEPS] == [f"PRAGMA user_version = {n}" for n in range(1, len(STEPS) + 1)]
