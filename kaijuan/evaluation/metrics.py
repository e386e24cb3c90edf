"""Retrieval metrics over ranked ids, best first; doubles count once, at their better place.

recall@k = share of a question's gold among the first k distinct ids; hit@k = any gold there; MRR = mean of 1/rank of
the first gold within 20, else 0. A question without gold is never scored.

>>> recall(["a", "b"], ["a", "a", "x"], 5), reciprocal_rank(["b"], ["a", "b"])
(0.5, 0.5)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

MRR_DEPTH = 20


def recall(gold: Iterable[str], ranked: Sequence[str], k: int) -> float:
    """Share of the gold ids among the first k distinct ranked ids; raises ValueError without gold."""
    wanted = set(gold)
    if not wanted:
        raise ValueError("a question without gold has no recall")
    return len(wanted.intersection(_first(ranked, k))) / len(wanted)


def hit(gold: Iterable[str], ranked: Sequence[str], k: int) -> float:
    """1.0 when any gold id is among the first k distinct ranked ids, else 0.0."""
    return float(not set(gold).isdisjoint(_first(ranked, k)))


def reciprocal_rank(gold: Iterable[str], ranked: Sequence[str], depth: int = MRR_DEPTH) -> float:
    """1/rank of the first gold id within `depth`, else 0.0."""
    wanted = set(gold)
    return next((1.0 / rank for rank, id_ in enumerate(_first(ranked, depth), start=1) if id_ in wanted), 0.0)


def _first(ranked: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(ranked))[:k]


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """The four figures of one question under one ranking."""

    recall5: float
    recall20: float
    rr: float
    hit5: float


def score(gold: Iterable[str], ranked: Sequence[str]) -> QuestionScores:
    """All figures of one question."""
    wanted = tuple(gold)
    return QuestionScores(
        recall(wanted, ranked, 5), recall(wanted, ranked, 20), reciprocal_rank(wanted, ranked), hit(wanted, ranked, 5)
    )


def mean(values: Sequence[float]) -> float | None:
    """Mean, None for nothing measured."""
    return sum(values) / len(values) if values else None


def bootstrap(differences: Sequence[float], rounds: int = 2000, seed: int = 7) -> tuple[float, float] | None:
    """95 % interval of the mean of paired differences (percentile bootstrap), None for nothing measured.

    Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13. Same seed, same interval.
    """
    if not differences:
        return None
    values = np.asarray(differences, dtype=np.float64)
    picks = np.random.default_rng(seed).integers(0, len(values), size=(rounds, len(values)))
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
