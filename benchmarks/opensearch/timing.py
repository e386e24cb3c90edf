"""Timing question by question: every subject answers each question in an order drawn anew, so that nobody profits from the one before."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

#: Answers the question of a number; the seconds it took.
Subject = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of one subject, shape (rounds, questions); the same places in another subject's are the same questions."""

    seconds: np.ndarray

    def percentile(self, of: float) -> float:
        """A percentile over all questions and rounds, in milliseconds."""
        return float(np.percentile(self.seconds, of)) * 1000

    def ratio(self, other: Taken) -> float:
        """This one's median by the other's."""
        return float(np.median(self.seconds) / np.median(other.seconds))

    def ratio_range(self, other: Taken) -> tuple[float, float]:
        """Lowest and highest ratio of the medians of a single round."""
        ratios = np.median(self.seconds, axis=1) / np.median(other.seconds, axis=1)
        return float(ratios.min()), float(ratios.max())


def clocked(answer: Callable[[int], object]) -> Subject:
    """A subject that is timed in this process."""

    def subject(question: int) -> float:
        start = time.perf_counter()
        answer(question)
        return time.perf_counter() - start

    return subject


def interleaved(
    subjects: Mapping[str, Subject], questions: Sequence[int], rounds: int, seed: int, label: str
) -> dict[str, Taken]:
    """Ask every question of every subject in each round; the order of questions and of subjects is random."""
    draw = random.Random(seed)
    taken = {name: np.empty((rounds, len(questions))) for name in subjects}
    for number in range(rounds):
        print(f"{label}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for place in draw.sample(range(len(questions)), len(questions)):
            for name in draw.sample(list(subjects), len(subjects)):
                taken[name][number, place] = subjects[name](questions[place])
    return {name: Taken(seconds) for name, seconds in taken.items()}
