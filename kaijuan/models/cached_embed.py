"""An embedder that remembers: the sentences of often asked passages are compared again and again."""

from __future__ import annotations

from functools import lru_cache

from kaijuan.models.base import Embedder, Vector

#: Vectors kept; 2 kB each for 512 dims.
REMEMBERED = 20_000


class CachedEmbedder:
    """Wraps an embedder; `query` is remembered for the latest texts, `passage` is not (ingest has its own cache)."""

    def __init__(self, embedder: Embedder, size: int = REMEMBERED) -> None:
        self._embedder = embedder
        self.name, self.dims, self.floor = embedder.name, embedder.dims, embedder.floor
        self._query = lru_cache(maxsize=size)(embedder.query)

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        return self._embedder.passage(text)

    def query(self, text: str) -> Vector:
        """See Embedder.query."""
        return self._query(text)
