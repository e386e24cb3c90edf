"""An embedder that remembers the sentences of passages, so that an answer compares instead of computing.

What people ask is remembered in memory only; sentences of sources also in the file of vectors.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np

from kaijuan.models.base import BatchEmbedder, Embedder, Vector

#: Vectors kept in memory; 2 kB each for 512 dims.
REMEMBERED = 20_000


class CachedEmbedder:
    """Wraps an embedder; safe to share between threads. Without a file everything stays in memory."""

    def __init__(self, embedder: Embedder, file: Path | None = None, size: int = REMEMBERED) -> None:
        self._embedder = embedder
        self.name, self.dims, self.floor = embedder.name, embedder.dims, embedder.floor
        # Only where there is one: that an embedder has it says that a call costs more than a text.
        if isinstance(embedder, BatchEmbedder):
            self.embed_passages = embedder.embed_passages
        self._query = lru_cache(maxsize=size)(embedder.query)
        self._sentence = lru_cache(maxsize=size)(self._stored)
        self._lock = threading.Lock()
        self._db = None if file is None else _open(file)

    def passage(self, text: str) -> Vector:
        """See Embedder.passage; not remembered, ingest has its own way."""
        return self._embedder.passage(text)

    def query(self, text: str) -> Vector:
        """See Embedder.query."""
        return self._query(text)

    def sentence(self, text: str) -> Vector:
        """Vector of a sentence of a source, by the same encoder as a question."""
        return self._sentence(text)

    def _stored(self, text: str) -> Vector:
        if self._db is None:
            return self._embedder.query(text)
        key = hashlib.sha256(f"{self.name}\0sentence\0{text}".encode()).digest()
        row = self._read(key)
        if row is not None and len(row[0]) == 4 * self.dims:
            return np.frombuffer(row[0], dtype=np.float32)
        vector = self._embedder.query(text)
        # A file that is locked, full or damaged must not cost an answer.
        with suppress(sqlite3.Error), self._lock, self._db:
            self._db.execute("INSERT OR REPLACE INTO sentences VALUES (?, ?)", (key, vector.tobytes()))
        return vector

    def _read(self, key: bytes) -> tuple[bytes] | None:
        assert self._db is not None, "asked only with a file"
        with suppress(sqlite3.Error), self._lock:
            found: tuple[bytes] | None = self._db.execute(
                "SELECT vector FROM sentences WHERE key = ?", (key,)
            ).fetchone()
            return found
        return None


def _open(file: Path) -> sqlite3.Connection | None:
    """The file of sentence vectors, None where it cannot be written: memory serves then."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(file, timeout=1, check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("CREATE TABLE IF NOT EXISTS sentences (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
    except (sqlite3.Error, OSError):
        return None
    return db
