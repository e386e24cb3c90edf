"""Reciprocal rank fusion, the field cases included."""

import json
import random
from typing import Any

import pytest

from kaijuan.retrieval.context import without_repeats
from kaijuan.retrieval.fusion import fuse
from kaijuan.settings import ROOT
from kaijuan.types import Chunk

CASES = [
    case
    for line in (ROOT / "tests/field/cases.jsonl").read_text(encoding="utf-8").splitlines()
    if (case := json.loads(line))["kind"].startswith("fuse.")
]


def test_there_are_field_cases() -> None:
    assert len(CASES) >= 4


@pytest.mark.parametrize("case", [c for c in CASES if "lists" in c["input"]], ids=lambda case: case["id"])
def test_field_case(case: dict[str, Any]) -> None:
    lists, k, exact = case["input"]["lists"], case["input"]["k"], case["expect"]["exact"]
    fused = fuse(lists, k)
    scores = {f.id: f.score for f in fused}
    for name, score in exact["scores"].items():
        assert scores[name] == pytest.approx(score, abs=5e-7)
    assert [f.id for f in fuse(lists[::-1], k)] == [f.id for f in fused]
    if "tie" in exact:
        first, second = exact["tie"]
        assert scores[first] == scores[second]
    assert fused[0].id == exact.get("first", fused[0].id)
    assert fused[-1].id == exact.get("last", fused[-1].id)
    assert len(fused) == exact.get("length", len(fused))


@pytest.mark.parametrize("case", [c for c in CASES if "candidates" in c["input"]], ids=lambda case: case["id"])
def test_neighbours_repeat_no_sentence(case: dict[str, Any]) -> None:
    rows = case["input"]["candidates"]
    texts = without_repeats([Chunk(row["id"], row["id"].partition("#")[0], "", row["text"]) for row in rows])
    for sentence, copies in case["expect"]["exact"]["max_copies"].items():
        assert "".join(texts).count(sentence) == copies
    assert texts[0] == rows[0]["text"]


@pytest.mark.parametrize("seed", range(20))
def test_shares_add_up_and_the_order_is_decided(seed: int) -> None:
    rng = random.Random(seed)
    legs = [[f"d{rng.randrange(40)}" for _ in range(rng.randrange(30))] for _ in range(rng.randrange(1, 4))]
    k = rng.choice([1, 60, 1000])
    fused = fuse(legs, k)
    assert {f.id for f in fused} == {name for leg in legs for name in leg}
    assert [(f.score, f.id) for f in fused] == sorted(((f.score, f.id) for f in fused), key=lambda p: (-p[0], p[1]))
    for f in fused:
        assert sum(sorted(f.shares)) == f.score
        for rank, share, leg in zip(f.ranks, f.shares, legs, strict=True):
            distinct = list(dict.fromkeys(leg))
            assert rank == (distinct.index(f.id) + 1 if f.id in distinct else None)
            assert share == (0.0 if rank is None else 1 / (k + rank))


def test_empty_legs_and_a_senseless_k() -> None:
    assert fuse([]) == fuse([[], []]) == []
    assert [f.id for f in fuse([[], ["a"]])] == ["a"]
    with pytest.raises(ValueError, match="0"):
        fuse([["a"]], k=0)
