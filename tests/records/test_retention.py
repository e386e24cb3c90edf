"""What is too old goes with everything of it, tickets stay until they are closed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kaijuan.records.conversations import conversations
from kaijuan.records.read import answers, count
from kaijuan.records.record import ticket_of
from kaijuan.records.store import SWEPT_AT_ONCE, Records
from kaijuan.records.tickets import close, hand_over, ticket, tickets
from kaijuan.records.types import Filter
from tests.records.made import Clock, record, rows, whole


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def records(tmp_path: Path, clock: Clock) -> Records:
    return Records(tmp_path / "records.sqlite", days=30, now=clock)


def _questions(records: Records) -> list[str]:
    return [found.question for found in answers(records, Filter(), limit=1000).items]


def test_an_answer_goes_after_its_days_with_all_its_rows(records: Records, clock: Clock) -> None:
    old = record(clock, "旧问题", conversation_id="c1")
    records.write(old)
    records.rate(old.id, "up")
    clock.pass_(seconds=1)
    kept = record(clock, "新问题", conversation_id="c2")
    records.write(kept)
    clock.pass_(days=30, seconds=-1)
    assert records.sweep() == 0, "to the second"
    clock.pass_(seconds=0.5)
    assert records.sweep() == 1 and _questions(records) == ["新问题"]
    assert rows(records.path, "hits") == len(kept.hits) and rows(records.path, "context") == len(kept.context)
    assert rows(records.path, "stages") == len(kept.stages) and rows(records.path, "feedback") == 0
    assert rows(records.path, "conversations") == 1 and len(conversations(records, "小王")) == 1
    assert whole(records.path)


def test_a_conversation_stays_as_long_as_one_of_its_answers(records: Records, clock: Clock) -> None:
    records.write(record(clock, conversation_id="c1"))
    clock.pass_(days=20)
    records.write(record(clock, "第二问", conversation_id="c1"))
    clock.pass_(days=20)
    assert records.sweep() == 1
    (conversation,) = conversations(records, "小王")
    assert conversation.turns == 1
    records.write(record(clock, "第三问", conversation_id="c1"))
    assert [found.turn for found in answers(records, Filter()).items] == [3, 2], "turns are not counted anew"


def test_a_ticket_outlives_its_answer_until_it_has_been_closed_as_long(records: Records, clock: Clock) -> None:
    made = record(clock)
    records.write(made)
    handed = ticket_of(made, "不对", now=clock)
    hand_over(records, handed)
    clock.pass_(days=400)
    assert records.sweep() == 1
    left = ticket(records, handed.id)
    assert left is not None and (left.answer_id, left.question, left.chunks) == (None, made.question, handed.chunks)
    close(records, handed.id)
    clock.pass_(days=29)
    records.sweep()
    assert ticket(records, handed.id) is not None
    clock.pass_(days=2)
    records.sweep()
    assert tickets(records).items == () and whole(records.path)


def test_whoever_writes_sweeps_once_a_day_a_little_at_a_time(records: Records, clock: Clock) -> None:
    for n in range(SWEPT_AT_ONCE + 20):
        records.write(record(clock, f"旧 {n}"))
    clock.pass_(days=31)
    records.write(record(clock, "新 1"))
    assert count(records, Filter()) == 20 + 1, "no more than one transaction's worth"
    clock.pass_(seconds=1)
    records.write(record(clock, "新 2"))
    assert _questions(records) == ["新 2", "新 1"]
    # Nothing is looked for again on the same day …
    with closing(sqlite3.connect(records.path)) as db, db:
        db.execute("UPDATE answers SET at = '2020-01-01T00:00:00.000Z' WHERE question = '新 1'")
    records.write(record(clock, "新 3"))
    assert count(records, Filter()) == 3
    clock.pass_(days=1)
    # … and on the next one it is.
    records.write(record(clock, "新 4"))
    assert "新 1" not in _questions(records) and count(records, Filter()) == 3


def test_a_sweep_at_the_start_deletes_everything_old_at_once(records: Records, clock: Clock) -> None:
    number = 2 * SWEPT_AT_ONCE + 7
    for n in range(number):
        records.write(record(clock, f"旧 {n}"))
    clock.pass_(days=31)
    assert records.sweep() == number and count(records, Filter()) == 0 and rows(records.path, "hits") == 0


def test_what_was_deleted_cannot_be_read_from_the_files_any_more(records: Records, clock: Clock) -> None:
    said = "身份证号码写错了怎么办"
    records.write(record(clock, said))
    clock.pass_(days=20)
    records.write(record(clock, "别的问题"))
    files = [records.path, records.path.with_name("records.sqlite-wal")]
    assert any(said.encode() in file.read_bytes() for file in files)
    clock.pass_(days=20)
    assert records.sweep() == 1
    assert not any(said.encode() in file.read_bytes() for file in files if file.exists())


def test_a_sweep_that_cannot_be_done_costs_no_answer(records: Records, clock: Clock) -> None:
    records.write(record(clock))
    with closing(sqlite3.connect(records.path)) as db, db:
        db.execute("CREATE TRIGGER held BEFORE DELETE ON answers BEGIN SELECT raise(ABORT, 'held'); END")
    clock.pass_(days=31)
    assert records.keep(record(clock, "新问题")) is None and count(records, Filter()) == 2


def test_no_days_delete_what_earlier_settings_kept_and_still_keep_tickets(records: Records, clock: Clock) -> None:
    made = record(clock)
    records.write(made)
    clock.pass_(seconds=1)
    none = Records(records.path, days=0, now=clock)
    assert hand_over(none, ticket_of(made, "不对", now=clock)) is None
    assert none.sweep() == 1 and count(none, Filter()) == 0
    assert len(tickets(none).items) == 1


def test_compacting_gives_the_space_back(records: Records, clock: Clock) -> None:
    for n in range(100):
        records.write(record(clock, f"问题 {n}" * 50))
    clock.pass_(days=31)
    records.sweep()
    before = records.path.stat().st_size
    records.compact()
    records.close()
    assert records.path.stat().st_size < before / 2 and whole(records.path)
