"""Nearness: how much a source's clause speaks of what a statement's clause speaks of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kaijuan.answering.figures import Figure
from kaijuan.answering.support_clauses import FUNCTION, Clause
from kaijuan.answering.support_sources import Place, SourceEvidence

#: What a term counts that stands in the compared clause, only elsewhere in its sentence, only above that sentence; and
#: elsewhere in the sentence where a deed is compared, which is often named apart from its subject.
IN_CLAUSE, IN_SENTENCE, ABOVE, WITH_DEED = 1.0, 0.7, 0.45, 0.9
#: What counts beside it: the words of the source's clause that stand in the statement; and where it has none.
BACK, NEUTRAL = 0.6, 0.3
#: What the words of a statement's first clause count, which mostly names the subject, those of its other clauses, and
#: both when a source's words are looked up in them.
SUBJECT, AROUND, LOOKED_UP = 0.7, 0.35, 0.4
#: How much more a code tells than another word as rare.
CODE = 3.0
#: What a term counts that stands in no source (many are but the end of one word and the beginning of the next), and a
#: pair of characters of which one says nothing by itself.
UNSEEN, FAINT = 0.6, 0.5
LEAST = 0.3


class Weights(dict[str, float]):
    """How much each term tells: its idf in the whole index where that is known, else among the sources' sentences."""

    def __init__(self, sources: Iterable[SourceEvidence], known: Mapping[str, float]) -> None:
        super().__init__()
        passages = [passage for source in sources for passage in source.passages]
        self._total = len(passages)
        self._count = Counter(term for passage in passages for term in passage.words)
        self._known = known
        self._of_clause: dict[int, float] = {}

    def __missing__(self, term: str) -> float:
        found = self._count.get(term, 0)
        own = math.log1p((self._total - found + 0.5) / (found + 0.5)) * (1.0 if found else UNSEEN)
        weight = max(self._known.get(term, own), LEAST) * (1.0 if FUNCTION.isdisjoint(term) else FAINT)
        self[term] = weight
        return weight

    def of(self, terms: Iterable[str]) -> float:
        """The weight of several terms together."""
        return sum(map(self.__getitem__, terms))

    def of_clause(self, clause: Clause) -> float:
        """The weight of a source's clause's terms, reckoned once."""
        known = self._of_clause.get(id(clause))
        if known is None:
            known = self._of_clause[id(clause)] = self.of(clause.terms)
        return known


class Comparing:
    """A statement's clauses as they are compared with sources, each made ready when it is asked for."""

    def __init__(
        self, weights: Weights, clauses: Sequence[Clause], around: frozenset[str], cited: Sequence[SourceEvidence]
    ) -> None:
        self.weights = weights
        self.clauses = clauses
        self.codes = frozenset(code for clause in clauses for code in clause.codes)
        self.figures: tuple[Figure, ...] = tuple(figure for clause in clauses for figure in clause.figures)
        self.words = around.union(*(clause.words for clause in clauses))
        self.subject = clauses[0].words | self.codes if clauses else self.codes
        # Words that stand nowhere in these sources tell nothing apart in them.
        self.held = self.words & cited[0].words if len(cited) == 1 else self.words & _union(cited)
        self._made: list[Compared | None] = [None] * len(clauses)

    def __getitem__(self, at: int) -> Compared:
        made = self._made[at]
        if made is None:
            made = self._made[at] = Compared(self, self.clauses[at])
        return made

    def others(self, compared: Compared) -> Iterator[Compared]:
        """The clauses of the statement besides one."""
        return (self[at] for at in range(len(self.clauses)) if self.clauses[at] is not compared.clause)


class Compared:
    """One clause of a statement as it is compared with clauses of sources."""

    def __init__(self, statement: Comparing, clause: Clause) -> None:
        self.clause = clause
        self.statement = statement
        self.codes = statement.codes
        self._weights = statement.weights
        self._all = statement.words
        self._subject = statement.subject
        self._held = statement.held
        self._own: dict[frozenset[str], frozenset[str]] = {}
        self._told: dict[frozenset[str], tuple[dict[str, float], float]] = {}

    def has_own(self, without: frozenset[str]) -> bool:
        """Whether the sources have any word of the clause itself besides these."""
        return not self._held.isdisjoint(self.clause.terms - without)

    def may_speak_of(self, place: Place, without: frozenset[str]) -> bool:
        """Whether a place has any of the clause's own words, as far as the sources have any."""
        own = self._own.get(without)
        if own is None:
            own = self._own[without] = (self._held & self.clause.words) - without
        passage = place.passage
        return not own or not own.isdisjoint(passage.words) or not own.isdisjoint(passage.above)

    def nearness(self, place: Place, without: frozenset[str] = frozenset(), deed: bool = False) -> float:
        """How near a source's clause is: share of these words that it holds, and of its words that stand here, 0 to 1.6.

        The words of `without` are left out; `deed` says that they are a deed, whose subject may stand in another clause.
        """
        told = self._told.get(without)
        if told is None:
            told = self._told[without] = self._tell(without)
        weights, size = told
        clause, passage = place.clause, place.passage
        here = weights.keys() & place.words
        held = IN_CLAUSE * sum(map(weights.__getitem__, here))
        if beside := (weights.keys() & passage.words) - here:
            own, elsewhere = self.clause.words, WITH_DEED if deed else IN_SENTENCE
            for term in beside:
                # A name, or what is said around the clause, may stand anywhere in the sentence.
                named = term.isascii() and term.isalnum() and not (clause.codes and term in self.codes)
                held += (IN_CLAUSE if named or term not in own else elsewhere) * weights[term]
        if above := (weights.keys() & passage.above) - here - beside:
            held += ABOVE * sum(map(weights.__getitem__, above))
        back = self._back(clause.terms, without, self._weights.of_clause(clause))
        if passage.key and not passage.key <= clause.words:
            back = (back + self._back(passage.key, without, self._weights.of(passage.key))) / 2
        return held / size + BACK * back

    def _tell(self, without: frozenset[str]) -> tuple[dict[str, float], float]:
        """The weight of each held word, and of all of them."""
        weigh, own = self._weights, self.clause.words
        told = {t: weigh[t] * (CODE if t in self.codes else 1.0) for t in self._held if t in own and t not in without}
        near = sum(told.values())
        for term in (self._held & self._subject) - own - without:
            told[term] = weight = SUBJECT * weigh[term] * (CODE if term in self.codes else 1.0)
            near += weight
        far = self._held - self._subject - own - without
        around = AROUND * weigh.of(far)
        # However much is said around it, the clause itself says most of what it speaks of.
        share = AROUND * min(1.0, AROUND * near / around) if near and around else AROUND
        for term in far:
            told[term] = share * weigh[term]
        return told, (near + share * weigh.of(far)) or 1.0

    def _back(self, terms: frozenset[str], without: frozenset[str], total: float) -> float:
        """Share of these words' weight that the statement has, most of all in this clause."""
        if without and (gone := terms & without):
            total -= self._weights.of(gone)
            terms = terms - gone
        if total <= 1e-9:
            return NEUTRAL
        own = terms & self.clause.words
        return (self._weights.of(own) + LOOKED_UP * self._weights.of((terms & self._all) - own)) / total


def _union(cited: Sequence[SourceEvidence]) -> frozenset[str]:
    return frozenset().union(*(source.words for source in cited))
