"""Sources as evidence: a passage's sentences, list items and table rows, clause by clause, under what they stand under."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kaijuan.answering.support_clauses import LABEL, Clause, read_clauses, terms_of
from kaijuan.answering.support_deeds import deed_match, same_deed
from kaijuan.answering.units import Unit, units
from kaijuan.text import fold
from kaijuan.types import Chunk

_SILENT = frozenset({"heading", "question", "code"})
_NONE = frozenset[str]()


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence, list item or table row: its clauses, its words, and those of what it stands under.

    `key` are the words of the cell that names a table's row; they go with each of its cells. What does not state is a
    title, a heading, a question or code: it has words and figures, and says neither yes nor no. `dated` marks the
    document's own date.
    """

    clauses: tuple[Clause, ...]
    words: frozenset[str]
    above: frozenset[str] = _NONE
    key: frozenset[str] = _NONE
    characters: frozenset[str] = _NONE
    states: bool = True
    dated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A clause where it stands: its passage, its words with those of its row's key, and the codes it speaks of."""

    clause: Clause
    passage: Passage
    words: frozenset[str]
    codes: frozenset[str]


@dataclass(frozen=True, slots=True)
class DeedPlace:
    """A place that speaks of a deed: whether it denies it, and how much of the deed it speaks of, 0 to 1."""

    place: Place
    denies: bool
    match: float


@dataclass(frozen=True, slots=True)
class SourceEvidence:
    """What one source holds: its clauses, which of them have figures of a family, and which passages hold a word.

    `deeds` are what it denies.
    """

    passages: tuple[Passage, ...]
    places: tuple[Place, ...]
    words: frozenset[str]
    characters: frozenset[str]
    codes: frozenset[str]
    by_family: dict[str, tuple[Place, ...]]
    passages_with: dict[str, tuple[int, ...]]
    deeds: tuple[str, ...]


@lru_cache(maxsize=512)
def source_evidence(chunk: Chunk) -> SourceEvidence:
    """What a chunk holds; kept for the next answer that rests on it."""
    said = [unit for unit in units(chunk.text, 0) if unit.text]
    leads = list(dict.fromkeys(unit.lead for unit in said if unit.lead))
    head = "\n".join([chunk.title, *chunk.headings])
    read = read_clauses([chunk.updated or "", head, *leads, *(unit.text for unit in said)])
    dated, title = _passage(read[0], states=False, dated=True), _passage(read[1], states=False)
    lead_words = {lead: _words(clauses) for lead, clauses in zip(leads, read[2:], strict=False)}
    passages = (dated, title, *_under(said, read[2 + len(leads) :], title.words, lead_words))
    places = tuple(place for passage in passages for place in _places(passage))
    families = {figure.family for place in places for figure in place.clause.figures}
    holding: dict[str, list[int]] = {}
    for at, passage in enumerate(passages):
        for word in passage.words | passage.above:
            holding.setdefault(word, []).append(at)
    words = _words([place.clause for place in places])
    return SourceEvidence(
        passages=passages,
        places=places,
        words=words,
        characters=_NONE.union(*(passage.characters for passage in passages)),
        codes=frozenset(word for word in words if word.isascii()).union(*(place.clause.codes for place in places)),
        by_family={f: tuple(p for p in places if any(g.family == f for g in p.clause.figures)) for f in families},
        passages_with={word: tuple(found) for word, found in holding.items()},
        deeds=tuple(dict.fromkeys(deed for place in places if place.passage.states for deed in place.clause.denied)),
    )


@lru_cache(maxsize=8192)
def deed_places(chunk: Chunk, deed: str) -> tuple[DeedPlace, ...]:
    """Where a chunk speaks of a deed."""
    found = []
    for place in source_evidence(chunk).places:
        if place.passage.states:
            denied = max((same_deed(deed, other) for other in place.clause.denied), default=0.0)
            if match := denied or deed_match(deed, place.clause.affirmed):
                found.append(DeedPlace(place, bool(denied), match))
    return tuple(found)


def _under(
    said: Sequence[Unit], read: Sequence[Sequence[Clause]], title: frozenset[str], leads: dict[str, frozenset[str]]
) -> Iterator[Passage]:
    heading, label = title, _NONE
    for unit, clauses in zip(said, read, strict=True):
        if unit.kind == "heading":
            heading = title | _words(clauses)
        key = clauses[0].words if unit.kind == "row" and len(clauses) > 1 else _NONE
        above = heading | leads.get(unit.lead, _NONE) | label
        yield _passage(clauses, above, key, unit.kind not in _SILENT)
        # 首次响应：旗舰版 30 分钟；企业版 2 小时: what opens the first part opens the next ones too.
        goes_on = unit.text.endswith(("；", ";"))
        label = (label or terms_of(fold(_before_colon(unit.text)))[0]) if goes_on else _NONE


def _passage(
    clauses: Sequence[Clause],
    above: frozenset[str] = _NONE,
    key: frozenset[str] = _NONE,
    states: bool = True,
    dated: bool = False,
) -> Passage:
    characters = _NONE.union(*(clause.characters for clause in clauses))
    return Passage(tuple(clauses), _words(clauses), above, key, characters, states, dated)


def _places(passage: Passage) -> Iterator[Place]:
    codes = frozenset(code for clause in passage.clauses for code in clause.codes)
    for clause in passage.clauses:
        yield Place(clause, passage, clause.words | passage.key, frozenset(clause.codes) or codes)


def _before_colon(text: str) -> str:
    before, colon, _ = text.partition("：")
    return before if colon and len(before) <= LABEL else ""


def _words(clauses: Sequence[Clause]) -> frozenset[str]:
    return _NONE.union(*(clause.words for clause in clauses))
