"""Exact BM25 over the hits that Lucene chose, so that both engines give a passage the same score to the last bit.

Lucene ranks by its own BM25, in which a passage's length is kept in one byte. The hits bring their true length, which
terms they hold (named queries) and which tokens stand in them more than once, so the formula of the embedded engine is
computed anew:

score(d) = Σ idf(t) · f·(k1+1) / (f + k1·(1 - b + b·len(d)/avglen)),  idf(t) = ln(1 + (N - n + 0.5)/(n + 0.5))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kaijuan.engines.opensearch.documents import frequency, repeat_mark, stored_term
from kaijuan.engines.opensearch.stored_meta import Stored
from kaijuan.types import TermScore


class Holding(NamedTuple):
    """What a hit holds of a question: the places of its terms in the question, its length, its repeated tokens."""

    places: Sequence[int]
    length: int
    repeats: str


def idf(documents: int, frequency: int) -> float:
    """Weight of a term that `frequency` of `documents` chunks hold."""
    return math.log1p((documents - frequency + 0.5) / (frequency + 0.5))


class Scorer:
    """Scores of one question in one build: its terms, and the k1 and b to score with."""

    def __init__(
        self, stored: Stored, terms: Sequence[str], frequencies: Mapping[str, int], k1: float | None, b: float | None
    ) -> None:
        """`frequencies` says how many chunks hold each term."""
        counts = stored.counts
        self._terms = terms
        self._marks = [repeat_mark(stored_term(term)) for term in terms]
        self._k1 = stored.meta.k1 if k1 is None else k1
        self._b = stored.meta.b if b is None else b
        self._average = max(counts.terms / max(counts.chunks, 1), 1.0)
        #: idf of each term.
        self.weights = [idf(counts.chunks, frequencies[term]) for term in terms]

    def shares(self, holdings: Sequence[Holding]) -> list[tuple[TermScore, ...]]:
        """Each hit's terms with their shares, in the order of the question."""
        k1, b, average = self._k1, self._b, self._average
        marks, weights = self._marks, self.weights
        exact = []
        for places, length, repeated in holdings:
            # Operation for operation as kaijuan.engines.embedded.bm25 computes it, down to float32 at the end.
            lengthy = k1 * (1.0 - b + b * (length / average))
            for n in places:
                count = frequency(marks[n], repeated)
                exact.append(weights[n] * (count * (k1 + 1.0) / (count + lengthy)))
        scores = iter(np.array(exact, dtype=np.float32).tolist())
        terms = self._terms
        return [tuple([TermScore(terms[n], next(scores)) for n in holding.places]) for holding in holdings]
