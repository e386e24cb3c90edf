"""A file is read once: its documents kept by content, name and version of the readers in one SQLite file.

Only what went well is kept, so that a refused file is tried anew. A cache that cannot be used is no fault of the
ingest: the files are read.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import kaijuan.readers
from kaijuan.readers import Rules, Skipped
from kaijuan.readers.remarks import Warn
from kaijuan.readers.rules import InFront, Reading
from kaijuan.types import Document, Standing

#: Days after which what was not asked for is forgotten, and files whose documents are written in one go.
DAYS, BATCH = 60, 500
#: Bytes from which a file is left to the reader alone, which will refuse it.
LARGEST = 256 * 1024 * 1024
#: Plain text is read about as fast as it is looked up; from this many bytes on it is kept too.
PLAIN, PLAIN_BYTES = frozenset((".md", ".markdown", ".txt", ".text", "")), 64 * 1024

Found = Sequence[Document | Skipped]
_TABLE = "CREATE TABLE IF NOT EXISTS files (key BLOB PRIMARY KEY, day TEXT NOT NULL, read TEXT NOT NULL) WITHOUT ROWID"


class ReadCache:
    """Documents of files already read, of all collections; safe for several processes (WAL, short writes)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._today = datetime.now(UTC).date()
        self._new: list[tuple[bytes, str, str]] = []
        self.hits = 0
        self._db = _opened(path)

    def __enter__(self) -> ReadCache:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()
        if self._db is not None:
            with suppress(sqlite3.Error), self._db:
                oldest = (self._today - timedelta(days=DAYS)).isoformat()
                self._db.execute("DELETE FROM files WHERE day < ?", (oldest,))
            self._db.close()

    def in_front(self, rules: Rules) -> InFront:
        """A look into the cache before a file is read under these rules; what reading raises or remarks stays as it is."""
        under = repr((rules.limits, rules.groups, reader_version()))

        def cached(path: Path, name: str, warn: Warn, read: Reading) -> Found:
            if self._db is None or not _is_worth_it(path):
                return read(warn)
            try:
                key = _key(path, name, under)
            except OSError:
                return read(warn)
            known = self._known(key)
            if known is None:
                remarks: list[str] = []
                found = read(remarks.append)
                self._keep(key, found, remarks)
            else:
                found, remarks = known
                self.hits += 1
            for remark in remarks:
                warn(remark)
            return found

        return cached

    def _known(self, key: bytes) -> tuple[Found, list[str]] | None:
        if self._db is None:
            return None
        try:
            row = self._db.execute("SELECT day, read FROM files WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            stored = json.loads(row[1])
            known = [_part(part) for part in stored["parts"]], [str(remark) for remark in stored["remarks"]]
        except (sqlite3.Error, ValueError, TypeError, LookupError):
            return None
        if row[0] != self._today.isoformat():
            self._add((key, self._today.isoformat(), row[1]))
        return known

    def _keep(self, key: bytes, found: Found, remarks: list[str]) -> None:
        parts = [{type(part).__name__: asdict(part)} for part in found]
        # In ASCII, so that a lone half of a surrogate pair does no harm.
        self._add((key, self._today.isoformat(), json.dumps({"parts": parts, "remarks": remarks})))

    def _add(self, row: tuple[bytes, str, str]) -> None:
        self._new.append(row)
        if len(self._new) >= BATCH:
            self._write()

    def _write(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error), self._db:
                self._db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", self._new)
        self._new.clear()


def _opened(path: Path) -> sqlite3.Connection | None:
    """The cache, made anew where it is damaged; None where there can be none."""
    for _ in range(2):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(path, timeout=10)
            database.execute("PRAGMA journal_mode=WAL")
            database.execute(_TABLE)
            database.execute("SELECT key, day, read FROM files LIMIT 1").fetchone()
        except sqlite3.OperationalError:
            return None  # locked, or not ours to write
        except sqlite3.DatabaseError:
            with suppress(OSError):
                path.unlink()
        except OSError:
            return None
        else:
            return database
    return None


def _is_worth_it(path: Path) -> bool:
    """Whether a file is dear to read."""
    with suppress(OSError):
        least = PLAIN_BYTES if path.suffix.lower() in PLAIN else 0
        return least <= path.stat().st_size <= LARGEST
    return False


def _key(path: Path, name: str, under: str) -> bytes:
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256")
    content.update(f"{name}\0{under}".encode("utf-8", "surrogateescape"))
    return content.digest()


@lru_cache(maxsize=1)
def reader_version() -> str:
    """Hash of the readers' own sources and of all installed packages: any other version reads every file anew."""
    digest = hashlib.sha256(repr([field.name for field in fields(Document)]).encode())
    for source in sorted(Path(kaijuan.readers.__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    digest.update(repr(sorted((d.metadata["Name"] or "", d.version) for d in distributions())).encode())
    return digest.hexdigest()


def _part(stored: dict[str, dict[str, Any]]) -> Document | Skipped:
    ((kind, values),) = stored.items()
    plain = {name: _frozen(value) for name, value in values.items()}
    if kind == "Skipped":
        return Skipped(**plain)
    standing = values.get("standing")
    return Document(**(plain | {"standing": Standing(**standing) if standing else None}))


def _frozen(value: Any) -> Any:
    """Lists of JSON as the tuples that they were."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
