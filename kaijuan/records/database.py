"""The SQLite file behind the records: one connection a thread, WAL, whole transactions, and a damaged file moved aside.

Opening, migrating and moving aside happen under a lock file, so that no two processes do them at the same time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from kaijuan.errors import RecordsError
from kaijuan.records.faults import FAULTS, kind_of, moved_aside, newer_schema, records_error
from kaijuan.records.filelock import file_lock
from kaijuan.records.schema import STEPS, NewerSchema, migrate

Result = TypeVar("Result")
#: The file itself last: until it has gone nobody begins a new one beside its log.
_PARTS = ("-wal", "-shm", "")


@dataclass(frozen=True, slots=True)
class _Held:
    """A thread's connection, with the process that opened it and the file that it is open on."""

    db: sqlite3.Connection
    process: int
    file: tuple[int, int] | None

    def __del__(self) -> None:
        self.db.close()


#: Connections that a forked process inherited: SQLite wants them neither used nor closed there.
_INHERITED: list[_Held] = []


class Database:
    """Transactions on one file; safe to share between threads and to open in several processes.

    `patience` is how many seconds a locked file is waited for. Every method raises RecordsError.
    """

    def __init__(self, path: Path, now: Callable[[], datetime], patience: float) -> None:
        self.path = path
        self._now = now
        self._patience = patience
        self._thread = threading.local()

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` reads, all of it from the same moment; `work` must not write."""
        return self._transaction("BEGIN", work)

    def change(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` returns once its changes are all written; none of them are when anything fails."""
        return self._transaction("BEGIN IMMEDIATE", work)

    def check(self) -> None:
        """Look the whole file through; a damaged one is moved aside, and the error says so."""
        self.outside(_look_through)

    def outside(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` returns, outside of a transaction (VACUUM, checks, checkpoints)."""
        held: _Held | None = None
        try:
            held = self._connection()
            return work(held.db)
        except FAULTS as error:
            raise self._translated(error, held) from error

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        self._thread.held = None

    def _transaction(self, begin: str, work: Callable[[sqlite3.Connection], Result]) -> Result:
        def whole(db: sqlite3.Connection) -> Result:
            db.execute(begin)
            try:
                result = work(db)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            return result

        return self.outside(whole)

    def _connection(self) -> _Held:
        held: _Held | None = getattr(self._thread, "held", None)
        if held is not None and held.process != os.getpid():
            _INHERITED.append(held)
            held = None
        # The file may have been moved aside by another process, or deleted by hand.
        if held is None or held.file != _identity(self.path):
            self._thread.held = None
            held = self._thread.held = self._open()
        return held

    def _open(self) -> _Held:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self._lock_file, self._patience):
            try:
                db = self._connect()
            except sqlite3.Error as error:
                if kind_of(error) != "damaged":
                    raise
                raise moved_aside(self.path, self._move_aside()) from error
            return _Held(db, os.getpid(), _identity(self.path))

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=self._patience, isolation_level=None, check_same_thread=False)
        try:
            db.row_factory = sqlite3.Row
            db.execute("PRAGMA journal_mode = WAL")
            # In WAL a power cut can then cost the last answers, but never the file; a killed process costs nothing.
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA secure_delete = ON")  # what retention deletes is overwritten
            migrate(db)
        except BaseException as error:
            db.close()
            if isinstance(error, NewerSchema):
                raise newer_schema(self.path, error.found, len(STEPS)) from error
            raise
        return db

    def _translated(self, error: BaseException, held: _Held | None) -> RecordsError:
        if kind_of(error) in ("denied", "disk"):
            self._thread.held = None  # whatever the connection knows of the file may have changed
        if held is None or kind_of(error) != "damaged":
            return records_error(error, self.path)
        self._thread.held = None
        try:
            with file_lock(self._lock_file, self._patience):
                mine = _identity(self.path) == held.file
                return moved_aside(self.path, self._move_aside() if mine else None)
        except OSError:
            return records_error(error, self.path)

    @property
    def _lock_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def _move_aside(self) -> Path:
        stamp = self._now().astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        aside = self.path.with_name(f"{self.path.name}.damaged-{stamp}")
        again = 1
        while aside.exists():
            again += 1
            aside = aside.with_name(f"{self.path.name}.damaged-{stamp}-{again}")
        for part in _PARTS:
            source = self.path.with_name(self.path.name + part)
            if source.exists():
                source.rename(aside.with_name(aside.name + part))
        return aside


class _Damage(sqlite3.DatabaseError):
    """Damage that a check found rather than SQLite itself."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def _look_through(db: sqlite3.Connection) -> None:
    found: str = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise _Damage(found)


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one of the same name; None when there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
