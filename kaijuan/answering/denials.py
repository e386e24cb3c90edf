"""Conflicts of yes and no: one document says that something may be done, is needed or costs nothing, another denies it.

>>> [(p.axis, p.yes, p.written) for p in polarities("网页端不支持断点续传。")]
[('can', False, '不支持')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from kaijuan.answering.claims import Passage
from kaijuan.answering.contrast import Sides, apart, sides
from kaijuan.answering.types import Conflict, Statement
from kaijuan.text import fold

Similarity = Callable[[str, str], float]

#: How alike two sentences must be without their yes or no (Dice of character pairs), and how near to the question.
SAME_SUBJECT, NEAR_QUESTION = 0.6, 0.77
#: Sentences of a passage that are compared.
COMPARED = 6

# Longer words first: 不可以 before 可以. Each axis has what denies and what affirms.
_AXES = {
    "can": (
        "不可以|不能够?|不得|不支持|不允许|不准|禁止|严禁|无法|不可|不接受|不提供|不办理",
        "可以|能够|支持|允许|接受|提供|可|能(?!力|量|源|效|耗)",
    ),
    "need": ("无需|无须|不需要|不用|不必|毋须|免于", "需要|必须|务必|须|需"),
    "fee": ("免费|不收费|不收取|免收|不另收", "收费|付费|收取|加收|另收|有偿"),
    "holds": ("不包括|不包含|不含|不在其内|除外", "包括|包含|含有"),
    "is_done": ("尚未|还没有?|没有|未(?!来|必)", "已经?(?=[^知])"),
}
_AXIS = {axis: re.compile(f"(?P<no>{no})|(?P<yes>{yes})") for axis, (no, yes) in _AXES.items()}
_ASKS_WHETHER = re.compile(
    r"吗|么[？?]?\Z|是否|能不能|可不可以|可否|能否|支不支持|需不需要|用不用|要不要|有没有|是不是|收不收|包不包|\b(?:can|is|are|does|do|may)\b"
)
_CONDITION = re.compile("如果|若|除非|例外|除了|否则|但是?|不过|仅限|只有|以外")
_STOP = frozenset(("以后", "之后", "可以", "的话"))


@dataclass(frozen=True, slots=True)
class Polarity:
    """A yes or no in a sentence: on which axis, which of the two, as written, and where (half open)."""

    axis: str
    yes: bool
    written: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Said:
    passage: Passage
    sentence: str
    polarity: Polarity
    rest: frozenset[str]
    sides: Sides


def asks_whether(question: str) -> bool:
    """Whether a question wants a yes or a no."""
    return _ASKS_WHETHER.search(fold(question)) is not None


def polarities(sentence: str) -> list[Polarity]:
    """The yes or no of a sentence on each axis; none on an axis where it says both, or says it under a condition."""
    text = fold(sentence)
    if _CONDITION.search(text):
        return []
    found = []
    for axis, pattern in _AXIS.items():
        matches = list(pattern.finditer(text))
        if matches and len({match.lastgroup for match in matches}) == 1:
            first = matches[0]
            found.append(Polarity(axis, first.lastgroup == "yes", first.group(), first.start(), first.end()))
    return found


def find_denials(question: str, passages: Sequence[Passage], similarity: Similarity | None) -> tuple[Conflict, ...]:
    """Two documents that give opposite answers to a yes-or-no question; at most one, the clearest."""
    if not asks_whether(question):
        return ()
    said = [s for passage in passages for s in _said(passage)]
    asked = sides([fold(question)], 1)
    best = max((similarity(question, s.sentence) for s in said), default=0.0) if similarity else 0.0
    pairs = []
    for first, second in combinations(said, 2):
        if first.passage.chunk.source_id == second.passage.chunk.source_id:
            continue
        if first.polarity.axis != second.polarity.axis or first.polarity.yes == second.polarity.yes:
            continue
        alike = _dice(first.rest, second.rest)
        if alike < SAME_SUBJECT or apart(first.sides, second.sides, asked):
            continue
        if similarity and min(similarity(question, s.sentence) for s in (first, second)) < NEAR_QUESTION * best:
            continue
        pairs.append((alike, first, second))
    if not pairs:
        return ()
    _, first, second = max(pairs, key=lambda pair: pair[0])
    return (_conflict(first, second),)


def _said(passage: Passage) -> Iterator[_Said]:
    chunk = passage.chunk
    around = [fold(text) for text in (*reversed(chunk.headings), chunk.title)]
    for sentence in passage.sentences[:COMPARED]:
        text = fold(sentence)
        for polarity in polarities(sentence):
            rest = _bigrams(f"{text[: polarity.start]} {text[polarity.end :]}")
            yield _Said(passage, sentence, polarity, rest, sides([text, *around], 1))


def _bigrams(text: str) -> frozenset[str]:
    return frozenset(run[i : i + 2] for run in re.findall(r"\w+", text) for i in range(len(run) - 1)) - _STOP


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / max(1, len(first) + len(second))


def _conflict(*pair: _Said) -> Conflict:
    ordered = sorted(pair, key=lambda s: (s.passage.chunk.updated or "", s.passage.chunk.id))
    dates = [s.passage.chunk.updated or "" for s in ordered]
    comparable = all(dates) and not dates[1].startswith(dates[0])
    return Conflict(
        "",
        tuple(
            Statement(s.sentence, s.polarity.written, s.passage.chunk, newer=comparable and place == 1)
            for place, s in enumerate(ordered)
        ),
    )
