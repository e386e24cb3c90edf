"""Write side of the postings: terms of chunks in the order added, then four flat arrays sorted by term."""

from __future__ import annotations

from array import array
from collections import Counter
from hashlib import blake2b
from itertools import repeat
from pathlib import Path

import numpy as np

from kaijuan.engines.embedded.arrays import write_array
from kaijuan.engines.embedded.bm25 import Ints, idf, saturation
from kaijuan.text import Analysis

#: Postings whose impacts are computed at a time: in float64 they take several times the memory of what is written.
_BLOCK = 1 << 20


def term_key(term: str) -> int:
    """The 64-bit number under which a term's postings are stored, the same in every process.

    Terms of up to 7 bytes, two Chinese characters among them, are their own key. Longer ones are hashed to 63 bits:
    among a million, an unknown word has the key of a known one with a probability of 1e-13.
    """
    encoded = term.encode("utf-8", "surrogatepass")
    if len(encoded) < 8:
        return int.from_bytes(encoded, "big")
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "big") | 1 << 63


class _Numbers(dict[str, int]):
    """Numbers of terms from 0 in the order in which they are first asked for."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


class PostingsWriter:
    """Collects the terms of chunks, then writes postings sorted by term key and chunk."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._terms, self._chunks, self._counts = array("i"), array("i"), array("i")
        self._lengths = array("i")

    def add(self, analysis: Analysis) -> None:
        """Add the next chunk."""
        chunk = len(self._lengths)
        self._lengths.append(len(analysis.terms))
        counts = Counter(analysis.terms)
        counts.update(analysis.extras)
        self._terms.extend(map(self._numbers.__getitem__, counts))
        self._chunks.extend(repeat(chunk, len(counts)))
        self._counts.extend(counts.values())

    def write(self, folder: Path, k1: float, b: float) -> None:
        """Write the postings of all chunks with the impacts for these k1 and b; nothing can be added afterwards."""
        keys = np.array([term_key(term) for term in self._numbers], dtype=np.uint64)
        lengths = _ints(self._lengths)
        by_key = np.argsort(keys, kind="stable")
        place = np.empty(len(keys), dtype=np.int32)
        place[by_key] = np.arange(len(keys), dtype=np.int32)
        frequencies = np.bincount(_ints(self._terms), minlength=len(keys))[by_key]
        # Chunks were added in order, so a stable order by term has those of a term in order too.
        order = np.argsort(place[_ints(self._terms)], kind="stable")
        self._terms = array("i")
        write_array(folder / "term.keys.u64", keys[by_key])
        write_array(folder / "post.off.i64", np.concatenate([[0], np.cumsum(frequencies)]))
        write_array(folder / "lengths.i32", lengths)
        chunks, counts = _ints(self._chunks)[order], _ints(self._counts)[order]
        del order
        self._chunks, self._counts = array("i"), array("i")
        write_array(folder / "post.chunks.i32", chunks)
        write_array(folder / "post.counts.i32", counts)
        average = float(lengths.mean()) if len(lengths) else 1.0
        weights = np.repeat(np.array([idf(len(lengths), int(n)) for n in frequencies], dtype=np.float64), frequencies)
        impacts = np.empty(len(chunks), dtype=np.float32)
        for start in range(0, len(chunks), _BLOCK):
            part = slice(start, start + _BLOCK)
            impacts[part] = weights[part] * saturation(counts[part], lengths[chunks[part]], average, k1, b)
        write_array(folder / "post.impacts.f32", impacts)


def _ints(numbers: array[int]) -> Ints:
    """The numbers without a copy; while it is held, nothing can be appended to them."""
    return np.frombuffer(numbers, dtype=np.int32) if numbers else np.empty(0, dtype=np.int32)
