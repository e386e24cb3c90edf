"""Write side of the postings: terms of chunks in the order added, then four flat arrays sorted by term."""

from __future__ import annotations

from array import array
from collections import Counter
from hashlib import blake2b
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kaijuan.engines.embedded.arrays import write_array
from kaijuan.engines.embedded.bm25 import Ints, idf, saturation
from kaijuan.text import Analysis


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
        """Write the postings of all chunks with the impacts for these k1 and b."""
        keys = np.array([term_key(term) for term in self._numbers], dtype=np.uint64)
        terms, chunks, counts = (_ints(part) for part in (self._terms, self._chunks, self._counts))
        lengths = _ints(self._lengths)
        by_key = np.argsort(keys, kind="stable")
        place = np.empty(len(keys), dtype=np.int32)
        place[by_key] = np.arange(len(keys), dtype=np.int32)
        order = np.lexsort((chunks, place[terms]))
        frequencies = np.bincount(terms, minlength=len(keys))[by_key]
        chunks, counts = chunks[order], counts[order]
        average = float(lengths.mean()) if len(lengths) else 1.0
        weights = np.repeat([idf(len(lengths), int(n)) for n in frequencies], frequencies)
        write_array(folder / "term.keys.u64", keys[by_key])
        write_array(folder / "post.off.i64", np.concatenate([[0], np.cumsum(frequencies)]))
        write_array(folder / "post.chunks.i32", chunks)
        write_array(folder / "post.counts.i32", counts)
        write_array(folder / "lengths.i32", lengths)
        impacts: NDArray[np.float64] = weights * saturation(counts, lengths[chunks], average, k1, b)
        write_array(folder / "post.impacts.f32", impacts)


def _ints(numbers: array[int]) -> Ints:
    return np.array(numbers, dtype=np.int32)
