"""Seams to models: what an embedder, a reranker and a chat model must offer, whoever makes them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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


class Breaking:
    """Whether somebody has broken off what a thread does, and how to end what it waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cuts: list[Callable[[], None]] = []
        self.broken = False

    def break_off(self) -> None:
        """End what is waited for, now and from now on; for another thread to call."""
        with self._lock:
            self.broken = True
            cuts = tuple(self._cuts)
        for cut in cuts:
            cut()

    @contextmanager
    def waiting(self, cut: Callable[[], None]) -> Iterator[None]:
        """Inside, breaking off calls `cut`, which must be safe to call from another thread, and more than once."""
        with self._lock:
            self._cuts.append(cut)
            broken = self.broken
        if broken:
            cut()
        try:
            yield
        finally:
            with self._lock:
                self._cuts.remove(cut)


_breaking: ContextVar[Breaking | None] = ContextVar("breaking", default=None)


@contextmanager
def breaking(what: Breaking) -> Iterator[None]:
    """Inside, what this thread waits for can be broken off through `what`."""
    token = _breaking.set(what)
    try:
        yield
    finally:
        _breaking.reset(token)


def broken_off() -> bool:
    """Whether somebody has broken off what this thread does, so that nothing more should be begun for it."""
    what = _breaking.get()
    return what is not None and what.broken


@contextmanager
def may_be_cut(cut: Callable[[], None]) -> Iterator[None]:
    """Inside, whoever breaks off what this thread does has `cut` called; nothing where nobody can."""
    what = _breaking.get()
    if what is None:
        yield
        return
    with what.waiting(cut):
        yield
