"""The best k against sorting everything."""

import numpy as np
import pytest

from kaijuan.engines.embedded.ranking import contenders, ordered


def best(scores: np.ndarray, size: int, ties: np.ndarray, above: float) -> list[int]:
    found = contenders(scores, size, above)
    return found[ordered(found, scores[found], size, ties)].tolist()


def by_sorting(scores: np.ndarray, size: int, ties: np.ndarray, above: float) -> list[int]:
    order = sorted(range(len(scores)), key=lambda n: (-scores[n], ties[n]))
    return [n for n in order if scores[n] > above][:size]


@pytest.mark.parametrize("seed", range(30))
def test_same_as_sorting_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(0, 20_000))
    scores = rng.choice([rng.random(count), rng.integers(0, 5, count) / 4, np.zeros(count)]).astype(np.float32)
    scores[rng.random(count) < rng.choice([0.0, 0.5, 1.0])] = -np.inf
    ties = rng.permutation(count).astype(np.int32)
    for size in [0, 1, 7, 50, count // 2, count, count + 1]:
        for above in [-np.inf, 0.0]:
            assert best(scores, size, ties, above) == by_sorting(scores, size, ties, above), (size, above)


def test_slack_keeps_what_comes_close_to_the_last_place() -> None:
    scores = np.array([0.5, 0.5 - 1e-7, 0.4, 0.9], dtype=np.float32)
    assert contenders(scores, 2, -np.inf).tolist() == [0, 3]
    assert contenders(scores, 2, -np.inf, slack=1e-6).tolist() == [0, 1, 3]
