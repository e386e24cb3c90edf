"""The support check: how long it takes and how often it is right: `python -m benchmarks.support [--rounds 60] [--json FILE]`.

The answer is 1,000 characters of the labelled sentences, half of them true and half not, over five passages. "whole" checks
it at once with passages not seen before, "passages known" with passages of earlier answers, "streamed" after its sentences
were checked one by one while it came. The figures of the labelled set are those of tests/answering/support_cases.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from kaijuan.answering.support import Checker
from kaijuan.answering.support_sources import deed_places, source_evidence
from kaijuan.types import Chunk
from tests.answering.support_cases import Agreement, added, agreement, load_cases, marked, passages

CHARACTERS = 1_000
PASSAGES = ("s01#0", "s13#0", "s07#0", "s16#0", "s39#0")


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of one way to check, over the rounds, and of processor time alone; `load` is the machine's before."""

    name: str
    p50_ms: float
    p95_ms: float
    best_ms: float
    p50_cpu_ms: float
    load: float


def answer() -> tuple[str, dict[int, Chunk]]:
    """The text and its sources by number."""
    numbers = {id_: number for number, id_ in enumerate(PASSAGES, start=1)}
    lines = [
        case.answer.replace("[1]", f"[{numbers[case.sources[0]]}]")
        for case in load_cases()
        if case.sources[0] in numbers and "[1]" in case.answer
    ]
    text = "\n".join(lines)
    while len(text) < CHARACTERS:
        text += "\n" + text
    return text[:CHARACTERS], {number: passages()[id_] for id_, number in numbers.items()}


def measure(rounds: int) -> Iterator[Times]:
    """Times of the three ways to check."""
    text, sources = answer()

    def whole() -> Callable[[], object]:
        source_evidence.cache_clear()
        deed_places.cache_clear()
        return lambda: Checker(list(sources.values()), {}).check(text, sources)

    def known() -> Callable[[], object]:
        return lambda: Checker(list(sources.values()), {}).check(text, sources)

    def streamed() -> Callable[[], object]:
        checker = Checker(list(sources.values()), {})
        for end, character in enumerate(text):
            if character in "。\n":
                checker.look_ahead(text[: end + 1], sources)
        return lambda: checker.check(text, sources)

    for name, ready in (("whole", whole), ("passages known", known), ("streamed", streamed)):
        yield _times(name, ready, rounds)


def _times(name: str, ready: Callable[[], Callable[[], object]], rounds: int) -> Times:
    load = os.getloadavg()[0]
    walls, cpus = [], []
    for _ in range(rounds):
        check = ready()
        wall, cpu = time.perf_counter(), time.process_time()
        check()
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.process_time() - cpu) * 1e3)
    walls.sort()
    rank95 = max(0, -(-len(walls) * 95 // 100) - 1)
    return Times(name, statistics.median(walls), walls[rank95], walls[0], statistics.median(cpus), load)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.support", description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    text, sources = answer()
    print(f"an answer of {len(text)} characters, {text.count('[')} citations, {len(sources)} passages")
    times = []
    for row in measure(options.rounds):
        times.append(row)
        print(
            f"{row.name:15} p50 {row.p50_ms:5.1f} ms, p95 {row.p95_ms:5.1f}, best {row.best_ms:5.1f}, "
            f"processor p50 {row.p50_cpu_ms:5.1f} (load {row.load:.1f})",
            flush=True,
        )
    found: dict[str, dict[str, Agreement]] = {}
    for split in ("dev", "held"):
        cases = [case for case in load_cases() if case.split == split]
        found[split] = {**agreement(cases), "wrong figures": marked(cases), "added": added(cases)}
        print(f"{split}: {len(cases)} sentences")
        for name, own in found[split].items():
            print(f"  {name:14} precision {own.precision:.3f}  recall {own.recall:.3f}  ({own.right} of {own.due})")
    if options.json:
        report = {
            "times": [asdict(row) for row in times],
            "agreement": {split: {name: asdict(own) for name, own in rows.items()} for split, rows in found.items()},
        }
        options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
