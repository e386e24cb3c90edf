"""Timing in interleaved rounds: every subject answers the same questions in turn, so that a busy machine slows all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

#: Questions in a row by one subject before the next one has its turn.
BATCH = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds a question: median and 95th percentile over all rounds, and the median of each round."""

    p50: float
    p95: float
    rounds: tuple[float, ...]

    def ratio(self, other: Timing) -> float:
        """Median over the rounds of this one's median by the other's in the same round."""
        return float(np.median(np.array(self.rounds) / np.array(other.rounds)))


def measure(subjects: dict[str, Callable[[int], object]], questions: int, label: str) -> dict[str, Timing]:
    """Time every subject on questions 0 … `questions` − 1, each asked once, after a short warm-up on the first ones.

    A round is one batch of questions; the subject that begins changes from round to round.
    """
    names = list(subjects)
    for name in names:
        for question in range(min(3, questions)):
            subjects[name](question)
    taken: dict[str, list[list[float]]] = {name: [] for name in names}
    batches = [range(start, min(start + BATCH, questions)) for start in range(0, questions, BATCH)]
    for number, batch in enumerate(tqdm(batches, desc=label, unit="round", leave=False)):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            taken[name].append([_seconds(subjects[name], question) for question in batch])
    return {name: _timing(rounds) for name, rounds in taken.items()}


def _seconds(subject: Callable[[int], object], question: int) -> float:
    start = time.perf_counter()
    subject(question)
    return time.perf_counter() - start


def _timing(rounds: Sequence[Sequence[float]]) -> Timing:
    everything = np.concatenate([np.asarray(r) for r in rounds]) * 1000
    medians = tuple(float(np.median(r)) * 1000 for r in rounds)
    return Timing(float(np.median(everything)), float(np.percentile(everything, 95)), medians)
