"""Seams to models: what an embedder, a reranker and a chat model must offer, whoever makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

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


@runtime_checkable
class BatchEmbedder(Protocol):
    """What an embedder may offer besides: many passages in one call, where a call costs more than a text."""

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Vectors of passages, shape (n, dims), in the order given; a row may be unusable, as that of one text may be."""
        ...


class Reranker(Protocol):
    """Gives each fused candidate a score, higher = better, on a scale of its own."""

    @property
    def name(self) -> str:
        """Name for the trace."""
        ...

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: Sequence[Hit], term_weights: dict[str, float]
    ) -> Sequence[float | None]:
        """One score a candidate, in the order given; None where it has nothing to say, which ranks behind all scores.

        Raises ModelFailed where a service did not do it. `vector_hits` is the whole vector leg, best first; `term_weights` holds the idf of the question's terms.
        """
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what a chat model is told."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The last thing of a stream: why the model stopped ("stop", "length", "filter"), and the tokens.

    `reason` is None when the stream broke off without saying why.
    """

    reason: Literal["stop", "length", "filter"] | None
    usage: Usage | None = None


class ChatModel(Protocol):
    """Words an answer from messages."""

    @property
    def name(self) -> str:
        """Name of the model for the record."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that question, sources and answer may have together."""
        ...

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Ended]:
        """Pieces of text as they come, then one Ended; closing the iterator ends the request.

        Raises ModelFailed before the first piece, or Ended(None) comes where the stream breaks after one.
        """
        ...


class Completer(Protocol):
    """Answers messages in one piece, for steps on the way to an answer."""

    @property
    def name(self) -> str:
        """Name of the model for the record."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that messages and reply may have together."""
        ...

    def complete(self, messages: Sequence[Message], max_tokens: int, timeout: float) -> str:
        """The reply, as far as it came where it broke off or `max_tokens` were used up; `timeout` is seconds for all.

        Raises ModelFailed.
        """
        ...
