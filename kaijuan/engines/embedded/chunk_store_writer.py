"""Write side of the chunk store, and a chunk's form on disk."""

from __future__ import annotations

import json
from dataclasses import astuple
from pathlib import Path

import numpy as np

from kaijuan.engines.embedded.arrays import write_array
from kaijuan.engines.embedded.strings import write_strings
from kaijuan.types import Chunk, Standing


def to_line(chunk: Chunk) -> bytes:
    """A chunk as stored: a JSON array of its fields, without their names because reading those takes half the time."""
    fields = [
        chunk.id,
        chunk.source_id,
        chunk.title,
        chunk.text,
        chunk.headings,
        chunk.position,
        chunk.start,
        chunk.end,
        chunk.updated,
        chunk.department,
        chunk.kind,
        chunk.audience,
    ]
    # Few chunks have a standing, a page or a path of its own, and all are read at every question.
    more = [None if chunk.standing is None else list(astuple(chunk.standing)), chunk.page, chunk.path or None]
    while more and more[-1] is None:
        more.pop()
    fields += more
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def from_line(line: bytes) -> Chunk:
    """The chunk that `to_line` wrote; raises ValueError or TypeError for anything else."""
    id_, source, title, text, headings, position, start, end, updated, department, kind, audience, *more = json.loads(
        line.decode("utf-8")
    )
    standing = Standing(*more[0]) if more and more[0] is not None else None
    page = int(more[1]) if more[1:] and more[1] is not None else None
    path = str(more[2]) if more[2:] else ""
    return Chunk(
        id_,
        source,
        title,
        text,
        tuple(headings),
        position,
        start,
        end,
        updated,
        department,
        kind,
        tuple(audience),
        standing,
        page,
        path,
    )


class ChunkStoreWriter:
    """Writes chunks as they come; memory grows with their ids and audiences only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._blob = (folder / "chunks.bin").open("wb")
        self._offsets = [0]
        self._ids: list[str] = []
        self._sources: dict[str, int] = {}
        self._source_of: list[int] = []
        self._audiences: dict[tuple[str, ...], int] = {(): 0}
        self._audience_of: list[int] = []

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def sources(self) -> int:
        """How many documents the chunks added so far come from."""
        return len(self._sources)

    def add(self, chunk: Chunk) -> None:
        """Append one chunk."""
        self._offsets.append(self._offsets[-1] + self._blob.write(to_line(chunk)))
        self._ids.append(chunk.id)
        self._source_of.append(self._sources.setdefault(chunk.source_id, len(self._sources)))
        self._audience_of.append(self._audiences.setdefault(tuple(sorted(chunk.audience)), len(self._audiences)))

    def duplicate(self) -> str | None:
        """An id that was added twice, None when all are distinct."""
        seen: set[str] = set()
        for chunk_id in self._ids:
            if chunk_id in seen:
                return chunk_id
            seen.add(chunk_id)
        return None

    def write(self) -> None:
        """Write the tables of ids and sources, the order by id and the audiences."""
        self.close()
        # Strings compare by code point, which is also the order of their UTF-8 bytes.
        by_id = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        place = {source: number for number, source in enumerate(sorted(self._sources))}
        sorted_place = np.array([place[source] for source in self._sources], dtype=np.int32)
        write_array(self._folder / "chunks.off.i64", self._offsets)
        write_strings(self._folder / "ids", (self._ids[n] for n in by_id))
        write_strings(self._folder / "sources", place)
        write_array(self._folder / "by_id.i32", by_id)
        write_array(self._folder / "source_of.i32", sorted_place[np.array(self._source_of, dtype=np.int32)])
        write_array(self._folder / "audience.i32", self._audience_of)
        audiences = [list(audience) for audience in self._audiences]
        (self._folder / "audiences.json").write_text(json.dumps(audiences, ensure_ascii=False), encoding="utf-8")

    def close(self) -> None:
        """Close the file being written."""
        self._blob.close()
