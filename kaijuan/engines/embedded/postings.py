"""The keyword leg: BM25 over memory-mapped postings whose impacts were computed when they were written.

Impacts are float32 and are summed in double precision. Such a sum is exact whatever its order, so equal chunks get
equal scores, and the shares of a hit add up to its score to the last bit.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaijuan.engines.embedded.arrays import map_array
from kaijuan.engines.embedded.bm25 import Doubles, Floats, Ints, idf, saturation
from kaijuan.engines.embedded.postings_writer import term_key

#: Postings of one question for which a thread keeps its working memory; longer ones get fresh memory each time.
_KEPT = 1 << 20


class TermPostings(NamedTuple):
    """One term's chunks (ascending) and its impact on the score of each; both empty where no chunk holds it."""

    term: str
    chunks: Ints
    impacts: Floats

    def shares(self, chunks: Ints) -> Floats:
        """This term's share of the score of each of these chunks, 0 where a chunk does not hold it."""
        if not len(self.chunks):
            return np.zeros(len(chunks), dtype=np.float32)
        at = self.chunks.searchsorted(chunks)
        held = self.chunks.take(at, mode="clip") == chunks
        shares: Floats = self.impacts.take(at, mode="clip") * held
        return shares


class Postings:
    """Read side: what the chunks hold of a question's terms."""

    def __init__(self, folder: Path, chunks: int, k1: float, b: float) -> None:
        """Open the postings of a build of this many chunks; raises ValueError when the files do not fit together."""
        self._keys, self._offsets = map_array(folder / "term.keys.u64"), map_array(folder / "post.off.i64")
        self._chunks, self._counts = map_array(folder / "post.chunks.i32"), map_array(folder / "post.counts.i32")
        self._impacts, self._lengths = map_array(folder / "post.impacts.f32"), map_array(folder / "lengths.i32")
        self._k1, self._b = k1, b
        self._memory = threading.local()
        sizes = {len(self._chunks), len(self._counts), len(self._impacts), int(self._offsets[-1])}
        if len(sizes) > 1 or len(self._lengths) != chunks or len(self._offsets) != len(self._keys) + 1:
            raise ValueError("posting files of different builds")

    def lookup(self, terms: Sequence[str], k1: float | None = None, b: float | None = None) -> list[TermPostings]:
        """Postings of each term, in the order given."""
        if not terms or not len(self._keys):
            return [self._nothing(term) for term in terms]
        wanted = np.array([term_key(term) for term in terms], dtype=np.uint64)
        numbers = self._keys.searchsorted(wanted)
        known = (self._keys.take(numbers, mode="clip") == wanted).tolist()
        starts = self._offsets.take(numbers, mode="clip").tolist()
        ends = self._offsets.take(numbers + 1, mode="clip").tolist()
        written = (k1 is None or k1 == self._k1) and (b is None or b == self._b)
        found = []
        for term, held, start, end in zip(terms, known, starts, ends, strict=True):
            if not held:
                found.append(self._nothing(term))
                continue
            chunks = self._chunks[start:end]
            impacts = self._impacts[start:end] if written else self._impacts_for(slice(start, end), k1, b)
            found.append(TermPostings(term, chunks, impacts))
        return found

    def scores(self, postings: Sequence[TermPostings]) -> Doubles:
        """Scores of all chunks, shape (chunks,) float64, 0 where no term occurs; the caller may change them."""
        total = sum(len(term.chunks) for term in postings)
        if not total:
            return np.zeros(len(self._lengths))
        chunks, impacts = self._working_memory(total)
        np.concatenate([term.chunks for term in postings], out=chunks)
        np.concatenate([term.impacts for term in postings], out=impacts)
        scores: Doubles = np.bincount(chunks, impacts, len(self._lengths))  # type: ignore[assignment]  # weighted: float
        return scores

    def weight(self, frequency: int) -> float:
        """idf of a term that this many chunks hold."""
        return idf(len(self._lengths), frequency)

    def _nothing(self, term: str) -> TermPostings:
        return TermPostings(term, self._chunks[:0], self._impacts[:0])

    def _impacts_for(self, span: slice, k1: float | None, b: float | None) -> Floats:
        chunks = self._chunks[span]
        tf = saturation(
            self._counts[span],
            self._lengths[chunks],
            float(self._lengths.mean()),
            self._k1 if k1 is None else k1,
            self._b if b is None else b,
        )
        return (self.weight(len(chunks)) * tf).astype(np.float32)

    def _working_memory(self, size: int) -> tuple[NDArray[np.intp], Doubles]:
        """Two arrays of this size; fresh ones cost more than the arithmetic, because the system clears every page."""
        kept: tuple[NDArray[np.intp], Doubles] | None = getattr(self._memory, "arrays", None)
        if kept is None or len(kept[0]) < size:
            kept = np.empty(size, dtype=np.intp), np.empty(size, dtype=np.float64)
            if size <= _KEPT:
                self._memory.arrays = kept
        return kept[0][:size], kept[1][:size]
