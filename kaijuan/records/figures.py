"""Figures that say how much they rest on: a share with its whole, a spread with its count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class Spread:
    """Middle, near-worst and largest of `count` values; None where there are none."""

    count: int = 0
    p50: float | None = None
    p95: float | None = None
    most: float | None = None


def spread(values: Sequence[float]) -> Spread:
    """Percentiles by nearest rank: each is one of the values, the smallest that at least so many do not exceed.

    >>> spread([5.0, 1.0, 2.0, 3.0])
    Spread(count=4, p50=2.0, p95=5.0, most=5.0)
    """
    if not values:
        return Spread()
    ordered = sorted(values)
    return Spread(len(ordered), _percentile(ordered, 50), _percentile(ordered, 95), ordered[-1])


def _percentile(ordered: Sequence[float], percent: int) -> float:
    # Whole numbers, because 0.95 * 20 is a little more than 19 in floats.
    return ordered[(len(ordered) * percent + 99) // 100 - 1]
