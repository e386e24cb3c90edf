"""What the engine is compared with: bm25s on the same tokens, and a bare numpy product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kaijuan.text import Analysis

K1, B = 1.2, 0.75


class Bm25s:
    """bm25s with its numpy backend over the index terms of the chunks, asked one question at a time with ready ids."""

    def __init__(self, analyses: Sequence[Analysis], questions: Sequence[tuple[str, ...]]) -> None:
        import bm25s

        self._retriever = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numpy")
        self._retriever.index([list(analysis.terms) for analysis in analyses], show_progress=False)
        self._topk = bm25s.selection.topk
        self._ids: list[list[int]] = [self._retriever.get_tokens_ids(list(terms)) or [0] for terms in questions]

    def retrieve(self, question: int, size: int) -> Any:
        """Its public call."""
        return self._retriever.retrieve(
            [self._ids[question]], k=size, show_progress=False, backend_selection="numpy", n_threads=0
        )

    def direct(self, question: int, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores and numbers of the best by the two functions under the public call, which is faster."""
        scores = self._retriever.get_scores(self._ids[question])
        best: tuple[np.ndarray, np.ndarray] = self._topk(scores, size, backend="numpy", sorted=True)
        return best


def bare_product(vectors: np.ndarray, question: np.ndarray, size: int) -> np.ndarray:
    """Numbers of the best by one product and one partition, best first."""
    scores = vectors @ question
    best = np.argpartition(scores, len(scores) - size)[-size:]
    return best[np.argsort(-scores[best])]
