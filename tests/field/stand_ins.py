"""Embedding models that do on purpose what a real one does by misfortune."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import numpy as np

from kaijuan.models.base import Vector


class StandInEmbedder:
    """Unit vectors drawn from a hash of the text.

    `returned` is the length of the vectors it really gives where that is not `dims`. `given` holds vectors for texts
    that contain its keys. `before_passage` is called before every passage, to delay or to end the process.
    """

    name = "stand-in"
    floor = None

    def __init__(
        self,
        dims: int = 8,
        returned: int | None = None,
        given: Mapping[str, Vector] | None = None,
        before_passage: Callable[[], None] | None = None,
    ) -> None:
        self.dims = dims
        self._returned = returned or dims
        self._given = given or {}
        self._before_passage = before_passage

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        if self._before_passage:
            self._before_passage()
        return self.query(text)

    def query(self, text: str) -> Vector:
        """See Embedder.query."""
        for words, vector in self._given.items():
            if words in text:
                return unit(vector)
        seed = int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")
        return unit(np.random.default_rng(seed).standard_normal(self._returned).astype(np.float32))

    def sentence(self, text: str) -> Vector:
        return self.query(text)


def unit(vector: Vector) -> Vector:
    """The vector at unit length, as embedding models deliver it; an all-zero one stays as it is."""
    length = float(np.linalg.norm(vector))
    return vector if length == 0.0 else (vector / length).astype(np.float32)
