"""The frozen nouns that cross rooms: documents and chunks going in, hits and traces coming out.

Ranks start at 1, best first. Scores: higher is better. Times are seconds. Nobody edits what it received:
a stage that adds something makes a new object.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: The fixed sentence of a refusal; nothing else is ever said in its place.
REFUSAL = "资料中没有找到能支撑回答的内容。"

LegName = Literal["keyword", "vector"]
Level = Literal["ok", "warn", "bad"]
#: Between groups in one line, and what stands there for all of them.
_SEPARATOR, _EVERYTHING = re.compile(r"[,，、;；]"), "*"
#: What an error's sentence says, and the next step in which it ends.
_NEXT_STEP = re.compile(r"(.+)[，；]请(.+?)。?\Z", re.DOTALL)


Status = Literal["in_force", "superseded", "withdrawn", "draft"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a document may be relied on: its status, what took its place, and the ISO days between which it holds.

    `by` and `by_title` are id and title of the document that supersedes it, empty where that is not known.
    """

    status: Status = "in_force"
    by: str = ""
    by_title: str = ""
    valid_from: str | None = None
    valid_until: str | None = None

    def holds(self, today: str) -> bool:
        """Whether the document is in force on an ISO day; a month or a missing limit counts as far as it goes."""
        begun = self.valid_from is None or self.valid_from <= today
        return self.status == "in_force" and begun and not self.expired(today)

    def expired(self, today: str) -> bool:
        """Whether its last day is over; a month is over with its last day."""
        until = self.valid_until
        return until is not None and today[: len(until)] > until


@dataclass(frozen=True, slots=True)
class Document:
    """One source document as a reader delivers it: original text with LF line ends, and what is known about it.

    `updated` is an ISO day ("2026-03-05"), an ISO month ("2026-03") or None when the document gives no date.
    `audience` empty means: open to every viewer of the collection. `supersedes` are ids or titles of documents whose
    place it takes; `standing` None means in force without limits. `pages` are character offsets at which pages begin,
    the first page first, empty for a document without pages.
    """

    id: str
    title: str
    text: str
    path: str = ""
    updated: str | None = None
    department: str | None = None
    kind: str | None = None
    audience: tuple[str, ...] = ()
    syntax: Literal["markdown", "plain"] = "markdown"
    supersedes: tuple[str, ...] = ()
    standing: Standing | None = None
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One indexed passage of a document.

    `id` is "<source id>#<position>", positions from 0. `start`/`end` are character offsets in the document's text
    (half open). `text` is what is shown; for a piece of a table it begins with the repeated header rows, so it may
    be longer than `end - start`. `headings` is the heading path from the outside in. `page` (from 1) is the page on
    which it begins, None for a document without pages. `path` is its file below the folder, empty where it is the
    source id.
    """

    id: str
    source_id: str
    title: str
    text: str
    headings: tuple[str, ...] = ()
    position: int = 0
    start: int = 0
    end: int = 0
    updated: str | None = None
    department: str | None = None
    kind: str | None = None
    audience: tuple[str, ...] = ()
    standing: Standing | None = None
    page: int | None = None
    path: str = ""

    @property
    def search_text(self) -> str:
        """What both legs index: title, the headings that the text does not show itself, then the text."""
        above = [h for h in (self.title, *self.headings) if h and h not in self.text]
        return "\n".join([*dict.fromkeys(above), self.text])


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks: a name for the record and the groups that open restricted documents; `sees_all` is for named admins."""

    name: str = "visitor"
    groups: frozenset[str] = frozenset()
    sees_all: bool = False

    @classmethod
    def in_groups(cls, name: str, groups: str) -> Viewer:
        """A viewer whose groups stand in one line, parted by commas, written out as in `audience`; * opens everything."""
        named = {group for part in _SEPARATOR.split(groups) if (group := part.strip())}
        return cls(name, frozenset(named - {_EVERYTHING}), sees_all=_EVERYTHING in named)

    def may_read(self, audience: tuple[str, ...]) -> bool:
        """Whether a document with this audience is open to the viewer."""
        return self.sees_all or not audience or not self.groups.isdisjoint(audience)


@dataclass(frozen=True, slots=True)
class TermScore:
    """One term's share of a keyword score; the shares of a hit add up to its score."""

    term: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that a leg returned: its rank and score there, and the score the other leg would give it.

    `other_score` is None when the engine does not know it. `terms` is filled for keyword scores only.
    """

    chunk: Chunk
    rank: int
    score: float
    other_score: float | None = None
    terms: tuple[TermScore, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person must be told about this answer: a stage that could not run, or a shortened question."""

    stage: str
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One line about health: what was looked at, how it is, and the remedy wherever it is not "ok".

    `collection` is empty for what concerns all of them.
    """

    check: str
    level: Level
    said: str
    remedy: str = ""
    collection: str = ""

    @classmethod
    def of_sentence(
        cls, check: str, sentence: Exception | str, collection: str = "", level: Level = "bad", otherwise: str = ""
    ) -> Finding:
        """An error or what a notice says: the next step in the sentence is the remedy, `otherwise` where it has none."""
        parts = _NEXT_STEP.match(str(sentence))
        said, remedy = parts.groups() if parts else (str(sentence).rstrip("。"), otherwise)
        return cls(check, level, said, remedy, collection)


@dataclass(frozen=True, slots=True)
class StageTime:
    """Seconds one stage took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """One fused passage with everything the stages said about it.

    Ranks are None where a leg did not return it. `keyword_share` and `vector_share` are its RRF shares, `fused` their
    sum. `rerank_score` and `final_rank` come from the reranker (final_rank = fused_rank beyond its pool).
    `context_number` is the [n] under which it entered the context, None when it did not, and `context_reason` says why.
    """

    chunk: Chunk
    keyword_rank: int | None
    keyword_score: float | None
    vector_rank: int | None
    vector_score: float | None
    keyword_share: float
    vector_share: float
    fused: float
    fused_rank: int
    terms: tuple[TermScore, ...] = ()
    rerank_score: float | None = None
    final_rank: int = 0
    tokens: int = 0
    context_number: int | None = None
    context_reason: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What retrieval can say about whether the collection speaks to the question at all.

    `best_cosine` is None without a vector leg; `floor` is the embedding model's measured off-topic floor, None when
    none was measured. `agreement` is the share of the top 20 of one leg that the other also has in its top 20.
    """

    best_cosine: float | None = None
    floor: float | None = None
    agreement: float = 0.0
    best_keyword: float = 0.0


@dataclass(frozen=True, slots=True)
class Hop:
    """A second look: what the best passage names and another one explains, and what was found for it.

    `said_in` is the id of the chunk that names `term`; `query` was searched; `found` are the ids returned, best first;
    `added` is the chunk that explains it and entered the context, None when none did; `explanation` is its sentence.
    """

    term: str
    kind: Literal["role", "code", "document"]
    said_in: str
    query: str
    found: tuple[str, ...]
    added: str | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Synonym:
    """A word of the question, one that the collection's synonyms say means the same, and the terms that it added."""

    word: str
    added: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One question's way through the stages; everything shown, logged and measured comes from here.

    `keyword` and `vector` are the legs as the engine returned them, `candidates` the fused list in final order,
    `context` the chosen ones in the order in which they are read (best last). `term_weights` is the idf of each term.
    `hops` are second looks, whose passages stand in the context right before the best one. `synonyms` are those that
    found something; their terms are searched behind the question's own `terms`.
    """

    question: str
    searched: str
    terms: tuple[str, ...]
    collection: str
    version: str
    keyword: tuple[Hit, ...] = ()
    vector: tuple[Hit, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    context: tuple[Candidate, ...] = ()
    term_weights: Mapping[str, float] = field(default_factory=dict)
    evidence: Evidence = field(default_factory=Evidence)
    stages: tuple[StageTime, ...] = ()
    notices: tuple[Notice, ...] = ()
    question_tokens: int = 0
    context_tokens: int = 0
    token_counter: str = ""
    hops: tuple[Hop, ...] = ()
    synonyms: tuple[Synonym, ...] = ()

    @property
    def keyword_terms(self) -> tuple[str, ...]:
        """What the keyword leg searched: the question's own terms, then those of its synonyms."""
        return (*self.terms, *(term for one in self.synonyms for term in one.terms))

    @property
    def seconds(self) -> float:
        """Seconds of all stages together."""
        return sum(stage.seconds for stage in self.stages)

    def numbered(self) -> dict[int, Candidate]:
        """Context candidates by their source number [n]."""
        return {c.context_number: c for c in self.context if c.context_number is not None}
