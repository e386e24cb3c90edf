"""Answering without a model: the sentences of the context that answer the question, each with its citation.

A unit's worth = how near it is to the question (under its document's title, or by the question it answers), how much of the
question's term weight it holds, and how well its chunk was ranked. What is said is always a unit of a source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from types import MappingProxyType

from kaijuan.answering.citations import shield
from kaijuan.answering.figures import figures
from kaijuan.answering.orders import is_order
from kaijuan.answering.refusal import asked_codes
from kaijuan.answering.similarity import Similarity, covered, titled
from kaijuan.answering.types import Conflict
from kaijuan.answering.units import Unit, units
from kaijuan.retrieval.context import without_repeats
from kaijuan.text import fold
from kaijuan.types import Candidate

#: Units that are compared by embedding; the others cannot win on words or rank any more.
COMPARED_UNITS = 12
#: Units said at most, characters said at most, and how near to the best unit's worth another must come.
SAID_UNITS = 4
SAID_CHARS = 420
NEAR_BEST = 0.87
NEAR_BEST_ELSEWHERE = 0.9
LIST_ITEMS = 10
#: What the nearness of its question or list opening counts for a unit.
UNDER_LEAD = 0.95
#: What becomes of the worth of a unit that holds a code asked for, and of one that holds only others.
ASKED_CODE, OTHER_CODE = 1.3, 0.7
#: What becomes of the worth of a unit from a document that is not in force.
NOT_IN_FORCE = 0.7
#: How near to the best a table row must come: its neighbours are alike in everything but the cell that matters.
NEAR_BEST_ROW = 0.96
#: How near to a part of a question its best unit must be to answer for that part.
NEAR_PART = 0.6
#: Share of common bigrams from which two units run parallel, and from which one repeats the other.
PARALLEL, REPEATED = 0.5, 0.8

_NEAR_WEIGHT, _WORDS_WEIGHT, _OWN_WORDS_WEIGHT, _RANK_WEIGHT = 0.6, 0.3, 0.03, 0.1
_NOT_SAID = frozenset({"heading", "question", "code"})
PART_CHARS = 4
_PARTS = re.compile(r"[，,；;？?。！!\n]+")
_HOW = re.compile("怎么|如何|怎样|步骤|流程|哪些|办法|方法|什么条件")


@dataclass(frozen=True, slots=True)
class Rated:
    """A unit with its worth for the question."""

    unit: Unit
    worth: float
    cosine: float
    compared: str


def rate(
    question: str,
    context: Sequence[Candidate],
    similarity: Similarity,
    weights: dict[str, float],
    stale: Collection[int] = (),
) -> list[Rated]:
    """Every unit of the context that could be said, best first; ties in reading order of the best chunk first.

    `stale` are numbers of sources that are not in force: what another one says comes before them.
    """
    best_first = list(reversed(context))
    texts = without_repeats([candidate.chunk for candidate in best_first])
    found: list[tuple[float, Unit, str]] = []
    for rank, (candidate, text) in enumerate(zip(best_first, texts, strict=True)):
        title = candidate.chunk.title
        heading = candidate.chunk.headings[-1] if candidate.chunk.headings else ""
        for unit in units(text, candidate.context_number or 0):
            if unit.kind not in _NOT_SAID and len(unit.text) > 1 and not is_order(unit.text):
                # What the title and heading name is the subject of every unit below them, so it tells none apart.
                words = covered(weights, f"{title} {heading} {unit.lead} {unit.text}")
                base = _WORDS_WEIGHT * words + _OWN_WORDS_WEIGHT * covered(weights, unit.text)
                found.append((base + _RANK_WEIGHT / (1 + rank), unit, title))
    found.sort(key=lambda row: -row[0])
    rated = [_rated(question, *row, similarity) for row in found[:COMPARED_UNITS]]
    held = [replace(r, worth=r.worth * NOT_IN_FORCE) if r.unit.number in stale else r for r in rated]
    return sorted(held, key=lambda r: -r.worth)


def _rated(question: str, base: float, unit: Unit, title: str, similarity: Similarity) -> Rated:
    compared = titled(title, unit.text)
    cosine = similarity.near(question, compared)
    if unit.lead:
        cosine = max(cosine, UNDER_LEAD * similarity.near(question, unit.lead))
    worth = base + _NEAR_WEIGHT * max(cosine, 0.0)
    return Rated(unit, worth * _code_factor(question, unit.text), cosine, compared)


def _code_factor(question: str, text: str) -> float:
    """The row of E4031 does not answer for E4032, and the row of E4032 does before any prose."""
    asked, held = set(asked_codes(question)), set(asked_codes(text))
    if not asked or not held:
        return 1.0
    return OTHER_CODE if asked.isdisjoint(held) else ASKED_CODE


def choose(
    question: str, rated: Sequence[Rated], context: Sequence[Candidate], similarity: Similarity, strict: bool = False
) -> list[Unit]:
    """The units to say, in the order to say them: by chunk, best chunk first, and inside a chunk as written.

    With `strict` only what comes very near to the best is said, as beside a dispute that says most already.
    """
    if not rated:
        return []
    everything = {c.context_number: units(c.chunk.text, c.context_number or 0) for c in context}
    chosen: list[Unit] = []
    parts = _best_of_parts(question, rated, similarity)
    worthy = [item for item in rated[1:] if item.worth >= rated[0].worth * _needed(item, rated[0], strict)]
    for item in dict.fromkeys([rated[0], *parts, *worthy]):
        group = _with_its_list(item.unit, everything[item.unit.number], bool(_HOW.search(question)))
        new = [unit for unit in group if not _repeats(unit, chosen)]
        total = sum(len(unit.text) for unit in (*chosen, *new))
        if chosen and (len(chosen) >= SAID_UNITS or total > SAID_CHARS):
            break
        chosen += new
    order = list(dict.fromkeys(item.unit.number for item in rated))
    return sorted(chosen, key=lambda unit: (order.index(unit.number), unit.place))


def _needed(item: Rated, best: Rated, strict: bool) -> float:
    """Share of the best worth that a unit must have to be said too."""
    if strict or item.unit.kind == "row":
        return NEAR_BEST_ROW
    # What another source says in the same words about another case belongs beside it.
    near = item.unit.number == best.unit.number or _overlap(item.unit.text, best.unit.text) >= PARALLEL
    return NEAR_BEST if near else NEAR_BEST_ELSEWHERE


def _best_of_parts(question: str, rated: Sequence[Rated], similarity: Similarity) -> list[Rated]:
    """The nearest unit of each part of a question that asks several things, where it is near enough."""
    parts = [part for part in _PARTS.split(question) if len(part.strip()) >= PART_CHARS]
    if not similarity.available or (len(parts) < 2 and len(asked_codes(question)) < 2):
        return []
    # Beside a code, only the passage that the answer comes from speaks for the question's other parts.
    fitting = [item for item in rated if _code_factor(question, item.unit.text) >= 1.0]
    if asked_codes(question):
        own = rated[0].unit.number
        fitting = [r for r in fitting if r.unit.number == own or _code_factor(question, r.unit.text) > 1.0]
    codes = asked_codes(question)
    by_code = [next((r for r in fitting if code in asked_codes(r.unit.text)), None) for code in codes if len(codes) > 1]
    nearest = [max((similarity.near(part, r.compared), -i) for i, r in enumerate(fitting)) for part in parts if fitting]
    near = [fitting[-place] for cosine, place in nearest if cosine >= NEAR_PART]
    return [item for item in (*by_code, *near) if item is not None]


def _with_its_list(unit: Unit, around: Sequence[Unit], whole_list: bool) -> list[Unit]:
    """The unit, with the list that it opens, or for a how-question the list it belongs to."""
    # Repeated sentences were left out of what was rated, so places may differ; the place counts where it agrees.
    alike = [u for u in around if u.text == unit.text]
    own = next((u for u in alike if u.place == unit.place), next(iter(alike), None))
    if own is None:
        return [unit]
    if own.text.endswith(("：", ":")):
        rest = takewhile(lambda u: u.kind in ("item", "row") and u.lead == own.text, around[own.place + 1 :])
        return [own, *islice(rest, LIST_ITEMS)]
    if own.kind == "item" and whole_list:
        items = [u for u in around if u.kind == "item" and u.block == own.block]
        return items[:LIST_ITEMS] if own in items[:LIST_ITEMS] else [own]
    return [own]


def _repeats(unit: Unit, said: Sequence[Unit]) -> bool:
    return any(_same(unit.text, other.text) for other in said)


def _same(first: str, second: str) -> bool:
    """Whether two texts say the same: nearly the same words and the same figures."""
    return _overlap(first, second) > REPEATED and _amounts(first) == _amounts(second)


def _amounts(text: str) -> frozenset[str]:
    return frozenset(figure.written for figure in figures(fold(text)))


def _overlap(first: str, second: str) -> float:
    a, b = _shingles(first), _shingles(second)
    return len(a & b) / max(1, min(len(a), len(b)))


def _shingles(text: str) -> frozenset[str]:
    folded = re.sub(r"\W+", "", fold(text))
    return frozenset(folded[i : i + 2] for i in range(max(len(folded) - 1, 1)))


def draft(
    chosen: Sequence[Unit],
    conflicts: Sequence[Conflict],
    numbers: dict[str, int],
    labels: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[str]:
    """The answer's text in pieces, every unit followed by the [number] of its source.

    `labels` says of sources by their number why they are not in force. `numbers` gives the source number of each chunk id. Disputed figures come first, side by side with their dates.
    """
    disputed = [s for conflict in conflicts for s in conflict.statements]
    for conflict in conflicts:
        cited = "".join(f"[{numbers[s.chunk.id]}]" for s in conflict.statements)
        yield f"资料中的说法不一致，各自的说法和日期如下{cited}：\n\n"
        for statement in conflict.statements:
            date = statement.chunk.updated or "未注明日期"
            newer = "，较新" if statement.newer else ""
            newer += f"，{held}" if (held := labels.get(numbers[statement.chunk.id])) else ""
            said = _before_stop(statement.sentence, f"[{numbers[statement.chunk.id]}]")
            yield f"- 《{shield(statement.chunk.title)}》（{date}{newer}）：{said}\n"
    said_already = {fold(s.sentence) for s in disputed}
    previous: Unit | None = None
    for unit in chosen:
        if fold(unit.text) in said_already or (disputed and any(_same(unit.text, s.sentence) for s in disputed)):
            continue
        if previous is None and disputed:
            yield "\n"
        yield from _said(unit, previous, labels.get(unit.number, ""))
        previous = unit


def _said(unit: Unit, previous: Unit | None, label: str) -> Iterator[str]:
    marker = f"（{label}）[{unit.number}]" if label else f"[{unit.number}]"
    listed = unit.kind in ("item", "row")
    if previous is not None:
        together = previous.number == unit.number and not listed and previous.kind == "sentence"
        yield "" if together else "\n" if listed and previous.kind == unit.kind else "\n\n"
    yield f"{'- ' if listed else ''}{_before_stop(unit.text, marker)}"


def _before_stop(text: str, marker: str) -> str:
    """The citation goes before the full stop of its sentence."""
    body = text.rstrip("。；;.：:，,、！？!?")
    end = text[len(body) :][:1]
    return f"{shield(body)}{marker}{end if end and end in '：:！？!?' else '。'}"
