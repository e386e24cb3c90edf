"""How near two texts are for one answer: embedding cosine where there is a model, shared terms where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kaijuan.errors import KaijuanError
from kaijuan.models.base import Embedder, Vector
from kaijuan.text import analyze, clean, query_terms
from kaijuan.types import Trace


class Similarity:
    """Cosines for one answer: of what is asked with sentences of sources, and of such sentences with each other.

    Both are 0.0 without a model, or once it has failed (retrieval has said so by then).
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    @property
    def available(self) -> bool:
        """Whether there is an embedding model behind it."""
        return self._embedder is not None

    def near(self, asked: str, sentence: str) -> float:
        """Cosine of a question, or a part of one, with a sentence of a source."""
        return self._cosine(lambda model: model.query(clean(asked)), lambda model: _sentence(model, sentence))

    def alike(self, first: str, second: str) -> float:
        """Cosine of two sentences of sources."""
        return self._cosine(lambda model: _sentence(model, first), lambda model: _sentence(model, second))

    def _cosine(self, first: Callable[[Embedder], Vector], second: Callable[[Embedder], Vector]) -> float:
        if self._embedder is None:
            return 0.0
        try:
            return float(first(self._embedder) @ second(self._embedder))
        except KaijuanError:
            self._embedder = None
            return 0.0


def titled(title: str, text: str) -> str:
    """A sentence as it is compared: under its document's title, which names what it speaks of."""
    return text if title in text else f"{title}：{text}"


def _sentence(embedder: Embedder, text: str) -> Vector:
    return embedder.sentence(clean(text))


def term_weights(terms: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """idf of the question's terms; a term that the engine did not weigh counts as rare.

    None weighs less than 1: in a small collection every document may hold a word that still says what is asked.
    """
    rarest = max(weights.values(), default=1.0)
    return {term: max(1.0, weights.get(term, rarest)) for term in terms}


def spoken_weights(trace: Trace) -> dict[str, float]:
    """Weights of what the passages are asked to speak to: the question's terms, of a word that none of them holds those of
    the synonym that the best of them holds instead.
    """
    terms = trace.terms
    if trace.synonyms:
        held = [{share.term for share in candidate.terms} for candidate in trace.candidates]
        everywhere: set[str] = set().union(*held)
        for word in dict.fromkeys(one.word for one in trace.synonyms):
            unheld = set(query_terms(word)) - everywhere
            others = [one.terms for one in trace.synonyms if one.word == word]
            found = next((other for here in held for other in others if here.issuperset(other)), ())
            if unheld and found:
                terms = tuple(dict.fromkeys((*(term for term in terms if term not in unheld), *found)))
    return term_weights(terms, trace.term_weights)


def covered(weights: Mapping[str, float], text: str) -> float:
    """Share of the question's term weight that a text holds, 0 to 1."""
    total = math.fsum(weights.values())
    if total <= 0.0:
        return 0.0
    analysis = analyze(text)
    held = {*analysis.terms, *analysis.extras}
    return math.fsum(weight for term, weight in weights.items() if term in held) / total
