"""Metrics by hand-worked examples and by what is true of every ranking."""

from __future__ import annotations

import random

import pytest

from kaijuan.evaluation.metrics import (
    MRR_DEPTH,
    QuestionScores,
    bootstrap,
    hit,
    mean,
    recall,
    reciprocal_rank,
    score,
)

# The eval.* kinds: gold, ranked, then recall@5, reciprocal rank and hit@5 as worked out by hand.
CASES = {
    "duplicate: half of the gold": (["A", "B"], ["A", "A", "X"], 0.5, 1.0, 1.0),
    "duplicate: never above 1": (["A"], ["A", "A", "A"], 1.0, 1.0, 1.0),
    "duplicate in the gold": (["A", "A"], ["A", "X"], 1.0, 1.0, 1.0),
    "doubles do not use up places": (["F"], ["A", "A", "A", "A", "A", "F"], 1.0, 0.5, 1.0),
    "empty ranking": (["A"], [], 0.0, 0.0, 0.0),
    "miss": (["Z"], ["A", "B"], 0.0, 0.0, 0.0),
    "cut-off: fifth is in": (["E"], list("ABCDE"), 1.0, 0.2, 1.0),
    "cut-off: sixth is out": (["F"], list("ABCDEF"), 0.0, 1 / 6, 0.0),
    "first of several counts": (["C", "B"], list("ABC"), 1.0, 0.5, 1.0),
}


@pytest.mark.parametrize(("gold", "ranked", "recall5", "rr", "hit5"), CASES.values(), ids=CASES)
def test_by_hand(gold: list[str], ranked: list[str], recall5: float, rr: float, hit5: float) -> None:
    assert recall(gold, ranked, 5) == pytest.approx(recall5)
    assert reciprocal_rank(gold, ranked) == pytest.approx(rr)
    assert hit(gold, ranked, 5) == hit5
    assert score(gold, ranked) == QuestionScores(recall(gold, ranked, 5), recall(gold, ranked, 20), rr, hit5)


def test_mrr_stops_at_its_depth() -> None:
    ranked = [str(n) for n in range(MRR_DEPTH + 1)]
    assert reciprocal_rank([ranked[MRR_DEPTH - 1]], ranked) == 1 / MRR_DEPTH
    assert reciprocal_rank([ranked[MRR_DEPTH]], ranked) == 0.0


def test_a_question_without_gold_is_never_scored() -> None:
    with pytest.raises(ValueError, match="without gold"):
        recall([], ["A"], 5)
    assert hit([], ["A"], 5) == reciprocal_rank([], ["A"]) == 0.0


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) is None
    assert mean([0.0]) == 0.0
    assert mean([1.0, 0.0, 0.5]) == 0.5


@pytest.mark.parametrize("seed", range(20))
def test_true_of_every_ranking(seed: int) -> None:
    rng = random.Random(seed)
    ids = [f"s{n}" for n in range(30)]
    gold, ranked = rng.sample(ids, rng.randrange(1, 4)), rng.choices(ids, k=rng.randrange(40))
    recalls = [recall(gold, ranked, k) for k in range(1, 31)]
    assert recalls == sorted(recalls) and recalls[0] >= 0.0 and recalls[-1] <= 1.0
    for k in (1, 5, 20):
        assert (recall(gold, ranked, k) > 0.0) == (hit(gold, ranked, k) == 1.0)
        assert recall(gold, list(dict.fromkeys(ranked)), k) == recall(gold, ranked, k)
    assert (reciprocal_rank(gold, ranked) > 0.0) == (hit(gold, ranked, MRR_DEPTH) == 1.0)
    # A gold id put in front can only help.
    assert score(gold, [gold[0], *ranked]).rr == 1.0


DIFFERENCES = [0.5, 0.0, 0.0, -0.5, 1.0, 0.0, 0.25, 0.0]


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    assert bootstrap(DIFFERENCES) == bootstrap(DIFFERENCES)
    assert bootstrap(DIFFERENCES, seed=1) == bootstrap(DIFFERENCES, seed=1) != bootstrap(DIFFERENCES, seed=2)


def test_the_interval_holds_the_mean_and_turns_with_the_sign() -> None:
    interval = bootstrap(DIFFERENCES)
    assert interval is not None
    low, high = interval
    assert low <= sum(DIFFERENCES) / len(DIFFERENCES) <= high
    assert low < 0.0 < high
    turned = bootstrap([-d for d in DIFFERENCES])
    assert turned is not None and list(turned) == pytest.approx([-high, -low])


def test_no_spread_no_width_and_nothing_measured_no_interval() -> None:
    assert bootstrap([0.25] * 10) == (0.25, 0.25)
    assert bootstrap([1.0]) == (1.0, 1.0)
    assert bootstrap([]) is None


def test_more_of_the_same_makes_it_narrower() -> None:
    few, many = bootstrap(DIFFERENCES), bootstrap(DIFFERENCES * 16)
    assert few is not None and many is not None
    assert many[1] - many[0] < few[1] - few[0]
