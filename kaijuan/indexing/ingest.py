"""Ingest of one collection: read (cached) → chunk → embed (cached) → build beside → check → quality gate → swap → prune.

The build that answers is untouched until the new one is whole; an unchanged corpus makes no new build. The health of
the documents is looked at once the new build answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from kaijuan.chunking import chunk, recipe
from kaijuan.collection import Collection
from kaijuan.engines.base import BuildMeta, Engine, Version
from kaijuan.errors import EngineError, IndexMismatch, IngestError
from kaijuan.indexing.build import Built, build, corpus_hash, same_build
from kaijuan.indexing.gate import NOTE, GateRefused, Measure, Verdict, judge
from kaijuan.indexing.health import Health, corpus_health
from kaijuan.indexing.lock import ingest_lock
from kaijuan.indexing.read_cache import ReadCache
from kaijuan.indexing.report_files import FileReport, file_reports
from kaijuan.indexing.standing import with_standing
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.models.base import Embedder
from kaijuan.readers import ReadResult, Skipped, read_folder, rules_of
from kaijuan.text import ANALYZER
from kaijuan.types import Chunk

#: Told the stage's name, how many are done now and how many there are.
Progress = Callable[[str, int, int], None]
#: Name under which a version's notes keep the frozen questions that find none of their passages among the first 20.
WITHOUT_GOLD = "without_gold"


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one ingest did; `unchanged` says that the corpus was the same and no build was made.

    `rejected` are chunks that could not be indexed, as (chunk id, reason); `gate` is None when no build was made.
    `seconds` end when the version answers, those that the look at the documents' health took come on top; `embedded`
    and `reused_files` count what was computed now and what was taken from the cache of files.
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
    files: tuple[FileReport, ...] = ()
    reused_files: int = 0
    health: Health | None = None
    health_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ingesting:
    """What an ingest works with: the engine, the embedding model (None = keyword leg alone), folders and limits.

    `measure` asks a version the frozen questions; a figure may fall by `tolerance` before the build is refused. Without
    `read_cache` every file is read; `today` is the ISO day as of which health is judged, None for the day it is.
    """

    engine: Engine
    embedder: Embedder | None
    vector_cache: Path
    lock_dir: Path
    keep_versions: int = 2
    measure: Measure | None = None
    tolerance: float = 0.02
    read_cache: Path | None = None
    today: str | None = None


def ingest(
    collection: Collection, tools: Ingesting, progress: Progress | None = None, force: bool = False
) -> IngestReport:
    """Index a collection; `force` lets a build answer that the quality gate would refuse.

    Raises IngestError (nothing to index, locked, GateRefused), CorpusError, EngineError or IndexMismatch.
    """
    with ingest_lock(tools.lock_dir, collection.name):
        report, chunks, without_gold = _ingest(collection, tools, progress, force)
    start = time.perf_counter()
    health = corpus_health(chunks, tools.today or date.today().isoformat(), without_gold)
    return replace(report, health=health, health_seconds=time.perf_counter() - start)


def _ingest(
    collection: Collection, tools: Ingesting, progress: Progress | None, force: bool
) -> tuple[IngestReport, list[Chunk], Sequence[str]]:
    """What was done, all chunks, and ids of the frozen questions without gold among the first 20."""
    start = time.perf_counter()
    cleaned = tools.engine.clean_up(collection.name)
    read, reused = _read(collection, tools)
    documents, unknown = with_standing(read.documents)
    read = replace(read, warnings=(*read.warnings, *unknown))
    chunks = [c for d in documents for c in chunk(d, collection.chunk_chars, collection.overlap_chars)]
    meta = _meta(collection, tools, chunks)
    current = _active(tools.engine, collection.name)
    # A folder that was emptied on purpose empties the index; one whose files all failed, or a first ingest, does not.
    if not chunks and (read.skipped or current is None):
        raise IngestError(
            f"集合 {collection.name} 的目录里没有可以索引的文档，请放入 Markdown、文本、HTML、CSV、JSONL、docx、xlsx 或 PDF 文件后重试。"
        )
    if current is not None and _still_good(tools.engine, current, len(chunks), meta):
        report = _report(collection, current, read, start, None, None, [], cleaned)
        without_gold: Sequence[str] = current.notes.get(WITHOUT_GOLD, ())
    else:
        waiting = _waiting(tools.engine, current, meta, len(chunks))
        built = Built(waiting, 0, ()) if waiting else _build(tools, meta, chunks, progress)
        verdict = _switch(collection, current, built.version, tools, force)
        pruned = _prune(tools, collection.name)
        report = _report(collection, built.version, read, start, built, verdict, pruned, cleaned)
        without_gold = _without_gold(verdict)
    return replace(report, files=file_reports(read, chunks), reused_files=reused), chunks, without_gold


def _read(collection: Collection, tools: Ingesting) -> tuple[ReadResult, int]:
    """The folder as read, and how many of its files were known already."""
    rules = rules_of(collection)
    if tools.read_cache is None:
        return read_folder(collection.folder, rules), 0
    with ReadCache(tools.read_cache) as cache:
        return read_folder(collection.folder, replace(rules, in_front=cache.in_front(rules))), cache.hits


def is_indexed(collection: Collection, engine: Engine, embedder: Embedder | None) -> bool:
    """Whether the collection has a build that answers with this embedding model."""
    try:
        current = _active(engine, collection.name)
    except IndexMismatch:
        return False
    return current is not None and current.meta.embedder == (embedder.name if embedder else None)


def _still_good(engine: Engine, current: Version, chunks: int, meta: BuildMeta) -> bool:
    """Whether the build that answers holds just this and is not damaged."""
    if current.chunks != chunks or not same_build(current.meta, meta):
        return False
    return not any(f.level == "bad" and f.collection == meta.collection for f in engine.health([meta.collection]))


def _waiting(engine: Engine, current: Version | None, meta: BuildMeta, chunks: int) -> Version | None:
    """A finished build of just this that was never judged: its ingest was ended before the switch."""
    newer = [v for v in engine.versions(meta.collection) if current is None or v.name > current.name]
    return next((v for v in newer if NOTE not in v.notes and v.chunks == chunks and same_build(v.meta, meta)), None)


def _switch(collection: Collection, current: Version | None, new: Version, tools: Ingesting, force: bool) -> Verdict:
    """Let the new version answer if the gate agrees; otherwise, or when anything fails, drop it."""
    engine = tools.engine
    try:
        verdict = judge(collection, current, new, tools.measure, tools.tolerance, force)
        if not verdict.switches:
            raise GateRefused(collection.name, verdict)
        engine.note(collection.name, new.name, {NOTE: verdict.as_note(), WITHOUT_GOLD: _without_gold(verdict)})
        engine.activate(collection.name, new.name)
    except BaseException:
        with suppress(EngineError):  # what went wrong first is what has to be said
            engine.delete(collection.name, new.name)
        raise
    return verdict


def _without_gold(verdict: Verdict) -> list[str]:
    measured = verdict.after.by_question if verdict.after else {}
    return [id_ for id_, (_, recall20, _) in measured.items() if not recall20]


def _meta(collection: Collection, tools: Ingesting, chunks: list[Chunk]) -> BuildMeta:
    embedder = tools.embedder
    return BuildMeta(
        collection=collection.name,
        embedder=embedder.name if embedder else None,
        dims=embedder.dims if embedder else 0,
        chunking=recipe(collection.chunk_chars, collection.overlap_chars),
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
