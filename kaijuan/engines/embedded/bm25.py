"""The BM25 formula.

score(d) = Σ idf(t) · f·(k1+1) / (f + k1·(1 − b + b·len(d)/avglen)),  idf(t) = ln(1 + (N − n + 0.5)/(n + 0.5)).
Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf, which is
never negative. The length of a chunk counts its terms, not its extra spellings (see kaijuan.text.tokens).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]


def idf(documents: int, frequency: int) -> float:
    """Weight of a term that `frequency` of `documents` chunks hold."""
    return math.log1p((documents - frequency + 0.5) / (frequency + 0.5))


def saturation(counts: Ints, own_lengths: Ints, average_length: float, k1: float, b: float) -> Doubles:
    """The tf part for postings with these counts, in chunks of these lengths."""
    relative: Doubles = own_lengths / max(average_length, 1.0)
    return counts * (k1 + 1.0) / (counts + k1 * (1.0 - b + b * relative))
