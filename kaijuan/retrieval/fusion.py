"""Reciprocal rank fusion: share of a leg = 1 / (k + rank), ranks from 1, summed over the legs.

Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods" (2009).
Ranks are fused, never scores: the legs' scales have nothing to do with each other.

>>> [(f.id, round(f.score, 5)) for f in fuse([["a", "b", "c"], ["c", "d", "a"]], k=60)]
[('a', 0.03227), ('c', 0.03227), ('b', 0.01613), ('d', 0.01613)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fused:
    """One fused id: its score, its rank in each leg (None where a leg lacks it) and each leg's share."""

    id: str
    score: float
    ranks: tuple[int | None, ...]
    shares: tuple[float, ...]


def fuse(legs: Sequence[Sequence[str]], k: int = 60) -> list[Fused]:
    """Fuse lists of ids (best first), ordered by (-score, id).

    A double inside a leg counts once, at its better place, and the ids behind it move up. Raises ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"k of reciprocal rank fusion is {k}; it must be 1 or more")
    ranks = [{id_: rank for rank, id_ in enumerate(dict.fromkeys(leg), start=1)} for leg in legs]
    fused = []
    for id_ in {id_ for leg in ranks for id_ in leg}:
        own = tuple(leg.get(id_) for leg in ranks)
        shares = tuple(0.0 if rank is None else 1.0 / (k + rank) for rank in own)
        # Summed in order of size, so that mirrored ranks give the same float whichever leg came first.
        fused.append(Fused(id_, sum(sorted(shares)), own, shares))
    return sorted(fused, key=lambda f: (-f.score, f.id))
