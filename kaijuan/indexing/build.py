"""Chunks in, a finished build out: hash, embed (cached), add, check. Nothing here makes a build answer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields

from kaijuan.engines.base import BuildMeta, Engine, Version
from kaijuan.errors import EngineError
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.models.base import Embedder
from kaijuan.types import Chunk

BATCH = 64
Progress = Callable[[int], None]
_STORED = tuple(field.name for field in fields(Chunk))


@dataclass(frozen=True, slots=True)
class Built:
    """A finished version, how many chunks were embedded anew, and the chunks left out as (chunk id, reason)."""

    version: Version
    embedded: int
    rejected: tuple[tuple[str, str], ...]


def corpus_hash(chunks: Iterable[Chunk]) -> str:
    """SHA-256 over everything that is stored of the chunks, in order."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(repr([getattr(chunk, name) for name in _STORED]).encode("utf-8"))
    return digest.hexdigest()


def same_build(old: BuildMeta, new: BuildMeta) -> bool:
    """Whether two builds hold the same (when they were made does not matter)."""
    return {**asdict(old), "created": ""} == {**asdict(new), "created": ""}


def build(
    engine: Engine,
    meta: BuildMeta,
    chunks: Sequence[Chunk],
    embedder: Embedder | None,
    cache: VectorCache | None,
    progress: Progress | None = None,
) -> Built:
    """A finished version of these chunks, not active yet; a chunk whose vector is unusable is left out and named.

    Raises IngestError, EngineError or IndexMismatch; the unfinished build is dropped then.
    """
    writer = engine.open_build(meta)
    embedded, rejected = 0, []
    try:
        for batch in _batches(chunks):
            if embedder is None or cache is None:
                writer.add(batch, None)
            else:
                result = cache.embed(embedder, [chunk.search_text for chunk in batch])
                embedded += result.computed
                rejected += [(batch[i].id, reason) for i, reason in result.unusable.items()]
                usable = [i for i in range(len(batch)) if i not in result.unusable]
                writer.add([batch[i] for i in usable], result.vectors[usable])
            if progress:
                progress(len(batch))
        version = writer.finish()
        return Built(version, embedded, (*rejected, *writer.rejected))
    except BaseException:
        with suppress(EngineError):  # what went wrong first is what has to be said; the next ingest clears the rest
            writer.abandon()
        raise


def _batches(chunks: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    for start in range(0, len(chunks), BATCH):
        yield chunks[start : start + BATCH]
