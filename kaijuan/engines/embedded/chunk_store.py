"""Chunks on disk: one JSON array each, found by number, chunk id or source id without reading the others."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kaijuan.engines.embedded.arrays import map_array
from kaijuan.engines.embedded.chunk_store_writer import from_line
from kaijuan.engines.embedded.strings import StringTable
from kaijuan.errors import EngineError
from kaijuan.types import Chunk, Viewer

#: Chunks kept in memory, about 2 kB each; a collection of no more is read whole when it is opened.
_KEPT = 8192


class ChunkStore:
    """Read side; ordinals are positions in the order added."""

    def __init__(self, folder: Path, chunks: int) -> None:
        """Open the store of a build of this many chunks; raises ValueError when the files do not fit together."""
        self._collection = folder.parent.name
        self._lines = StringTable(folder / "chunks")
        self._ids, self._sources = StringTable(folder / "ids"), StringTable(folder / "sources")  # both sorted
        self._by_id: NDArray[np.int32] = map_array(folder / "by_id.i32")
        self._source_of: NDArray[np.int32] = map_array(folder / "source_of.i32")
        self._audience_of: NDArray[np.int32] = map_array(folder / "audience.i32")
        if {len(t) for t in (self._lines, self._ids, self._by_id, self._source_of, self._audience_of)} != {chunks}:
            raise ValueError("chunk files of different builds")
        #: Place of each chunk in the order by id: the order among equal scores.
        self.tie_order = np.empty(chunks, dtype=np.int32)
        self.tie_order[self._by_id] = np.arange(chunks, dtype=np.int32)
        stored = json.loads((folder / "audiences.json").read_text(encoding="utf-8"))
        self._audiences: list[tuple[str, ...]] = [tuple(audience) for audience in stored]
        self._chunk = lru_cache(maxsize=_KEPT)(self._read)
        self._all = [self._read(ordinal) for ordinal in range(chunks)] if chunks <= _KEPT else None
        self._closed = lru_cache(maxsize=64)(self._closed_to)

    def __len__(self) -> int:
        return len(self._by_id)

    def __getitem__(self, ordinal: int) -> Chunk:
        return self._chunk(ordinal) if self._all is None else self._all[ordinal]

    def ordinal(self, chunk_id: str) -> int | None:
        """Ordinal of a chunk id, None when there is none."""
        place = self._ids.find(chunk_id)
        return None if place is None else int(self._by_id[place])

    def of_source(self, source_id: str) -> list[Chunk]:
        """All chunks of one document in order of position."""
        number = self._sources.find(source_id)
        if number is None:
            return []
        chunks = [self[int(ordinal)] for ordinal in np.flatnonzero(self._source_of == number)]
        return sorted(chunks, key=lambda chunk: (chunk.position, chunk.id))

    def source_ids(self, viewer: Viewer) -> list[str]:
        """Ids of the documents with a chunk open to the viewer, sorted."""
        closed = self.closed(viewer)
        numbers = np.unique(self._source_of if closed is None else self._source_of[~closed])
        return sorted(self._sources[int(number)] for number in numbers)

    def closed(self, viewer: Viewer) -> NDArray[np.bool_] | None:
        """Which chunks the viewer may not read, shape (chunks,), None when all are open."""
        return None if viewer.sees_all or len(self._audiences) == 1 else self._closed(viewer.groups)

    def _closed_to(self, groups: frozenset[str]) -> NDArray[np.bool_] | None:
        viewer = Viewer(groups=groups)
        closed = np.array([not viewer.may_read(audience) for audience in self._audiences])[self._audience_of]
        return closed if closed.any() else None

    def _read(self, ordinal: int) -> Chunk:
        try:
            return from_line(self._lines.raw(ordinal))
        except (ValueError, TypeError) as error:
            raise EngineError(
                f"集合 {self._collection} 的索引中第 {ordinal + 1} 段已损坏，请运行 python -m ingest {self._collection} 重建。"
            ) from error
