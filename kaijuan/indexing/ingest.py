"""Ingest of one collection: read → chunk → embed (cached) → build beside → check → quality gate → swap → prune.

The build that answers is untouched until the new one is whole; an unchanged corpus makes no new build.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kaijuan.chunking import CHUNKING, chunk
from kaijuan.collection import Collection
from kaijuan.engines.base import BuildMeta, Engine, Version
from kaijuan.errors import EngineError, IndexMismatch, IngestError
from kaijuan.indexing.build import Built, build, corpus_hash, same_build
from kaijuan.indexing.gate import NOTE, GateRefused, Measure, Verdict, judge
from kaijuan.indexing.lock import ingest_lock
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.models.base import Embedder
from kaijuan.readers import ReadResult, Skipped, read_folder
from kaijuan.text import ANALYZER
from kaijuan.types import Chunk

#: Told the stage's name, how many are done now and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one ingest did; `unchanged` says that the corpus was the same and no build was made.

    `rejected` are chunks that could not be indexed, as (chunk id, reason); `gate` is None when no build was made.
    """

    collection: str
    version: str
    documents: int
    chunks: int
    embedded: int
    seconds: float
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    unchanged: bool
    rejected: tuple[tuple[str, str], ...] = ()
    pruned: tuple[str, ...] = ()
    cleaned: tuple[str, ...] = ()
    gate: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Ingesting:
    """What an ingest works with: the engine, the embedding model (None = keyword leg alone), folders and limits.

    `measure` asks a version the frozen questions; a figure may fall by `tolerance` before the build is refused.
    """

    engine: Engine
    embedder: Embedder | None
    vector_cache: Path
    lock_dir: Path
    keep_versions: int = 2
    measure: Measure | None = None
    tolerance: float = 0.02


def ingest(
    collection: Collection, tools: Ingesting, progress: Progress | None = None, force: bool = False
) -> IngestReport:
    """Index a collection; `force` lets a build answer that the quality gate would refuse.

    Raises IngestError (nothing to index, locked, GateRefused), CorpusError, EngineError or IndexMismatch.
    """
    start = time.perf_counter()
    with ingest_lock(tools.lock_dir, collection.name):
        cleaned = tools.engine.clean_up(collection.name)
        read = read_folder(collection.folder)
        chunks = [c for d in read.documents for c in chunk(d, collection.chunk_chars, collection.overlap_chars)]
        meta = _meta(collection, tools, chunks)
        current = _active(tools.engine, collection.name)
        # A folder that was emptied on purpose empties the index; one whose files all failed, or a first ingest, does not.
        if not chunks and (read.skipped or current is None):
            raise IngestError(f"集合 {collection.name} 的目录里没有可以索引的文档，请放入 Markdown 或文本文件后重试。")
        if current is not None and current.chunks == len(chunks) and same_build(current.meta, meta):
            return _report(collection, current, read, start, None, None, [], cleaned)
        built = _build(tools, meta, chunks, progress)
        verdict = _switch(collection, current, built.version, tools, force)
        pruned = _prune(tools, collection.name)
        return _report(collection, built.version, read, start, built, verdict, pruned, cleaned)


def is_indexed(collection: Collection, engine: Engine, embedder: Embedder | None) -> bool:
    """Whether the collection has a build that answers with this embedding model."""
    try:
        current = _active(engine, collection.name)
    except IndexMismatch:
        return False
    return current is not None and current.meta.embedder == (embedder.name if embedder else None)


def _switch(collection: Collection, current: Version | None, new: Version, tools: Ingesting, force: bool) -> Verdict:
    """Let the new version answer if the gate agrees; otherwise, or when anything fails, drop it."""
    engine = tools.engine
    try:
        verdict = judge(collection, current, new, tools.measure, tools.tolerance, force)
        if not verdict.switches:
            raise GateRefused(collection.name, verdict)
        engine.note(collection.name, new.name, {NOTE: verdict.as_note()})
        engine.activate(collection.name, new.name)
    except BaseException:
        with suppress(EngineError):  # what went wrong first is what has to be said
            engine.delete(collection.name, new.name)
        raise
    return verdict


def _meta(collection: Collection, tools: Ingesting, chunks: list[Chunk]) -> BuildMeta:
    embedder = tools.embedder
    return BuildMeta(
        collection=collection.name,
        embedder=embedder.name if embedder else None,
        dims=embedder.dims if embedder else 0,
        chunking=f"{CHUNKING}/{collection.chunk_chars}/{collection.overlap_chars}",
        analyzer=ANALYZER,
        corpus_hash=corpus_hash(chunks),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        form=tools.engine.form,
    )


def _active(engine: Engine, collection: str) -> Version | None:
    return next((version for version in engine.versions(collection) if version.active), None)


def _build(tools: Ingesting, meta: BuildMeta, chunks: list[Chunk], progress: Progress | None) -> Built:
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress:
            progress("embed", done, len(chunks))

    if tools.embedder is None:
        return build(tools.engine, meta, chunks, None, None, step)
    with VectorCache(tools.vector_cache) as cache:
        return build(tools.engine, meta, chunks, tools.embedder, cache, step)


def _prune(tools: Ingesting, collection: str) -> list[str]:
    """Delete all but the newest versions; the active one always stays."""
    versions = tools.engine.versions(collection)
    surplus = [v.name for v in versions[: -tools.keep_versions] if not v.active]
    for name in surplus:
        tools.engine.delete(collection, name)
    return surplus


def _report(
    collection: Collection,
    version: Version,
    read: ReadResult,
    start: float,
    built: Built | None,
    verdict: Verdict | None,
    pruned: list[str],
    cleaned: list[str],
) -> IngestReport:
    emptied = (
        ()
        if version.chunks
        else (f"目录里已没有文档，索引为空；误删时可用 python -m ingest rollback {collection.name} 退回。",)
    )
    return IngestReport(
        collection=collection.name,
        version=version.name,
        documents=version.documents,
        chunks=version.chunks,
        embedded=built.embedded if built else 0,
        seconds=time.perf_counter() - start,
        skipped=read.skipped,
        warnings=(*map(str, read.warnings), *emptied),
        unchanged=built is None,
        rejected=built.rejected if built else (),
        pruned=tuple(pruned),
        cleaned=tuple(cleaned),
        gate=verdict,
    )
