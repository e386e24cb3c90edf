"""What the records keep, as frozen nouns: an answer with everything it rests on, feedback, tickets, conversations.

Times are aware datetimes in UTC, to the millisecond. None always means unknown or not there, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

from kaijuan.types import LegName, Notice

Item = TypeVar("Item")
Thumb = Literal["up", "down"]
TicketStatus = Literal["open", "closed"]
#: What became of telling another system about a ticket; "none" where nothing is to be told.
Webhook = Literal["none", "waiting", "sent", "failed"]
#: What an answer can be looked for by, besides its plain columns.
Mark = Literal["empty", "invented", "unsupported", "uncited", "conflicts", "weak", "incomplete"]


@dataclass(frozen=True, slots=True)
class Prices:
    """Price of a million tokens in and out; None is unknown."""

    input: float | None = None
    output: float | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known about how an answer was made that the answer does not say itself.

    `asked` is the question as it was completed or rewritten, "" when it was asked as written. `unsupported` counts
    sentences whose cited passage does not hold them, `uncited` sentences without a citation; None = not checked.
    """

    model: str = ""
    prompt: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    first_text_seconds: float | None = None
    asked: str = ""
    incomplete: bool = False
    unsupported: int | None = None
    uncited: int | None = None


@dataclass(frozen=True, slots=True)
class HitRecord:
    """One passage that a leg returned."""

    leg: LegName
    rank: int
    score: float | None
    chunk_id: str


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """One passage of the context: its number there, and the [n] under which the answer cites it, 0 when it does not.

    `updated` is the document's date as it stood at the time of the answer.
    """

    number: int
    chunk_id: str
    source_id: str
    title: str
    final_rank: int
    rerank_score: float | None
    tokens: int
    cited: int
    updated: str | None = None


@dataclass(frozen=True, slots=True)
class StageRecord:
    """Seconds that one stage took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person thought of an answer; the last word counts."""

    value: Thumb
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer with what it rests on, how it was made and what it cost.

    `id` sorts by time. `turn` counts from 1 inside its conversation and is 0 until it is written. `refused` is the
    machine word of a refusal. `cited` counts sources, `invented` citations that did not exist; `empty` is an answer that
    cites nothing. `hits` are in leg order and rank, `context` by number. `replaces` is the answer in whose place the
    conversation shows this one, its question asked again or edited. `feedback` and `handed_over` are known only when the
    record was read.
    """

    id: str
    at: datetime
    question: str
    asked: str
    text: str
    collection: str
    version: str
    viewer: str
    conversation_id: str | None = None
    turn: int = 0
    refused: str | None = None
    explanation: str = ""
    answerer: str = ""
    model: str = ""
    prompt: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    price: float | None = None
    seconds: float = 0.0
    first_text_seconds: float | None = None
    incomplete: bool = False
    cited: int = 0
    invented: int = 0
    empty: bool = False
    unsupported: int | None = None
    uncited: int | None = None
    conflicts: int = 0
    weak: bool = False
    settings_hash: str = ""
    missing: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    hits: tuple[HitRecord, ...] = ()
    context: tuple[ContextRecord, ...] = ()
    stages: tuple[StageRecord, ...] = ()
    replaces: str | None = None
    feedback: Feedback | None = None
    handed_over: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """Which answers are meant; what is None is not asked about. `since` counts in, `until` does not.

    `words` stand in the question or the answer, `source` is a document that is cited.
    """

    collection: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    refused: bool | None = None
    thumb: Thumb | None = None
    handed_over: bool | None = None
    mark: Mark | None = None
    viewer: str | None = None
    conversation_id: str | None = None
    source: str | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some of what was asked for, newest first; `next` is given as `before` for what follows, None at the end."""

    items: tuple[Item, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a viewer: how many turns are kept, and when the last one was."""

    id: str
    title: str
    created: datetime
    viewer: str
    collection: str
    turns: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a transcript: what was asked and what was answered."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class TicketChunk:
    """A passage that a ticket names, with its rank after reranking and in each leg (None = not found there)."""

    chunk_id: str
    title: str
    final_rank: int
    keyword_rank: int | None
    vector_rank: int | None


@dataclass(frozen=True, slots=True)
class Ticket:
    """A question handed over to a person, whole in itself: it outlives the answer that it came from.

    `webhook_said` is why another system does not have it yet, one sentence; empty where nothing went wrong.
    """

    id: str
    at: datetime
    question: str
    asked: str
    reason: str
    viewer: str
    collection: str
    answer_id: str | None = None
    conversation_id: str | None = None
    transcript: tuple[Said, ...] = ()
    chunks: tuple[TicketChunk, ...] = ()
    status: TicketStatus = "open"
    closed: datetime | None = None
    webhook: Webhook = "none"
    webhook_said: str = ""
