"""Small builds for tests: chunks of a few words, vectors that point where the test says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kaijuan.engines.base import BuildMeta, Engine, KeywordQuery, SearchResult, VectorQuery, Version
from kaijuan.models.base import Vector
from kaijuan.text import query_terms
from kaijuan.types import Chunk, Viewer

META = BuildMeta(
    collection="shop", embedder="toy", dims=4, chunking="c1", analyzer="bigram-1", corpus_hash="h", created="2026-01-01"
)
ANYBODY = Viewer()


def passage(chunk_id: str, text: str, *audience: str) -> Chunk:
    """A chunk whose id says its document and position."""
    source, _, position = chunk_id.partition("#")
    return Chunk(chunk_id, source, "", text, position=int(position or 0), end=len(text), audience=audience)


def unit(*numbers: float) -> Vector:
    """A unit vector in this direction."""
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def directions(count: int, dims: int = 4, seed: int = 7) -> Vector:
    """Random unit vectors, shape (count, dims)."""
    vectors = np.random.default_rng(seed).standard_normal((count, dims)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def built(engine: Engine, chunks: Sequence[Chunk], vectors: Vector | None = None, **meta: object) -> Version:
    """A finished version that answers; without vectors given, random ones."""
    made_with = replace(META, **meta)  # type: ignore[arg-type]
    build = engine.open_build(made_with)
    if made_with.dims and vectors is None:
        vectors = directions(len(chunks), made_with.dims)
    build.add(chunks, vectors)
    version = build.finish()
    engine.activate(made_with.collection, version.name)
    return version


def by_words(engine: Engine, question: str, viewer: Viewer = ANYBODY, size: int = 10) -> SearchResult:
    """The keyword leg alone."""
    return engine.search("shop", KeywordQuery(query_terms(question), size), None, viewer)


def by_vector(engine: Engine, vector: Vector, viewer: Viewer = ANYBODY, size: int = 10) -> SearchResult:
    """The vector leg alone."""
    return engine.search("shop", None, VectorQuery(vector, size), viewer)


def ids(hits: Sequence[object]) -> list[str]:
    """Chunk ids of hits."""
    return [hit.chunk.id for hit in hits]  # type: ignore[attr-defined]
