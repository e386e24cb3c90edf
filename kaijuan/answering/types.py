"""What an answer is made of, and the events it arrives as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kaijuan.answering.support import Checked, Checker
from kaijuan.models.base import Usage
from kaijuan.types import REFUSAL as REFUSAL
from kaijuan.types import Candidate, Chunk, Notice, Trace

RefusalReason = Literal["off_topic", "missing_code", "missing_name", "not_covered", "no_hits", "model"]


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of the numbered source list; `number` is the [n] shown in the answer."""

    number: int
    candidate: Candidate

    @property
    def chunk(self) -> Chunk:
        """The cited passage."""
        return self.candidate.chunk


@dataclass(frozen=True, slots=True)
class Statement:
    """One version of a disputed figure: the sentence, the figure as written, its chunk and that document's date."""

    sentence: str
    figure: str
    chunk: Chunk
    newer: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two or more sources that give different figures for the same thing, undated first, then oldest first; none is chosen."""

    unit: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was answered, as a machine word and as one sentence for the reader."""

    reason: RefusalReason
    explanation: str


@dataclass(frozen=True, slots=True)
class Worded:
    """The words of an answer, whoever found them, before they are judged.

    `trace` is the trace with the context as it was handed over. `cited` are context numbers by first appearance: the
    text shows the first as [1], the second as [2]. `removed` are numbers that did not exist. `checker` has looked at the
    sentences while they streamed.
    """

    text: str
    trace: Trace
    cited: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    answerer: str = ""
    model: str = ""
    prompt: str = ""
    usage: Usage | None = None
    first_text_seconds: float | None = None
    incomplete: bool = False
    notices: tuple[Notice, ...] = ()
    checker: Checker | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer with everything it rests on.

    `text` carries [n] markers that point into `sources`, numbered from 1 by first appearance. `removed` are citation
    numbers that did not exist and were taken out. A refusal has the fixed sentence as text and no sources; `nearest`
    then names the nearest documents as (source id, title), which are topics, not support. `weak` says that the evidence
    is thin, `missing` names what was asked for and not found while the rest was answered. `incomplete` says that the
    model broke off: `text` is then what came. `completed` is the question as it was searched where it leaned on the one
    before, else empty. `checked` holds every sentence against what it cites; a refusal has none. `model`, `prompt` and `usage` are empty where no model was asked.
    """

    question: str
    text: str
    sources: tuple[Source, ...]
    trace: Trace
    refusal: Refusal | None = None
    weak: bool = False
    missing: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    removed: tuple[int, ...] = ()
    nearest: tuple[tuple[str, str], ...] = ()
    notices: tuple[Notice, ...] = ()
    answerer: str = ""
    model: str = ""
    prompt: str = ""
    usage: Usage | None = None
    first_text_seconds: float | None = None
    incomplete: bool = False
    completed: str = ""
    checked: Checked | None = None
    seconds: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether this is a refusal."""
        return self.refusal is not None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Event: retrieval is done."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class Piece:
    """Event: more text to show; pieces joined are the answer's text.

    `cited` are the context numbers cited up to here, by first appearance; `model` words the answer, "" where none does.
    """

    text: str
    cited: tuple[int, ...] = field(default=(), compare=False)
    model: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Finished:
    """Event: the whole answer, always the last one."""

    answer: Answer


Event = Retrieved | Piece | Finished
