"""`fuse.*`: reciprocal rank fusion of lists of ids, and repeated sentences of neighbouring chunks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from kaijuan.retrieval.context import without_repeats
from kaijuan.retrieval.fusion import Fused, fuse
from kaijuan.settings import ROOT
from kaijuan.types import Chunk
from tests.field.cases import Case
from tests.field.outcome import Check, Mismatch, compare, equal
from tests.field.staging import Workshop

#: Other seeds of Python's string hash: an order that rests on sets or dictionaries of strings shows itself there.
_HASH_SEEDS = ("1", "2", "3")
_IN_ANOTHER_PROCESS = (
    "import json,sys; from kaijuan.retrieval.fusion import fuse; "
    "print(json.dumps([f.id for f in fuse(*json.load(sys.stdin))]))"
)


def run(case: Case, workshop: Workshop) -> None:
    """Fuse the lists, or leave out what the candidates repeat."""
    case.only_inputs("k", "lists", "candidates")
    checks: dict[str, Check] = {}
    if "lists" in case.input:
        checks |= _fusion_checks(case.input["lists"], int(case.input.get("k", 60)))
    if "candidates" in case.input:
        texts = without_repeats([_chunk(row, n) for n, row in enumerate(case.input["candidates"])])
        checks["max_copies"] = lambda wanted: _max_copies(wanted, texts)
    compare(case.exact, checks)


def _fusion_checks(lists: Sequence[Sequence[str]], k: int) -> dict[str, Check]:
    fused = fuse(lists, k)
    ids = [f.id for f in fused]
    return {
        "scores": lambda wanted: _scores(wanted, fused),
        "order": equal(ids),
        "first": equal(ids[0] if ids else None),
        "last": equal(ids[-1] if ids else None),
        "length": equal(len(ids)),
        "tie": lambda wanted: _tie(wanted, fused),
        "same_when_lists_swapped": equal(fuse(lists[::-1], k) == _mirrored(fused)),
        "runs": lambda runs: _same_every_time(int(runs), lists, k, ids),
    }


def _scores(wanted: dict[str, float], fused: Sequence[Fused]) -> None:
    got = {f.id: round(f.score, 6) for f in fused}
    for id_, score in wanted.items():
        if id_ not in got or abs(got[id_] - score) > 1e-6:
            raise Mismatch(f"score of {id_}", score, got.get(id_))


def _tie(wanted: list[str], fused: Sequence[Fused]) -> None:
    """Equal scores, and side by side in the order given."""
    tied = [f for f in fused if f.id in wanted]
    if len({f.score for f in tied}) != 1 or [f.id for f in tied] != list(wanted):
        raise Mismatch("no tie in this order", wanted, [(f.id, f.score) for f in tied])


def _mirrored(fused: Sequence[Fused]) -> list[Fused]:
    return [Fused(f.id, f.score, f.ranks[::-1], f.shares[::-1]) for f in fused]


def _same_every_time(runs: int, lists: Sequence[Sequence[str]], k: int, ids: list[str]) -> None:
    for _ in range(runs):
        if [f.id for f in fuse(lists, k)] != ids:
            raise Mismatch("the order changes from run to run")
    for seed in _HASH_SEEDS:
        result = subprocess.run(
            [sys.executable, "-c", _IN_ANOTHER_PROCESS],
            input=json.dumps([lists, k]),
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        if json.loads(result.stdout) != ids:
            raise Mismatch(f"the order changes with the string hash (seed {seed})", ids, result.stdout.strip())


def _max_copies(wanted: dict[str, int], texts: Sequence[str]) -> None:
    everything = "\n".join(texts)
    for sentence, most in wanted.items():
        if not 1 <= everything.count(sentence) <= most:
            raise Mismatch(f"copies of {sentence[:20]}…", f"1 to {most}", everything.count(sentence))


def _chunk(row: dict[str, Any], position: int) -> Chunk:
    """A candidate as a chunk of the document that its id names."""
    id_ = str(row["id"])
    source, _, number = id_.rpartition("#")
    place = int(number) if source and number.isdigit() else position
    return Chunk(id_, source or id_, str(row.get("title", "")), str(row["text"]), position=place)
