"""Disputed figures of a whole collection: sentences of different documents that say the same with another figure.

Without a question there is nothing to say what is meant, so the agreement asked for is stricter than in
answering.conflict. Candidates share a rare pair of characters; sides and clauses are worked out for those alone.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kaijuan.answering.claims import Claim, Passage, claims
from kaijuan.answering.contrast import apart, sides
from kaijuan.answering.figures import Figure, same_amount
from kaijuan.answering.units import units
from kaijuan.indexing.health_subject import NOT_COMPARED, Said, differ, said
from kaijuan.text import fold
from kaijuan.types import Chunk

#: How much the clauses of the two figures must have in common, how much the sentences, and both with what stands above.
SAME_CLAUSE, SAME_SENTENCE, SAME_PLACE = 0.45, 0.25, 0.15
#: What the three must come to together, and pairs of characters that the sentences must share.
TOGETHER, SHARED = 0.95, 3
#: Sentences in which a pair of characters may stand to be rare, and candidates that one sentence is compared with.
RARE, PARTNERS = 30, 12
#: A sentence that so many documents say, each with a figure of its own, is a form that they fill in.
FORM_ALIKE, FORM_DOCUMENTS = 0.8, 4
#: A title's word tells its topic when no more documents than these, or than this share of them, have it in theirs.
FEW, FEW_SHARE = 8, 0.02

_NO_QUESTION = sides([""], 1)
_LOWER, _UPPER = frozenset(("at_least", "over")), frozenset(("at_most", "under"))


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a dispute: the figure as written and its sentence."""

    chunk: Chunk
    sentence: str
    figure: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two documents that give different figures for one thing; `score` orders disputes, the clearest highest."""

    older: Side
    newer: Side
    score: float


def disputed_figures(chunks: Sequence[Chunk]) -> list[Dispute]:
    """Disputes, the clearest first; a sentence stands in one of them at most."""
    everything = list(_everything_said(chunks))
    weights = _weights(everything)
    pairs = list(_candidates(everything, weights))
    topics = _topics(chunks)
    forms = _forms(everything, pairs, weights)
    found: list[Dispute] = []
    for first, second in pairs:
        one, other = everything[first], everything[second]
        if forms.isdisjoint((first, second)) and _connected(one, other, topics):
            found += _dispute(one, other, weights)
    found.sort(key=lambda d: (-d.score, d.older.chunk.id, d.newer.chunk.id))
    return list(_first_of_each(found))


def _everything_said(chunks: Sequence[Chunk]) -> Iterator[Said]:
    """Sentences with figures; one that an overlap repeats counts once."""
    seen: set[tuple[str, str]] = set()
    for chunk in chunks:
        for unit in units(chunk.text, 0):
            if (chunk.source_id, unit.text) in seen:
                continue
            seen.add((chunk.source_id, unit.text))
            if one := said(chunk, unit):
                yield one


def _topics(chunks: Sequence[Chunk]) -> frozenset[str]:
    """Pairs of characters that stand in the titles of few documents."""
    titles = {chunk.source_id: fold(chunk.title) for chunk in chunks}
    counts = Counter(pair for title in titles.values() for pair in {title[i : i + 2] for i in range(len(title) - 1)})
    return frozenset(pair for pair, count in counts.items() if count <= max(FEW, FEW_SHARE * len(titles)))


def _connected(first: Said, second: Said, topics: frozenset[str]) -> bool:
    """Whether what one stands under is what the other stands under or speaks of."""
    ours, theirs = topics & frozenset(first.above), topics & frozenset(second.above)
    return not ours.isdisjoint(second.placed) or not theirs.isdisjoint(first.placed)


def _weights(everything: Sequence[Said]) -> dict[str, float]:
    counts = Counter(word for one in everything for word in one.placed)
    return {word: math.log(1 + len(everything) / count) for word, count in counts.items()}


def _candidates(everything: Sequence[Said], weights: Mapping[str, float]) -> Iterator[tuple[int, int]]:
    """Pairs of different documents that share rare words and a kind of figure, for each sentence the likeliest few."""
    holding: defaultdict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(everything):
        for word in one.words:
            holding[word].append(at)
    for at, one in enumerate(everything):
        shared: defaultdict[int, float] = defaultdict(float)
        for word in sorted(one.words):
            if len(holding[word]) <= RARE:
                for other in holding[word]:
                    shared[other] += weights[word] if _comparable(one, everything[other]) else 0.0
        likely = sorted((o for o in shared if o > at and shared[o]), key=lambda o: (-shared[o], o))
        yield from ((at, other) for other in likely[:PARTNERS])


def _comparable(first: Said, second: Said) -> bool:
    return first.chunk.source_id != second.chunk.source_id and not first.families.isdisjoint(second.families)


def _forms(everything: Sequence[Said], pairs: Sequence[tuple[int, int]], weights: Mapping[str, float]) -> set[int]:
    """Sentences that many documents say, each with figures of its own."""
    alike: defaultdict[int, set[str]] = defaultdict(set)
    for first, second in pairs:
        one, other = everything[first], everything[second]
        if _alike(one.words, other.words, weights) >= FORM_ALIKE:
            alike[first] |= {one.chunk.source_id, other.chunk.source_id}
            alike[second] |= {one.chunk.source_id, other.chunk.source_id}
    return {at for at, documents in alike.items() if len(documents) >= FORM_DOCUMENTS}


def _dispute(first: Said, second: Said, weights: Mapping[str, float]) -> Iterator[Dispute]:
    """The clearest dispute of two sentences, none when their figures agree or speak of different things."""
    sentence = _alike(first.words, second.words, weights)
    place = _alike(first.placed, second.placed, weights)
    if sentence < SAME_SENTENCE or place < SAME_PLACE or len(frozenset(first.words) & frozenset(second.words)) < SHARED:
        return
    if differ(first, second):
        return
    ours, theirs = _claims(first), _claims(second)
    clashing = [(_dice(one.clause, other.clause), one, other) for one in ours for other in theirs if _clash(one, other)]
    clause, one, other = max(clashing, key=lambda found: found[0], default=(0.0, None, None))
    if one is None or other is None or clause < SAME_CLAUSE or clause + sentence + place < TOGETHER:
        return
    if not _given_too(one, theirs) and not _given_too(other, ours):
        old, new = sorted((one, other), key=lambda c: (c.passage.chunk.updated or "", c.passage.chunk.id))
        yield Dispute(_side(old), _side(new), clause + sentence + place)


def _claims(one: Said) -> list[Claim]:
    found = claims(Passage(one.chunk, (one.sentence,)))
    return [claim for claim in found if claim.figure.family not in NOT_COMPARED]


def _clash(first: Claim, second: Claim) -> bool:
    """Whether two figures of one kind and role differ and nothing sets their statements apart."""
    return (
        first.figure.family == second.figure.family
        and not _agree(first.figure, second.figure)
        and not _bounds(first.figure, second.figure)
        and not apart(first.sides, second.sides, _NO_QUESTION)
    )


def _bounds(first: Figure, second: Figure) -> bool:
    """Whether one is a lower bound and the other an upper one."""
    roles = (first.role, second.role)
    return not _LOWER.isdisjoint(roles) and not _UPPER.isdisjoint(roles)


def _agree(first: Figure, second: Figure) -> bool:
    """Whether two figures say the same, or one lies in the range that the other gives."""
    point, span = sorted((first.values, second.values), key=len)
    inside = len(point) == 1 and len(span) == 2 and span[0] <= point[0] <= span[1]
    return same_amount(first, second) or inside


def _given_too(claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether the other side gives this figure as well, for something."""
    return any(o.figure.family == claim.figure.family and _agree(claim.figure, o.figure) for o in others)


def _alike(first: Iterable[str], second: Iterable[str], weights: Mapping[str, float]) -> float:
    """Dice of two sets of words by their weights, 0 to 1."""
    ours, theirs = frozenset(first), frozenset(second)
    shared, apiece = (math.fsum(weights[w] for w in words) for words in (ours & theirs, ours ^ theirs))
    return 2 * shared / max(2 * shared + apiece, 1e-9)


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / max(1, len(first) + len(second))


def _side(claim: Claim) -> Side:
    return Side(claim.passage.chunk, claim.sentence, claim.figure.written)


def _first_of_each(disputes: Sequence[Dispute]) -> Iterator[Dispute]:
    """Those whose sentences stand in no clearer one."""
    told: set[tuple[str, str]] = set()
    for dispute in disputes:
        keys = {(side.chunk.source_id, side.sentence) for side in (dispute.older, dispute.newer)}
        if told.isdisjoint(keys):
            yield dispute
        told |= keys
