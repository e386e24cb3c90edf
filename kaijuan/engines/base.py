"""The engine seam: what retrieval and indexing ask of a search engine, embedded or OpenSearch.

A question is one `search` call for both legs. Readers see the old build until the new one is whole:
`open_build` → `add` … → `finish` (count checked) → `activate` (one atomic step).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from kaijuan.errors import EngineError, IndexMismatch
from kaijuan.models.base import Vector
from kaijuan.types import Chunk, Finding, Hit, Notice, Viewer


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """The keyword leg: distinct terms (kaijuan.text.query_terms) and how many hits to return.

    `k1` and `b` None means: those of the build.
    """

    terms: tuple[str, ...]
    size: int
    k1: float | None = None
    b: float | None = None


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """The vector leg: a unit vector (dims,) float32 and how many hits to return."""

    vector: Vector
    size: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Both legs, best first; a leg that was not asked or could not run is empty, the latter with a notice.

    `term_weights` is the idf of each query term in this build (terms that no chunk holds included); of chunks that hold
    it, those open to the viewer are counted, so that no weight tells of another.
    """

    version: str
    keyword: tuple[Hit, ...]
    vector: tuple[Hit, ...]
    term_weights: dict[str, float]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildMeta:
    """What a build was made with; kept inside it and compared before a question is asked of it.

    `embedder` is None for a build without vectors (dims 0); `form` is the engine's own form of an index at that time.
    """

    collection: str
    embedder: str | None
    dims: int
    chunking: str
    analyzer: str
    corpus_hash: str
    created: str
    k1: float = 1.2
    b: float = 0.75
    form: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One stored build: its name (sorts by age), whether it answers now, its chunk and document counts, its meta.

    `notes` is plain data that was noted about it after it was built (Engine.note).
    """

    name: str
    active: bool
    chunks: int
    documents: int
    meta: BuildMeta
    notes: Mapping[str, Any] = field(default_factory=dict)


def check_vectors(meta: BuildMeta, chunks: Sequence[Chunk], vectors: Vector | None) -> None:
    """What every build asks of vectors before it writes them: one a chunk, of the build's length, of unit length.

    Raises IndexMismatch for a wrong shape, EngineError for a vector that is not of unit length, NaN included.
    """
    wanted = (len(chunks), meta.dims)
    given = (len(chunks), 0) if vectors is None else vectors.shape
    if given != wanted:
        raise IndexMismatch(
            f"模型 {meta.embedder} 的向量形状是 {given}，索引 {meta.collection} 需要 {wanted}，"
            "请检查嵌入模型后重新运行 ingest。"
        )
    if vectors is None or not meta.dims:
        return
    lengths = np.linalg.norm(vectors, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) < 1e-3))  # so written, it finds NaN too
    if len(wrong):
        raise EngineError(
            f"段落 {chunks[wrong[0]].id} 的向量长度是 {lengths[wrong[0]]:.4f}，应为 1，请检查嵌入模型后重新运行 ingest。"
        )


class Build(Protocol):
    """A build being written; invisible to readers until activated."""

    @property
    def version(self) -> str:
        """Name of the new version."""
        ...

    @property
    def rejected(self) -> tuple[tuple[str, str], ...]:
        """Chunks that the engine did not take, as (chunk id, reason); whole once the build is finished."""
        ...

    def add(self, chunks: Sequence[Chunk], vectors: Vector | None) -> None:
        """Add chunks with their vectors (n, dims), or None throughout for a build without vectors."""
        ...

    def finish(self) -> Version:
        """Make all that was taken durable and searchable; raises EngineError when the count does not agree."""
        ...

    def abandon(self) -> None:
        """Drop the build."""
        ...


class Engine(Protocol):
    """A search engine holding versioned builds of collections. Every read takes the viewer and filters inside."""

    @property
    def name(self) -> str:
        """Name shown to people."""
        ...

    @property
    def form(self) -> str:
        """Form of the indexes it makes now; another one than a build's means that the build should be made anew."""
        ...

    def search(
        self,
        collection: str,
        keyword: KeywordQuery | None,
        vector: VectorQuery | None,
        viewer: Viewer,
        version: str | None = None,
    ) -> SearchResult:
        """Both legs in one round trip, against the active build or a named version.

        Hits are ordered by (-score, chunk id); keyword hits have a score above 0. Raises IndexMissing.
        """
        ...

    def describe(
        self, collection: str, keyword: KeywordQuery | None, vector: VectorQuery | None, viewer: Viewer
    ) -> str:
        """What `search` sends for these, as JSON lines for a person to read; the vector is cut to its first numbers."""
        ...

    def meta(self, collection: str, version: str | None = None) -> BuildMeta:
        """Meta of the active build or of a named version; raises IndexMissing."""
        ...

    def fetch(self, collection: str, chunk_ids: Sequence[str], viewer: Viewer) -> list[Chunk]:
        """The chunks of these ids that exist and are open to the viewer, in the order asked."""
        ...

    def document(self, collection: str, source_id: str, viewer: Viewer) -> list[Chunk]:
        """All chunks of one document in order; empty when it does not exist or is not open to the viewer."""
        ...

    def source_ids(self, collection: str, viewer: Viewer) -> list[str]:
        """Ids of all documents open to the viewer, sorted."""
        ...

    def open_build(self, meta: BuildMeta) -> Build:
        """Start a new version of a collection."""
        ...

    def versions(self, collection: str) -> list[Version]:
        """Finished versions, oldest first."""
        ...

    def note(self, collection: str, version: str, notes: Mapping[str, Any]) -> None:
        """Keep plain data with a finished version, beside what was noted before; raises EngineError without one."""
        ...

    def activate(self, collection: str, version: str) -> None:
        """Let this version answer from now on, in one atomic step; raises EngineError when it is not finished."""
        ...

    def delete(self, collection: str, version: str) -> None:
        """Remove a version that is not active; raises EngineError for the active one."""
        ...

    def clean_up(self, collection: str) -> list[str]:
        """Remove what interrupted builds left behind; names of what was removed."""
        ...

    def health(self, collections: Sequence[str]) -> list[Finding]:
        """How the engine and these collections are, never an exception; changes nothing.

        A collection without a finding could not be looked at, for a reason that a bad finding of the engine gives.
        """
        ...
