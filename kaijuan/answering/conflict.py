"""Conflicts: different documents that give different figures for the same thing that the question asks about.

A claim is one figure with its clause. Two claims speak of the same thing when their sentences agree once the figures
are left out, nothing sets them apart (place, customer group, channel, model, …) and both speak to the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from kaijuan.answering.claims import Claim, Passage, claims, masked_part
from kaijuan.answering.contrast import apart, sides
from kaijuan.answering.figures import Figure, figures, same_amount
from kaijuan.answering.types import Conflict, Statement
from kaijuan.text import fold, query_terms

__all__ = ["Passage", "asked_families", "find_conflicts"]

Similarity = Callable[[str, str], float]

#: How much two claims must have in common: share of words, plus half of how far their cosine lies above the usual one.
SAME_SUBJECT = 0.4
#: How near a sentence must come to the nearest sentence of all: where its kind of figure is asked for, and elsewhere.
NEAR_ASKED, NEAR_UNASKED = 0.77, 0.9
#: A sentence without the question's words may be this much less like the question than two claims are like each other.
NEAR_PAIR = 0.55
#: Share of the question's characters that sentence and headings must hold to have its words.
HELD_CHARACTERS = 0.2
#: Pairs that are compared by embedding, and sentences of each passage that tell what is usual.
COMPARED_PAIRS, USUAL_SENTENCES = 16, 2
#: A figure that the other side also gives, with this share of the pair's agreement, is not disputed.
GIVEN_TOO = 0.6

_FUNCTION = frozenset("的了是在和就都而及与着也还要一个")
_WHEN = re.compile("什么时候|何时|啥时候|(?<![长段])时间")
_ASKED = tuple(
    (re.compile(words), frozenset(families.split()))
    for words, families in (
        ("多久|多长时间|时效|期限|有效期", "time"),
        ("多少钱|几块|几元|多贵|价格|费用多少|收费多少", "money 美元 港元 欧元 日元 英镑"),
        ("多大", "size area length weight 岁"),
        ("多重", "weight"),
        ("多[高长宽厚远深](?!时间)", "length"),
        ("百分之几|比例|占比|折扣|几折", "percent 折 百分点"),
        ("哪一?[天年月]|几号|几月|日期", "date"),
    )
)
_NOT_TOLD = frozenset({"", "date", "clock"})


@dataclass(frozen=True, slots=True)
class _Pair:
    score: float
    first: Claim
    second: Claim


def find_conflicts(question: str, passages: Sequence[Passage], similarity: Similarity | None) -> tuple[Conflict, ...]:
    """Disputed figures of the passages, the clearest first, one statement a document, oldest document first.

    `similarity` compares two texts (cosine of embeddings); without it words alone decide.

    >>> from kaijuan.types import Chunk
    >>> old = Chunk("a#0", "a", "退货", "", updated="2025-06-01")
    >>> new = Chunk("b#0", "b", "退货", "", updated="2026-02-15")
    >>> said = [Passage(old, ("签收后七天内可以退货。",)), Passage(new, ("签收后十五天内可以退货。",))]
    >>> [(s.figure, s.newer) for s in find_conflicts("签收后几天内可以退货？", said, None)[0].statements]
    [('七天', False), ('十五天', True)]
    """
    asked = _Question(question, similarity)
    admitted = [c for passage in passages for c in claims(passage) if asked.admits(c)]
    possible = asked.possible(admitted)
    if all(_agree(pair.first.figure, pair.second.figure) for pair in possible):
        return ()
    asked.look_around(passages, possible)
    pairs = []
    for first, second in ((pair.first, pair.second) for pair in possible):
        score = asked.agreement(first, second)
        if score >= SAME_SUBJECT and asked.speaks_to(first, second):
            pairs.append(_Pair(score, first, second))
    return tuple(_conflict(group) for group in _groups(_disputed(pairs)))


class _Question:
    """What is asked, and how near claims are to it and to each other."""

    def __init__(self, question: str, similarity: Similarity | None) -> None:
        self._text = question
        self._characters = frozenset("".join(query_terms(masked_part(question, figures(question))))) - _FUNCTION
        self._similarity = similarity
        self._families, self._wanted, self._when = asked_families(question)
        self._sides = sides([fold(question)], 1)
        self._best, self._usual = 0.0, 0.0

    def possible(self, admitted: Sequence[Claim]) -> list[_Pair]:
        """Pairs of claims that may speak of the same thing, by their words alone: the likeliest first."""
        pairs = [
            _Pair(_words(first, second), first, second)
            for first, second in combinations(admitted, 2)
            if first.source != second.source
            and first.figure.family == second.figure.family
            and not apart(first.sides, second.sides, self._sides)
            and not _roles_differ(first.figure, second.figure)
        ]
        return sorted((p for p in pairs if p.score > 0.0), key=lambda p: -p.score)[:COMPARED_PAIRS]

    def look_around(self, passages: Sequence[Passage], possible: Sequence[_Pair]) -> None:
        """Learn how near the passages' sentences are to the question at best, and to each other usually."""
        if self._similarity is None:
            return
        compared = {claim.sentence for pair in possible for claim in (pair.first, pair.second)}
        said = [
            (passage.chunk.source_id, sentence)
            for passage in passages
            for place, sentence in enumerate(passage.sentences)
            if place < USUAL_SENTENCES or sentence in compared
        ]
        self._best = max((self._similarity(self._text, s) for _, s in said), default=0.0)
        across = [self._similarity(s, t) for (a, s), (b, t) in combinations(said, 2) if a != b]
        self._usual = fmean(across) if across else 0.0

    def admits(self, claim: Claim) -> bool:
        """Whether a claim's kind of figure can be what is asked, and its side is not another than the question's."""
        family = claim.figure.family
        if self._families and family not in self._families:
            return False
        if family in ("date", "clock") and not self._when and family not in self._families:
            return False
        return bool(family) and not apart(claim.sides, self._sides, self._sides, one_sided=False)

    def agreement(self, first: Claim, second: Claim) -> float:
        """How much two possible claims speak of the same thing."""
        words = _words(first, second)
        if self._similarity is None:
            return words
        cosine = self._similarity(first.sentence, second.sentence)
        return words + 0.5 * max(0.0, (cosine - self._usual) / max(1.0 - self._usual, 1e-6))

    def speaks_to(self, first: Claim, second: Claim) -> bool:
        """Whether both claims speak to the question."""
        wanted = self._wanted is None or first.figure.family in self._wanted
        held = all(self._held(c) >= HELD_CHARACTERS for c in (first, second))
        if self._similarity is None:
            return wanted and held
        near = min(self._similarity(self._text, c.sentence) for c in (first, second))
        beside = held or near >= NEAR_PAIR * self._similarity(first.sentence, second.sentence)
        return beside and near >= (NEAR_ASKED if wanted else NEAR_UNASKED) * self._best

    def _held(self, claim: Claim) -> float:
        text = fold(f"{claim.passage.chunk.title}{''.join(claim.passage.chunk.headings)}{claim.sentence}")
        return sum(c in text for c in self._characters) / max(1, len(self._characters))


def asked_families(question: str) -> tuple[frozenset[str], frozenset[str] | None, bool]:
    """Families of figures that alone are asked for (empty: any), those asked or told (None: any), whether it asks when.

    >>> asked_families("保修多久")[0] == {"time"}, asked_families("满多少免运费")[:2]
    (True, (frozenset(), None))
    """
    text = fold(question)
    given = {f.family for f in figures(text)}
    told = given - _NOT_TOLD
    # A question word before a unit stands where the figure will stand: 几天, 多少元, 几点.
    guessed = figures(re.sub("多少|几", "3", text))
    asked = {f.family for f in guessed} - given - {""} if re.search("多少|几", text) else set()
    for words, families in _ASKED:
        if words.search(text):
            asked |= families
    when = bool(_WHEN.search(text))
    if asked and not when:
        return frozenset(asked | told), frozenset(asked | told), False
    open_ended = when or "多少" in text
    return frozenset(), None if open_ended else frozenset(told), when


def _words(first: Claim, second: Claim) -> float:
    """Mean of how alike the clauses are, how alike the sentences, and how much of the shorter clause the other has."""
    short, long = sorted((first, second), key=lambda c: len(c.clause))
    if len(first.whole & second.whole) < 2 or not first.clause & second.whole or not second.clause & first.whole:
        return 0.0
    inside = len(short.clause & long.whole) / max(1, len(short.clause))
    return (_dice(first.clause, second.clause) + _dice(first.whole, second.whole) + inside) / 3


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / max(1, len(first) + len(second))


def _roles_differ(first: Figure, second: Figure) -> bool:
    """Whether one is a lower and the other an upper bound, or one an amount paid and the other a condition for it."""
    roles = {first.role, second.role}
    conditions = [f.role in ("at_least", "over", "under") for f in (first, second)]
    return roles == {"at_least", "at_most"} or (first.family == "money" and conditions[0] != conditions[1])


def _agree(first: Figure, second: Figure) -> bool:
    """Whether two figures say the same, or one lies in the range that the other gives."""
    if same_amount(first, second):
        return True
    point, span = sorted((first.values, second.values), key=len)
    return first.family != "date" and len(point) == 1 and len(span) == 2 and span[0] <= point[0] <= span[1]


def _disputed(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Pairs whose figures differ and of which neither figure is also given by the other side, clearest first."""
    disputed = [p for p in pairs if not _agree(p.first.figure, p.second.figure) and not _given_too(p, pairs)]
    return sorted(disputed, key=lambda p: (-p.score, p.first.passage.chunk.id, p.second.passage.chunk.id))


def _given_too(pair: _Pair, pairs: Iterable[_Pair]) -> bool:
    ends = ((pair.first, pair.second.source), (pair.second, pair.first.source))
    return any(
        other.score >= GIVEN_TOO * pair.score and _repeats(other.first.figure, other.second.figure)
        for claim, source in ends
        for other in pairs
        if (other.first is claim and other.second.source == source)
        or (other.second is claim and other.first.source == source)
    )


def _repeats(first: Figure, second: Figure) -> bool:
    """Like `_agree`, but a year is not a repetition of one of its days."""
    return first.values == second.values if first.family == "date" else _agree(first, second)


def _groups(pairs: Iterable[_Pair]) -> list[list[Claim]]:
    """Claims that dispute one thing, one a document; a pair whose documents already do adds nothing."""
    groups: list[dict[str, Claim]] = []
    for pair in pairs:
        for group in groups:
            if _holds(group, pair.first) or _holds(group, pair.second):
                for claim in (pair.first, pair.second):
                    group.setdefault(claim.source, claim)
                break
        else:
            groups.append({pair.first.source: pair.first, pair.second.source: pair.second})
    return [list(group.values()) for group in groups]


def _holds(group: dict[str, Claim], claim: Claim) -> bool:
    own = group.get(claim.source)
    return own is not None and same_amount(own.figure, claim.figure)


def _conflict(disputing: Sequence[Claim]) -> Conflict:
    ordered = sorted(disputing, key=lambda c: (c.passage.chunk.updated or "", c.passage.chunk.id))
    dates = [c.passage.chunk.updated or "" for c in ordered]
    # A month and a day of that month cannot be put in order.
    known = all(dates) and not any(a != b and (a.startswith(b) or b.startswith(a)) for a, b in combinations(dates, 2))
    newest = max(dates) if known and len(set(dates)) > 1 else None
    statements = (
        Statement(c.sentence, c.figure.written, c.passage.chunk, newer=date == newest)
        for c, date in zip(ordered, dates, strict=True)
    )
    return Conflict(ordered[0].figure.unit, tuple(statements))
