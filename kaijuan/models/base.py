"""Seams to models: what an embedder and a reranker must offer, whoever makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kaijuan.types import Candidate, Hit

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors of `dims` float32 numbers; the same text gives the same vector."""

    @property
    def name(self) -> str:
        """Name and precision of the model; recorded in every index built with it."""
        ...

    @property
    def dims(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def floor(self) -> float | None:
        """Evidence below which a question is off-topic, measured for this very model; None when not measured."""
        ...

    def passage(self, text: str) -> Vector:
        """Vector of one passage, shape (dims,)."""
        ...

    def query(self, text: str) -> Vector:
        """Vector of one question, shape (dims,)."""
        ...

    def sentence(self, text: str) -> Vector:
        """Vector of a sentence of a source that is compared with questions and other sentences, shape (dims,)."""
        ...


class Reranker(Protocol):
    """Gives each fused candidate a score, higher = better, on a scale of its own."""

    @property
    def name(self) -> str:
        """Name for the trace."""
        ...

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: Sequence[Hit], term_weights: dict[str, float]
    ) -> list[float]:
        """One score a candidate, in the order given.

        `vector_hits` is the whole vector leg, best first; `term_weights` holds the idf of the question's terms.
        """
        ...
