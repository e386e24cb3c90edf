"""Evidence: whether the sources hold what a statement says: its figures and codes with their subject, its words, its yes or no.

A figure, a code or a deed stands in several clauses of a source. The one that is nearest to the statement's clause in all
other words is the one that it speaks of; when that one says otherwise, the statement is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kaijuan.answering.figures import Figure
from kaijuan.answering.support_clauses import Clause
from kaijuan.answering.support_deeds import deed_match, deed_terms, same_deed
from kaijuan.answering.support_figures import amounts, bounds_differ, rivals, same_figure
from kaijuan.answering.support_near import Compared, Comparing, Weights
from kaijuan.answering.support_sources import Passage, Place, SourceEvidence, deed_places, source_evidence
from kaijuan.types import Chunk

#: By how much another clause must be nearer for a figure to belong to something else: in the same source, and in another
#: one, since sources that disagree may both be cited.
MARGIN, ACROSS = 0.1, 0.35
#: How near a clause must be for what it denies to speak against the statement, and what a whole deed in common counts,
#: in general and where a source affirms what the statement denies.
ALIGNED, DEED, AFFIRMED = 0.3, 0.8, 0.3
#: From which match a clause that denies a deed affirms it as well.
ALSO = 0.45
#: Of the share of a statement's words: what pairs count beside single characters, and what a word counts that stands in
#: the source but in another sentence.
PAIRS, ELSEWHERE = 0.65, 0.5
#: Weight from which a clause must be held for itself, and the share of it that is hardly any.
WHOLE_CLAUSE, HARDLY = 8.0, 0.22
#: Words that make an article a number.
_LIMITS = re.compile("[只仅限]|最多|至多")
#: What an answer may count of its own: 有两种说法.
_COUNTED = frozenset(re.findall("..", "说法情况情形口径版本方面方式方法途径办法步骤条件要求原因要点规定场景"))
_MODAL = frozenset("允许准必须需应当让给再自动")


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a statement stands against sources: share of its words held (0 to 1), spans of what they do not hold.

    `opposed` says that they say the opposite; `held` counts its figures and codes that they do hold. `alone` says that
    one of its clauses has hardly a word in them.
    """

    share: float
    wrong: tuple[tuple[int, int], ...]
    opposed: bool
    held: int
    alone: bool = False


class Evidence:
    """The sources of an answer by number; `weights` are the idf of terms in the whole index where it is known."""

    def __init__(self, sources: Mapping[int, Chunk], weights: Mapping[str, float]) -> None:
        self._chunks = dict(sources)
        self._sources = {number: source_evidence(chunk) for number, chunk in sources.items()}
        self._weights = Weights(self._sources.values(), weights)

    def judge(self, clauses: Sequence[Clause], around: frozenset[str], numbers: Iterable[int]) -> Judgement:
        """Hold a statement's clauses against the sources of these numbers together; `around` is what it stands under."""
        known = [n for n in numbers if n in self._sources]
        cited = [self._sources[n] for n in known]
        compared = Comparing(self._weights, clauses, around, cited)
        wrong: list[tuple[int, int]] = []
        held = 0
        for which, clause in enumerate(clauses):
            for at, figure in enumerate(clause.figures):
                if _holds_figure(at, compared[which], cited):
                    held += 1
                else:
                    wrong.append((figure.start, figure.end))
            for code, span in clause.codes.items():
                if _holds_code(code, compared[which], cited):
                    held += 1
                else:
                    wrong.append(span)
        share, alone = self._share(clauses, cited)
        chunks = [self._chunks[n] for n in known]
        opposed = any(_opposes(compared, at, cited, chunks) for at in range(len(clauses)))
        return Judgement(share, tuple(wrong), opposed, held, alone)

    def _share(self, clauses: Sequence[Clause], cited: Sequence[SourceEvidence]) -> tuple[float, bool]:
        """Share of the words' weight that the sources hold, and whether they hold hardly a word of some clause."""
        got = total = 0.0
        alone = False
        for clause in clauses:
            words = [term for term in clause.words if term[-1] not in "<>"]
            size = self._weights.of(words)
            best = max((self._held(words, source) for source in cited), default=0.0)
            characters = max((len(clause.characters & source.characters) for source in cited), default=0)
            held = PAIRS * best + (1.0 - PAIRS) * size * characters / max(1, len(clause.characters))
            alone = alone or (size >= WHOLE_CLAUSE and held < HARDLY * size)
            got += held
            total += size
        return (got / total if total else 0.0), alone

    def _held(self, words: Iterable[str], source: SourceEvidence) -> float:
        """Weight of the words that the source's best sentence holds, and half of those that only the rest of it holds."""
        anywhere = 0.0
        by_passage: dict[int, float] = {}
        for word in words:
            if places := source.passages_with.get(word):
                weight = self._weights[word]
                anywhere += weight if word in source.words else 0.0
                for at in places:
                    by_passage[at] = by_passage.get(at, 0.0) + weight
        return ELSEWHERE * anywhere + (1.0 - ELSEWHERE) * max(by_passage.values(), default=0.0)


def _holds_figure(at: int, compared: Compared, cited: Sequence[SourceEvidence]) -> bool:
    """Whether one of the sources holds a figure of the clause, by its place there, together with its subject."""
    clause = compared.clause
    figure = clause.figures[at]
    itself = frozenset(amounts(figure))
    # With no word of its own to go by, no figure of the statement is taken for this one's rival.
    stated = clause.figures if compared.has_own(itself) else compared.statement.figures
    found = [_with_figures(source, clause, at, stated) for source in cited]
    for fitting, against in found:
        if any(place.passage.dated for place in fitting):
            return True
        elsewhere = [place for _, others in found if others is not against for place in others]
        if fitting and not against and not elsewhere:
            return True
        if fitting:
            best = max(compared.nearness(place, itself) for place in fitting)
            outdone = _is_outdone(best + MARGIN, against, itself, compared)
            if not outdone and not _is_outdone(best + ACROSS, elsewhere, itself, compared):
                return True
    if any(fitting for fitting, _ in found):
        return False
    others = [place for _, against in found for place in against]
    if (counted := clause.beside[at][1]) in _COUNTED:
        return not any(behind == counted for place in others for _, behind in place.clause.beside)
    return _is_article(figure) and not (others and _LIMITS.search(clause.affirmed))


def _is_outdone(best: float, against: Sequence[Place], itself: frozenset[str], compared: Compared) -> bool:
    """Whether a place with another figure is nearer than that, and not what another clause of the statement says."""
    return any(
        (near := compared.nearness(place, itself)) > best and not _said_by_another(place, near, compared)
        for place in against
        if compared.may_speak_of(place, itself)
    )


def _holds_code(code: str, compared: Compared, cited: Sequence[SourceEvidence]) -> bool:
    """Whether the sources hold a code, and no other code's clause is nearer to the statement."""
    if not any(code in source.codes for source in cited):
        return False
    itself = frozenset((code,))
    own: list[Place] = []
    against: list[Place] = []
    for place in (place for source in cited for place in source.places):
        if code in place.codes or code in place.clause.terms or (not place.codes and code in place.passage.above):
            own.append(place)
        elif place.codes and compared.may_speak_of(place, itself) and not place.codes <= compared.codes:
            against.append(place)
    said = frozenset(amount for figure in compared.statement.figures for amount in amounts(figure))
    if not own or not against or any(not said.isdisjoint(place.passage.words) for place in own):
        return True
    best = max(compared.nearness(place, itself) for place in own) + MARGIN
    return not any(compared.nearness(place, itself) > best for place in against)


def _opposes(compared: Comparing, at: int, cited: Sequence[SourceEvidence], chunks: Sequence[Chunk]) -> bool:
    """Whether the clauses that are nearest say the opposite of what a clause of the statement says."""
    clause = compared.clauses[at]
    if any(_opposes_deed(compared[at], *deed, cited, chunks) for deed in _deeds(clause, cited)):
        return True
    return bool(clause.sides) and _opposes_side(compared[at], cited)


def _opposes_deed(
    compared: Compared, deed: str, affirms: bool, sure: float, cited: Sequence[SourceEvidence], chunks: Sequence[Chunk]
) -> bool:
    """Whether a source denies a deed that the clause affirms, or affirms what it denies, of what the clause speaks of."""
    terms = deed_terms(deed)
    same = other = -1.0
    for spoken in (spoken for chunk in chunks for spoken in deed_places(chunk, deed)):
        agrees = spoken.denies != affirms
        if agrees or _of_one_thing(compared.clause, terms, spoken.place.passage):
            # Much is affirmed somewhere, little is denied: a deed affirmed says less against a denial.
            counts = (DEED if agrees or affirms else AFFIRMED) * spoken.match * sure
            near = compared.nearness(spoken.place, terms, deed=True) + counts
            same, other = (max(same, near), other) if agrees else (same, max(other, near))
    if other < ALIGNED or other - max(same, 0.0) <= MARGIN:
        return False
    # A clause that is nearer without a word of the deed is the one that is spoken of.
    speaking = {id(spoken.place) for chunk in chunks for spoken in deed_places(chunk, deed)}
    silent = (p for source in cited for p in source.places if p.passage.states and id(p) not in speaking)
    return all(other - compared.nearness(place, terms, deed=True) > MARGIN / 2 for place in silent)


def _opposes_side(compared: Compared, cited: Sequence[SourceEvidence]) -> bool:
    """Whether a source takes the other side of two on what the clause speaks of."""
    clause = compared.clause
    if not clause.sides:
        return False
    same: dict[int, float] = {}
    other: dict[int, float] = {}
    for place in (place for source in cited for place in source.places if place.passage.states and place.clause.sides):
        for axis in clause.sides.keys() & place.clause.sides.keys():
            agrees = place.clause.sides[axis] == clause.sides[axis]
            if agrees or _of_one_thing(clause, frozenset(), place.passage):
                table = same if agrees else other
                table[axis] = max(table.get(axis, 0.0), compared.nearness(place))
    return any(near >= ALIGNED and near - same.get(axis, 0.0) > MARGIN for axis, near in other.items())


def _with_figures(
    source: SourceEvidence, clause: Clause, at: int, stated: Sequence[Figure]
) -> tuple[list[Place], list[Place]]:
    """Places that hold a figure of the clause, and those with another one that could be meant in its place."""
    figure = clause.figures[at]
    days = ("time", "第天") if figure.family in ("time", "第天") else ()
    # A table's header names the unit of its figures, or nothing does.
    families = dict.fromkeys((figure.family, "", *days)) if figure.family else source.by_family
    fitting: list[Place] = []
    against: list[Place] = []
    for place in dict.fromkeys(place for family in families for place in source.by_family.get(family, ())):
        own = place.clause
        same = [other for other, theirs in enumerate(own.figures) if same_figure(figure, theirs)]
        if any(_fits(clause, at, own, other) for other in same):
            fitting.append(place)
        elif (same and any(bounds_differ(figure, own.figures[other]) for other in same)) or any(
            rivals(figure, theirs, stated) for other, theirs in enumerate(own.figures) if other not in same
        ):
            against.append(place)
    return fitting, against


def _deeds(clause: Clause, cited: Sequence[SourceEvidence]) -> Iterator[tuple[str, bool, float]]:
    """What the clause denies, and what it affirms that a source denies; whether it affirms it, and how surely."""
    for deed in dict.fromkeys(clause.denied):
        if deed_match(deed, clause.affirmed) < ALSO:  # 签收和还没签收的 does both
            yield deed, False, 1.0
    for deed in dict.fromkeys(deed for source in cited for deed in source.deeds):
        if deed[0] not in clause.affirmed and deed[1:2] not in clause.affirmed:
            continue
        sure = deed_match(deed, clause.affirmed)
        if sure and not any(same_deed(deed, denied) for denied in clause.denied):
            yield deed, True, sure


def _of_one_thing(clause: Clause, deed: frozenset[str], passage: Passage) -> bool:
    """Whether a passage has some of the clause's characters besides those of the deed, if it has any."""
    if not clause.codes.keys().isdisjoint(passage.words):
        return True
    others = clause.characters.difference(_MODAL, *deed)
    return len(others) < 3 or len(others & passage.characters) >= len(others) / 3


def _said_by_another(place: Place, near: float, compared: Compared) -> bool:
    """Whether the figures of a source's clause are stated by another clause of the statement, which is nearer to it."""
    return any(
        other.nearness(place) > near
        for other in compared.statement.others(compared)
        if any(same_figure(figure, rival) for figure in other.clause.figures for rival in place.clause.figures)
    )


def _is_article(figure: Figure) -> bool:
    """Whether a figure is an article rather than a number: 提交一次申请."""
    return figure.written.startswith("一") and figure.values == (1.0,) and figure.family not in ("time", "money")


def _fits(clause: Clause, at: int, own: Clause, place: int) -> bool:
    """Whether a source's figure of the same amount says what the statement's says: bound, measure, place among others."""
    figure = clause.figures[at]
    if bounds_differ(figure, own.figures[place]):
        return False
    measured, counted = clause.measures[at], own.measures[place]
    if not (measured <= counted or counted <= measured):
        return False  # 每 TB 每月 for 每 GB 每月
    # 8 位卡号加 16 位密码 for 16 位卡号加 8 位密码: the words right beside it are those of the other.
    beside = _alike(clause.beside[at], own.beside[place])
    return not any(
        _alike(clause.beside[at], own.beside[rival]) > beside
        for rival, third in enumerate(own.figures)
        if third.family == figure.family
        and not same_figure(figure, third)
        and any(same_figure(stated, third) for stated in clause.figures)
    )


def _alike(first: tuple[str, str], second: tuple[str, str]) -> int:
    return sum(bool(ours) and ours == theirs for ours, theirs in zip(first, second, strict=True))
