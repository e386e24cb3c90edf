"""Answers and records made by hand, a clock that is set, and a process that writes."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kaijuan.answering.types import Answer, Refusal, Source
from kaijuan.records.answer_rows import insert
from kaijuan.records.record import record_of
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Ledger, Prices
from kaijuan.types import REFUSAL, StageTime, Viewer
from tests.answering.made import chunk, trace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
#: Seconds until a process that should have come to its mark long ago is given up.
PATIENCE = 120.0


@dataclass
class Clock:
    """A clock that stands until it is set."""

    at: datetime = NOON

    def __call__(self) -> datetime:
        return self.at

    def pass_(self, **time_passed: float) -> None:
        """Let time pass (days=…, seconds=…)."""
        self.at += timedelta(**time_passed)


def answer(question: str = "退款几天到账？", refused: bool = False, cited: int = 2, seconds: float = 0.3) -> Answer:
    """An answer over three passages of two dated documents and one without a date; the best ones are cited."""
    found = trace(
        question,
        [
            chunk("s02#0", "退款三天到账。", "退款说明", updated="2026-11-20"),
            chunk("s01#1", "退款七天到账。", "售后政策", updated="2026-10"),
            chunk("s03#0", "其他。", "杂项"),
        ],
    )
    found = replace(found, stages=(StageTime("embed", 0.02), StageTime("search", 0.03)))
    best = found.candidates[:cited]
    return Answer(
        question=question,
        text=REFUSAL if refused else "退款三天到账[1]。有的写七天[2]。",
        sources=() if refused else tuple(Source(number, c) for number, c in enumerate(best, start=1)),
        trace=found,
        refusal=Refusal("off_topic", "问题与这个集合的资料不相关。") if refused else None,
        answerer="extractive",
        seconds=seconds,
    )


def record(clock: Clock, question: str = "退款几天到账？", viewer: str = "小王", **given: object) -> AnswerRecord:
    """The record of such an answer, with the given fields in place of its own."""
    made = record_of(answer(question), Viewer(viewer), Ledger(), Prices(), now=clock)
    return replace(made, **given)


def whole(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a file, its references included."""
    with closing(sqlite3.connect(path)) as db:
        sound: list[tuple[str]] = db.execute("PRAGMA integrity_check").fetchall()
        return sound == [("ok",)] and db.execute("PRAGMA foreign_key_check").fetchall() == []


def rows(path: Path, table: str) -> int:
    """How many rows a table has."""
    with closing(sqlite3.connect(path)) as db:
        found: int = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return found


def until(path: Path) -> None:
    """Wait for a file to be there."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not come"
        time.sleep(0.005)


def written(records: Records, number: int, name: str) -> Iterator[str]:
    """Write so many answers, and the id of each once it is written."""
    for turn in range(number):
        made = record(Clock(), f"{name} 的第 {turn} 个问题", conversation_id=f"conversation-{name}", viewer=name)
        notice = records.write(made)
        assert notice is None, notice
        yield made.id


def main() -> None:
    """Arguments: the file, how many answers, a name, and a file to wait for; ids of what is written go out by line.

    With -1 answers, one transaction is begun, said so, and never ended.
    """
    path, number, name, start = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    records = Records(path, days=90, now=Clock(), patience=60.0)
    until(start)
    if number < 0:
        records.change(_never_done)
    for made in written(records, number, name):
        print(made, flush=True)


def _never_done(db: sqlite3.Connection) -> None:
    for turn in range(50):
        insert(db, record(Clock(), f"半途的第 {turn} 个问题"))
    # More than SQLite keeps in memory, so that part of it stands in the log already.
    db.execute("CREATE TABLE filler (bytes BLOB)")
    db.execute("INSERT INTO filler VALUES (zeroblob(8000000))")
    print("begun", flush=True)
    time.sleep(PATIENCE)


if __name__ == "__main__":
    main()
