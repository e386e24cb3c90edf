"""The best k of an array of scores, ties decided by an order given beforehand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32] | NDArray[np.float64]
Ordinals = NDArray[np.intp]

#: Groups whose best scores are compared, for each hit wanted.
_GROUPS_PER_HIT = 8
#: Scores a group from which on grouping is faster than a partition of all.
_WORTH_IT = 24


def contenders(scores: Scores, size: int, above: float, slack: float = 0.0) -> Ordinals:
    """Positions, ascending, of all scores above `above` that are among the `size` best, with everything that ties.

    With `slack`, also those that come within it of the last place. A few that are not among the best may be there too.
    """
    if size <= 0 or not len(scores):
        return np.empty(0, dtype=np.intp)
    floor = _reached(scores, min(size, len(scores))) - slack
    return np.flatnonzero(scores > above if floor <= above else scores >= floor)


def ordered(ordinals: Ordinals, scores: Scores, size: int, tie_order: NDArray[np.int32]) -> Ordinals:
    """Where in `ordinals` its best `size` stand, best first, ties by `tie_order`; `scores` belong to `ordinals`."""
    return np.lexsort((tie_order[ordinals], -scores))[:size]


def _reached(scores: Scores, size: int) -> float:
    """A score that at least `size` scores reach, close to the size-th best.

    The size-th best among the best scores of disjoint groups is one; it takes a fraction of the time of a partition.
    """
    groups = _GROUPS_PER_HIT * size
    rows = len(scores) // groups
    if rows >= _WORTH_IT:
        scores = scores[: rows * groups].reshape(rows, groups).max(axis=0)
    return float(np.partition(scores, len(scores) - size)[len(scores) - size])
