"""The offline reranker: features that the legs have already computed, 0.2 ms for 40 candidates.

score = 0.5 · bm25 / best bm25
      + 0.5 · (cos − cos of the last vector hit) / (best cos − cos of the last vector hit), clipped to [−1, 1]
      + 0.3 · idf share of the question's Latin and number words that the passage holds

Weights chosen on two public sets and checked on a third; see docs/measurements.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from kaijuan.text import code_words
from kaijuan.types import Candidate, Hit

KEYWORD_WEIGHT = 0.5
VECTOR_WEIGHT = 0.5
CODE_WEIGHT = 0.3


class FeatureReranker:
    """Reranks by the legs' own scores; a score that the engine does not know counts as 0."""

    name = "feature"

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: Sequence[Hit], term_weights: dict[str, float]
    ) -> list[float]:
        """See Reranker.scores."""
        best_keyword = max((c.keyword_score or 0.0 for c in candidates), default=0.0)
        best_cosine = vector_hits[0].score if vector_hits else 0.0
        last_cosine = vector_hits[-1].score if vector_hits else 0.0
        codes = {word: term_weights[word] for word in code_words(question) if word in term_weights}
        return [
            KEYWORD_WEIGHT * _share(candidate.keyword_score, best_keyword)
            + VECTOR_WEIGHT * _position(candidate.vector_score, last_cosine, best_cosine)
            + CODE_WEIGHT * _held(candidate, codes)
            for candidate in candidates
        ]


def _share(score: float | None, best: float) -> float:
    return score / best if score and best > 0.0 else 0.0


def _position(cosine: float | None, last: float, best: float) -> float:
    """Where a cosine lies between the last and the best vector hit: 0 and 1."""
    if cosine is None or best <= last:
        return 0.0 if cosine is None else 1.0
    return max(-1.0, min(1.0, (cosine - last) / (best - last)))


def _held(candidate: Candidate, codes: dict[str, float]) -> float:
    total = sum(codes.values())
    if total <= 0.0:
        return 0.0
    held = {share.term for share in candidate.terms}
    return sum(weight for word, weight in codes.items() if word in held) / total
