"""One finished build, opened: memory-mapped, read-only, safe to share between threads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kaijuan.engines.base import KeywordQuery, SearchResult, VectorQuery
from kaijuan.engines.embedded.arrays import map_array
from kaijuan.engines.embedded.bm25 import Doubles
from kaijuan.engines.embedded.chunk_store import ChunkStore
from kaijuan.engines.embedded.columns import from_columns
from kaijuan.engines.embedded.meta_file import read_meta
from kaijuan.engines.embedded.postings import Postings, TermPostings
from kaijuan.engines.embedded.ranking import Ordinals, contenders, ordered
from kaijuan.errors import EngineError, IndexMismatch
from kaijuan.models.base import Vector
from kaijuan.types import Hit, TermScore, Viewer

#: Generously above the rounding error of a float32 product of unit vectors.
_ROUNDING = 1e-6
_NONE: Ordinals = np.empty(0, dtype=np.intp)


def _open_count(term: TermPostings, closed: NDArray[np.bool_] | None) -> int:
    """How many chunks open to the viewer hold a term: a weight must not tell of a document that they may not read."""
    return len(term.chunks) if closed is None else int(np.count_nonzero(~closed[term.chunks]))


class Snapshot:
    """Searches one build."""

    def __init__(self, folder: Path) -> None:
        """Open a build; raises IndexMismatch for another format, OSError, EOFError, ValueError … for a damaged one."""
        self.version = folder.name
        self.meta, self.chunks, self.documents = read_meta(folder)
        self.store = ChunkStore(folder, self.chunks)
        self.postings = Postings(folder, self.chunks, self.meta.k1, self.meta.b)
        self._vectors: Vector | None = None
        if self.meta.embedder is not None:
            self._vectors = map_array(folder / "vectors.f32").reshape(self.chunks, self.meta.dims)

    def search(self, keyword: KeywordQuery | None, vector: VectorQuery | None, viewer: Viewer) -> SearchResult:
        """Both legs; each hit also carries the score that the other leg would give it."""
        closed = self.store.closed(viewer)
        postings: list[TermPostings] = []
        scores: Doubles | None = None
        by_keyword = by_vector = _NONE
        cosines: Vector | None = None
        if keyword is not None:
            postings = self.postings.lookup(keyword.terms, keyword.k1, keyword.b)
            scores, by_keyword = self.rank_keyword(postings, keyword.size, closed)
        if vector is not None:
            by_vector, cosines = self._rank_vector(self._checked(vector), vector.size, closed, by_keyword)
        ordinals = np.concatenate([by_keyword, by_vector])
        chunks = [self.store[n] for n in ordinals.tolist()]
        terms = self._term_scores(postings, ordinals)
        unknown: list[float | None] = [None] * len(ordinals)
        bm25 = unknown if scores is None else scores[ordinals].tolist()
        cosine = unknown if cosines is None else cosines.tolist()
        k, v = slice(len(by_keyword)), slice(len(by_keyword), None)
        return SearchResult(
            version=self.version,
            keyword=tuple(from_columns(Hit, chunks[k], range(1, len(by_keyword) + 1), bm25[k], cosine[k], terms[k])),
            vector=tuple(from_columns(Hit, chunks[v], range(1, len(by_vector) + 1), cosine[v], bm25[v], terms[v])),
            term_weights={term.term: self.postings.weight(_open_count(term, closed)) for term in postings},
        )

    def rank_keyword(
        self, postings: Sequence[TermPostings], size: int, closed: NDArray[np.bool_] | None
    ) -> tuple[Doubles, Ordinals]:
        """Keyword scores of all chunks (-inf where closed) and the ordinals of the best `size`, best first."""
        scores = self.postings.scores(postings)
        if closed is not None:
            scores[closed] = -np.inf
        best = contenders(scores, size, above=0.0)
        return scores, best[ordered(best, scores[best], size, self.store.tie_order)]

    def _rank_vector(
        self, question: Vector, size: int, closed: NDArray[np.bool_] | None, others: Ordinals
    ) -> tuple[Ordinals, Vector]:
        """The ordinals of the best `size`, best first, and the cosines of `others` and of these, end to end."""
        assert self._vectors is not None, "checked before"
        rough: Vector = self._vectors @ question
        if closed is not None:
            rough[closed] = -np.inf
        best = contenders(rough, size, above=-np.inf, slack=_ROUNDING)
        if not len(best) and not np.isfinite(question).all():
            raise EngineError("问题的向量含有非有限数值，请检查嵌入模型的文件后重试。")
        # A matrix product rounds a row by its place among the others, which would part passages that say the same;
        # these cosines depend on the two vectors alone.
        exact: Vector = np.vecdot(self._vectors[np.concatenate([others, best])], question)
        own = exact[len(others) :]
        places = ordered(best, own, size, self.store.tie_order)
        return best[places], np.concatenate([exact[: len(others)], own[places]])

    def _checked(self, vector: VectorQuery) -> Vector:
        question = np.asarray(vector.vector, dtype=np.float32)
        meta = self.meta
        if self._vectors is None or question.shape != (meta.dims,):
            raise IndexMismatch(
                f"索引 {meta.collection} 的向量为 {meta.dims} 维（{meta.embedder or '无模型'}），"
                f"问题的向量形状是 {question.shape}，请运行 python -m ingest {meta.collection} 重建。"
            )
        return question

    def _term_scores(self, postings: Sequence[TermPostings], ordinals: NDArray[np.intp]) -> list[tuple[TermScore, ...]]:
        """Each chunk's terms with their shares, in the order of the question."""
        held = [term for term in postings if len(term.chunks)]
        if not held or not len(ordinals):
            return [()] * len(ordinals)
        chunks = ordinals.astype(np.int32)
        shares = np.stack([term.shares(chunks) for term in held], axis=1)
        rows, columns = np.nonzero(shares)
        names = [held[column].term for column in columns.tolist()]
        scores = from_columns(TermScore, names, shares[rows, columns].tolist())
        ends = np.count_nonzero(shares, axis=1).cumsum().tolist()
        return [tuple(scores[start:end]) for start, end in pairwise([0, *ends])]
