"""The records: answers with what they rest on, feedback, tickets and conversations, in one SQLite file.

An answer is never lost to its reader because its record is: `keep` tells what went wrong instead of raising it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from kaijuan.errors import RecordsError
from kaijuan.records.answer_rows import insert, plain
from kaijuan.records.database import Database
from kaijuan.records.moments import to_text, utc_now
from kaijuan.records.retention import cutoff, delete_old_answers, delete_remains
from kaijuan.records.types import AnswerRecord, Thumb
from kaijuan.types import Notice

Result = TypeVar("Result")
#: Seconds that a file locked by another process is waited for.
PATIENCE = 5.0
#: Answers that one transaction of a sweep deletes, so that writers wait only for so many.
SWEPT_AT_ONCE = 100

_RATE = """
    INSERT INTO feedback (answer_id, at, value, reason) VALUES (:answer_id, :at, :value, :reason)
    ON CONFLICT (answer_id) DO UPDATE SET at = excluded.at, value = excluded.value, reason = excluded.reason
"""
_OWNER = "SELECT viewer FROM conversations WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: answers that it deleted, and whether all is gone that had to go."""

    answers: int
    done: bool


class Records:
    """The records in one file, which need not exist yet; safe to share between threads and several processes.

    Answers are kept `days` days; 0 keeps none, and nothing that somebody asks is written unless it is handed over.
    `patience` is how many seconds a locked file is waited for.
    """

    def __init__(
        self, path: Path, days: int, now: Callable[[], datetime] = utc_now, patience: float = PATIENCE
    ) -> None:
        self.path = path
        self.days = days
        self.now = now
        self._file = Database(path, now, patience)
        self._swept: date | None = None

    def keep(self, record: AnswerRecord) -> Notice | None:
        """Write an answer and never fail: what could not be done is the notice's sentence."""
        try:
            return self.write(record)
        except RecordsError as error:
            return Notice("records", f"这条回答没有记入记录：{error}")

    def write(self, record: AnswerRecord) -> Notice | None:
        """Write an answer with all its rows in one transaction; a notice when a damaged file was replaced first.

        Once a day, some of what has become too old goes too. Raises RecordsError when the answer was not written.
        """
        if self.days == 0:
            return None
        notice = self.add(lambda db: _insert(db, record))
        self._sweep_when_due()
        return notice

    def rate(self, answer_id: str, value: Thumb, reason: str = "") -> None:
        """Keep what a person thinks of an answer, in place of what was thought before; raises RecordsError."""
        values = {"answer_id": answer_id, "at": to_text(self.now()), "value": value, "reason": plain(reason)}

        def rating(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM answers WHERE id = ?", (answer_id,)).fetchone() is None:
                raise RecordsError("记录里没有这条回答，评价没有存下；请重新提问后再评价。", "missing")
            db.execute(_RATE, values)

        self.change(rating)

    def unrate(self, answer_id: str) -> None:
        """Take an answer's feedback back, if there is any; raises RecordsError."""
        self.change(lambda db: db.execute("DELETE FROM feedback WHERE answer_id = ?", (answer_id,)).rowcount)

    def sweep(self) -> int:
        """Delete all that is too old and cut the log behind it; how many answers went. Raises RecordsError."""
        gone = 0
        swept = Swept(0, False)
        while not swept.done:
            swept = self._sweep_some()
            gone += swept.answers
        self._swept = self.now().date()
        if gone:
            self._file.outside(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
        return gone

    def check(self) -> Notice | None:
        """Look the whole file through, which takes a second for some 100 MB; a damaged one is replaced and told of.

        Raises RecordsError when it cannot be looked at.
        """
        try:
            self._file.check()
        except RecordsError as error:
            if error.kind != "damaged":
                raise
            return Notice("records", str(error))
        return None

    def compact(self) -> None:
        """Give the space of what was deleted back to the disk; nobody can write meanwhile. Raises RecordsError."""
        self._file.outside(lambda db: db.execute("VACUUM").fetchone())

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` reads, all of it from one moment; raises RecordsError."""
        return self._file.read(work)

    def change(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` returns once all its changes are written, none of them when it fails; raises RecordsError."""
        return self._file.change(work)

    def add(self, work: Callable[[sqlite3.Connection], object]) -> Notice | None:
        """A change that needs nothing written before, so that it goes into the new file when the old one is damaged.

        The notice says that this happened. Raises RecordsError.
        """
        try:
            self.change(work)
        except RecordsError as error:
            if error.kind != "damaged":
                raise
            self.change(work)
            return Notice("records", str(error))
        return None

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        self._file.close()

    def _sweep_when_due(self) -> None:
        if self._swept == self.now().date():
            return
        # The answer is written; what could not be deleted is tried again at the next one.
        with suppress(RecordsError):
            if self._sweep_some().done:
                self._swept = self.now().date()

    def _sweep_some(self) -> Swept:
        before = cutoff(self.now(), self.days)

        def sweeping(db: sqlite3.Connection) -> Swept:
            answers = delete_old_answers(db, before, SWEPT_AT_ONCE)
            if answers == SWEPT_AT_ONCE:
                return Swept(answers, done=False)
            delete_remains(db, before)
            return Swept(answers, done=True)

        return self.change(sweeping)


def _insert(db: sqlite3.Connection, record: AnswerRecord) -> None:
    """Write a record, but never into another viewer's conversation."""
    if record.conversation_id is not None:
        row = db.execute(_OWNER, (record.conversation_id,)).fetchone()
        if row is not None and row["viewer"] != plain(record.viewer):
            raise RecordsError("这段对话属于另一位用户，请新开一段对话再提问。", "missing")
    insert(db, record)
