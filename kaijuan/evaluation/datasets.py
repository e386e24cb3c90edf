"""Data sets from outside as temporary collections: indexed once, embedded once, then asked like any other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from kaijuan.engines.base import BuildMeta, Engine
from kaijuan.evaluation.questions import Dataset
from kaijuan.indexing.build import build, corpus_hash, same_build
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.models.base import Embedder
from kaijuan.text import ANALYZER


def index_dataset(
    dataset: Dataset,
    engine: Engine,
    embedder: Embedder | None,
    vector_cache: Path,
    progress: Callable[[int], None] | None = None,
) -> tuple[str, int]:
    """Make the data set's passages searchable: its collection name, and how many vectors had to be computed."""
    collection = f"dataset-{dataset.name.lower().replace('_', '-')}"
    meta = BuildMeta(
        collection=collection,
        embedder=embedder.name if embedder else None,
        dims=embedder.dims if embedder else 0,
        chunking="passages",
        analyzer=ANALYZER,
        corpus_hash=corpus_hash(dataset.chunks),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        form=engine.form,
    )
    versions = engine.versions(collection)
    if any(version.active and same_build(version.meta, meta) for version in versions):
        return collection, 0
    with VectorCache(vector_cache) as cache:
        built = build(engine, meta, dataset.chunks, embedder, cache, progress)
    engine.activate(collection, built.version.name)
    for old in versions:
        engine.delete(collection, old.name)
    return collection, built.embedded
