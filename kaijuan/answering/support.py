"""Support: each sentence of a finished answer held against the passages it cites, by rules and without a model.

supported: the cited passages hold its figures, codes and dates with their subject, say the same of what it denies, and
hold its words. weak: they hold part of its words. unsupported: a figure or code of it stands in none of them or belongs
to something else there, or they say the opposite, or hardly a word of it is held. uncited: it cites nothing. exempt: it
states nothing.

>>> refund = Chunk("s1#0", "s1", "退货", "签收后七天内可以退货。")
>>> [(c.verdict, c.wrong) for c in check_answer("签收后 7 天内可以退货[1]。签收后 9 天内可以退货[1]。", {1: refund}).sentences]
[('supported', ()), ('unsupported', ('9 天',))]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal

from kaijuan.answering.support_clauses import Clause, read_clauses
from kaijuan.answering.support_evidence import Evidence, Judgement
from kaijuan.answering.support_idle import states_nothing
from kaijuan.answering.support_statements import Statement, statements
from kaijuan.types import Chunk

Verdict = Literal["supported", "weak", "unsupported", "uncited", "exempt"]

#: Share of a sentence's words that its sources must hold: to support it, with a figure or code held, and to be weak.
SUPPORTED, SUPPORTED_FIGURE, WEAK = 0.47, 0.42, 0.3
#: The share from which a source is given to a sentence that cites none, and by how much another source must hold less.
ADDED, APART = 0.65, 0.2

#: Words that an uncited sentence must have: 保修：12 个月 does not say of what.
FEWEST = 2
#: Clauses of one sentence or table row that are looked at.
MOST_CLAUSES = 60


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """One sentence: half-open span in the checked text, the numbers it cites, what was found.

    `wrong` are figures, codes and dates as written that the cited sources do not hold of this subject, `spans` where
    they stand; of an uncited sentence those that no source holds. `added` is the number of a citation it was given.
    """

    start: int
    end: int
    cited: tuple[int, ...]
    verdict: Verdict
    wrong: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    added: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Sentences of an answer by verdict, citations added, and wrong figures and codes."""

    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    uncited: int = 0
    exempt: int = 0
    added: int = 0
    wrong: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def stated(self) -> int:
        """Sentences that state something."""
        return self.supported + self.weak + self.unsupported + self.uncited


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked answer: the text, which differs by added citations only, its sentences in order, and the counts.

    `joined` are passages that the answer had not cited and now does; their numbers follow the last one cited before.
    """

    text: str
    sentences: tuple[SentenceCheck, ...]
    counts: Counts
    joined: tuple[Chunk, ...] = ()


def check_answer(
    text: str,
    sources: Mapping[int, Chunk],
    term_weights: Mapping[str, float] | None = None,
    others: Sequence[Chunk] = (),
) -> Checked:
    """Check a finished answer whose [n] point into `sources`.

    `term_weights` is the idf of terms where it is known. `others` are passages that were in the context and are not
    cited: an uncited sentence that only one of them supports makes it a source.
    """
    return Checker([*sources.values(), *others], term_weights or {}).check(text, sources)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What was found of a statement, whatever it stands among; `wrong` are spans in its words, `added` a place in the context."""

    verdict: Verdict
    wrong: tuple[tuple[int, int], ...] = ()
    added: int | None = None


class Checker:
    """The passages that an answer may rest on, read for checking; sentences may be checked while it still streams."""

    def __init__(self, context: Sequence[Chunk], term_weights: Mapping[str, float]) -> None:
        self._context = tuple(dict.fromkeys(context))
        self._evidence = Evidence(dict(enumerate(self._context)), term_weights)
        self._found: dict[tuple[object, ...], _Finding] = {}

    def look_ahead(self, text: str, sources: Mapping[int, Chunk]) -> None:
        """Check the sentences of an answer so far that are whole, so that little is left to do when it ends."""
        self._findings(statements(text)[:-1], sources)

    def check(self, text: str, sources: Mapping[int, Chunk]) -> Checked:
        """Check a finished answer whose [n] point into `sources`, which are part of the context."""
        said = statements(text)
        numbers = {chunk: number for number, chunk in sources.items()}
        joined: list[Chunk] = []
        checks: list[SentenceCheck] = []
        for statement, finding in zip(said, self._findings(said, sources), strict=True):
            added = None
            if finding.added is not None:
                chunk = self._context[finding.added]
                if chunk not in numbers:
                    numbers[chunk] = max(numbers.values(), default=0) + 1
                    joined.append(chunk)
                added = numbers[chunk]
            checks.append(_check(statement, finding, added))
        return _placed(text, said, checks, tuple(joined))

    def _findings(self, said: Sequence[Statement], sources: Mapping[int, Chunk]) -> list[_Finding]:
        at = {chunk: place for place, chunk in enumerate(self._context)}
        cited = [tuple(at[sources[n]] for n in s.cited if n in sources and sources[n] in at) for s in said]
        keys = [(s.words, bool(s.cited), c, s.kind, s.lead, len(s.places)) for s, c in zip(said, cited, strict=True)]
        new = {key: (s, c) for key, s, c in zip(keys, said, cited, strict=True) if key not in self._found}
        read = read_clauses([*(s.words for s, _ in new.values()), *(s.lead for s, _ in new.values())])
        for place, (key, (statement, among)) in enumerate(new.items()):
            around = frozenset[str]().union(*(clause.terms for clause in read[len(new) + place]))
            self._found[key] = self._find(statement, among, _own(read[place], statement), around)
        return [self._found[key] for key in keys]

    def _find(
        self, statement: Statement, cited: tuple[int, ...], clauses: Sequence[Clause], around: frozenset[str]
    ) -> _Finding:
        if statement.kind in ("heading", "header", "code") or states_nothing(statement.words, statement.kind == "lead"):
            return _Finding("exempt")
        if statement.cited:
            judgement = self._evidence.judge(clauses[:MOST_CLAUSES], around, cited)
            return _Finding(_verdict(judgement), judgement.wrong)
        places = range(len(self._context))
        singly = {place: self._evidence.judge(clauses[:MOST_CLAUSES], around, (place,)) for place in places}
        says = sum(len(clause.terms) for clause in clauses)
        added = _only_one(singly) if says >= FEWEST else None
        return _Finding("uncited", _wrong_in_all(singly)) if added is None else _Finding("supported", (), added)


def _check(statement: Statement, finding: _Finding, added: int | None) -> SentenceCheck:
    wrong = [(start, end, span) for start, end in sorted(finding.wrong) if (span := _span(statement, start, end))]
    return SentenceCheck(
        statement.start,
        statement.end,
        statement.cited,
        finding.verdict,
        tuple(statement.words[start:end].strip() for start, end, _ in wrong),
        tuple(span for *_, span in wrong),
        added,
    )


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.wrong or judgement.opposed:
        return "unsupported"
    enough = SUPPORTED_FIGURE if judgement.held else SUPPORTED
    return (
        "supported"
        if judgement.share >= enough and not judgement.alone
        else "weak"
        if judgement.share >= WEAK
        else "unsupported"
    )


def _only_one(singly: Mapping[int, Judgement]) -> int | None:
    """The one source that supports a sentence while no other comes near to it."""
    supporting = [place for place, judgement in singly.items() if _verdict(judgement) == "supported"]
    if len(supporting) != 1 or singly[supporting[0]].share < ADDED:
        return None
    best = singly[supporting[0]]
    rest = (other for place, other in singly.items() if place != supporting[0] and _verdict(other) != "unsupported")
    return None if any(best.held or other.share >= best.share - APART for other in rest) else supporting[0]


def _wrong_in_all(singly: Mapping[int, Judgement]) -> tuple[tuple[int, int], ...]:
    each = [frozenset(judgement.wrong) for judgement in singly.values()]
    return tuple(frozenset.intersection(*each)) if each else ()


def _own(clauses: Sequence[Clause], statement: Statement) -> list[Clause]:
    """The clauses without the figures and codes of a table's header, which are not the row's."""
    if statement.kind != "row":
        return list(clauses)
    return [clause.only(lambda start, end: _span(statement, start, end) is not None) for clause in clauses]


def _span(statement: Statement, start: int, end: int) -> tuple[int, int] | None:
    first, last = statement.places[start], statement.places[end - 1]
    return (first, last + 1) if first >= 0 and last >= 0 else None


def _placed(
    text: str, found: Sequence[Statement], checks: Sequence[SentenceCheck], joined: tuple[Chunk, ...]
) -> Checked:
    """The text with the added citations, and the checks with their places in it."""
    pieces: list[str] = []
    placed: list[SentenceCheck] = []
    at = moved = 0
    for statement, check in zip(found, checks, strict=True):
        marker = f"[{check.added}]" if check.added is not None else ""
        start = check.start + moved
        spans = tuple((a + moved, b + moved) for a, b in check.spans)
        if marker:
            pieces += [text[at : statement.insert], marker]
            at = statement.insert
            moved += len(marker)
        cited = check.cited if check.added is None else (check.added,)
        placed.append(replace(check, start=start, end=check.end + moved, cited=cited, spans=spans))
    verdicts = [check.verdict for check in placed]
    return Checked(
        "".join([*pieces, text[at:]]),
        tuple(placed),
        Counts(
            supported=verdicts.count("supported"),
            weak=verdicts.count("weak"),
            unsupported=verdicts.count("unsupported"),
            uncited=verdicts.count("uncited"),
            exempt=verdicts.count("exempt"),
            added=sum(check.added is not None for check in placed),
            wrong=sum(len(check.wrong) for check in placed),
        ),
        joined,
    )
