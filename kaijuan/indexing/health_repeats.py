"""Near-duplicates: passages of different documents that say nearly the same, found without comparing all with all.

A passage's shingles are its runs of five characters, folded, marks left out. Passages that share half of their
smallest shingle hashes are compared in full: of two that have nearly all shingles in common, most of the smallest are
the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nsmallest
from itertools import combinations

import numpy as np

from kaijuan.text import fold
from kaijuan.types import Chunk

#: Share of shingles in common from which passages are near-duplicates, and shingles that a passage needs to be compared.
SAME, LEAST = 0.8, 30
_LENGTH, _SKETCH = 5, 16
#: Passages under one hash that are compared with each other; what more share is a form letter.
_TOGETHER = 20
_BASE = np.uint64(0x100000001B3)
_MIXING = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_MARKS = re.compile(r"[\W_]+")


def repeated(chunks: Sequence[Chunk]) -> list[tuple[Chunk, Chunk, float]]:
    """Pairs of near-duplicates with the share of shingles in common, the most alike first; one pair a pair of documents."""
    found = []
    for one, other in _candidates(chunks):
        first, second = chunks[one], chunks[other]
        share = alike(shingles(first.text), shingles(second.text))
        if share >= SAME:
            found.append((first, second, share))
    found.sort(key=lambda pair: (-pair[2], pair[0].id, pair[1].id))
    best: dict[frozenset[str], tuple[Chunk, Chunk, float]] = {}
    for pair in found:
        best.setdefault(frozenset((pair[0].source_id, pair[1].source_id)), pair)
    return list(best.values())


def shingles(text: str) -> frozenset[int]:
    """Hashes (64 bits) of the shingles of a text, the same in every process."""
    plain = _MARKS.sub("", fold(text))
    points = np.frombuffer(plain.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    last = len(points) - _LENGTH + 1
    if last < 1:
        return frozenset()
    # A polynomial of the characters, then mixed as splitmix64 does, so that the smallest hashes are a fair sample.
    hashes = np.zeros(last, dtype=np.uint64)
    for place in range(_LENGTH):
        hashes = hashes * _BASE + points[place : place + last]
    for shift, factor in _MIXING:
        hashes = (hashes ^ (hashes >> shift)) * factor
    return frozenset((hashes ^ (hashes >> np.uint64(31))).tolist())


def alike(first: frozenset[int], second: frozenset[int]) -> float:
    """Share of the shingles of both that they have in common, 0 to 1."""
    return len(first & second) / max(1, len(first | second))


def _candidates(chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    """Places of passages of different documents that share half of their smallest hashes."""
    sharing: defaultdict[int, list[int]] = defaultdict(list)
    for at, chunk in enumerate(chunks):
        found = shingles(chunk.text)
        if len(found) >= LEAST:
            for smallest in nsmallest(_SKETCH, found):
                sharing[smallest].append(at)
    common = Counter(pair for places in sharing.values() for pair in combinations(places[:_TOGETHER], 2))
    return sorted(
        (one, other)
        for (one, other), count in common.items()
        if count >= _SKETCH // 2 and chunks[one].source_id != chunks[other].source_id
    )
