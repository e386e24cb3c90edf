"""How near two texts are for one answer: embedding cosine where there is a model, shared terms where there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kaijuan.errors import KaijuanError
from kaijuan.models.base import Embedder, Vector
from kaijuan.text import analyze, clean


class Similarity:
    """Compares texts with a question; each text is embedded once in the life of the object (one answer)."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}

    @property
    def available(self) -> bool:
        """Whether there is an embedding model behind it."""
        return self._embedder is not None

    def cosine(self, first: str, second: str) -> float:
        """Cosine of two texts; 0.0 without a model, or once it has failed (retrieval has said so by then)."""
        if self._embedder is None:
            return 0.0
        try:
            return float(self._vector(self._embedder, first) @ self._vector(self._embedder, second))
        except KaijuanError:
            self._embedder = None
            return 0.0

    def _vector(self, embedder: Embedder, text: str) -> Vector:
        text = clean(text)
        if text not in self._vectors:
            self._vectors[text] = embedder.query(text)
        return self._vectors[text]


def term_weights(terms: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """idf of the question's terms; a term that the engine did not weigh counts as rare.

    None weighs less than 1: in a small collection every document may hold a word that still says what is asked.
    """
    rarest = max(weights.values(), default=1.0)
    return {term: max(1.0, weights.get(term, rarest)) for term in terms}


def covered(weights: Mapping[str, float], text: str) -> float:
    """Share of the question's term weight that a text holds, 0 to 1."""
    total = math.fsum(weights.values())
    if total <= 0.0:
        return 0.0
    analysis = analyze(text)
    held = {*analysis.terms, *analysis.extras}
    return math.fsum(weight for term, weight in weights.items() if term in held) / total
