"""Scores by the book from what a hit brings."""

from __future__ import annotations

import numpy as np
import pytest

from kaijuan.engines.opensearch.documents import frequency, repeat_mark, repeats
from kaijuan.engines.opensearch.schema import lucene_parameters
from kaijuan.engines.opensearch.scoring import Holding, Scorer, idf
from kaijuan.engines.opensearch.stored_meta import Counts, Stored
from kaijuan.text import analyze
from tests.engines.builders import META

STORED = Stored("i", "v0001", "m", META, Counts(1000, 50, 200_000))


@pytest.mark.parametrize(
    "text", ["退货，退货，再退货", "sf-3000 sf3000 SF SF", "税 税 税收", "a-b a b", "x" * 300 + " " + "x" * 300, ""]
)
def test_frequencies_are_those_of_the_analysis(text: str) -> None:
    analysis = analyze(text)
    tokens = (*analysis.terms, *analysis.extras)
    kept = repeats(analysis)
    for token in {token for token in tokens if len(token) <= 256}:
        assert frequency(repeat_mark(token), kept) == tokens.count(token), token


def test_a_token_is_not_found_inside_another() -> None:
    assert frequency(repeat_mark("退"), " 退货=3 ") == 1
    assert frequency(repeat_mark("货"), " 退货=3 ") == 1
    assert frequency(repeat_mark("3000"), " sf-3000=4 3000=12 ") == 12
    assert frequency(repeat_mark("a"), " ") == 1


@pytest.mark.parametrize("length", [1, 41, 40_000])
@pytest.mark.parametrize(("k1", "b"), [(None, None), (0.0, 0.75), (2.0, 0.0), (0.5, 1.0)])
def test_scores_follow_the_formula(length: int, k1: float | None, b: float | None) -> None:
    scorer = Scorer(STORED, ["退货", "没有", "运费"], {"退货": 30, "没有": 0, "运费": 9}, k1, b)
    [none, terms] = scorer.shares([Holding((), length, " "), Holding((0, 2), length, " 运费=57 ")])
    assert none == ()
    assert [term.term for term in terms] == ["退货", "运费"]
    k1, b = 1.2 if k1 is None else k1, 0.75 if b is None else b
    norm = k1 * (1.0 - b + b * (length / 200.0))
    for term, held, count in zip(terms, (30, 9), (1, 57), strict=True):
        assert term.score == float(np.float32(idf(1000, held) * (count * (k1 + 1.0) / (count + norm))))
    assert scorer.weights[1] == idf(1000, 0) > 0
    assert scorer.shares([]) == []


def test_the_usual_parameters_are_those_in_the_readme() -> None:
    assert lucene_parameters(1.2, 0.75) == pytest.approx((2.19, 0.863014))
    assert lucene_parameters(0.0, 0.0) == (0.0, 0.0)
