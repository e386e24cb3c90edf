"""Claims: every figure of a passage with the words around it and what sets it apart from others.

>>> passage = Passage(Chunk("a#0", "a", "运费", ""), ("大陆地区运费满九十九元免。",))
>>> [(claim.figure.written, sorted(claim.clause)) for claim in claims(passage)]
[('九十九元', ['区运', '地区', '大陆', '费满', '运费', '陆地'])]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kaijuan.answering.contrast import Sides, sides
from kaijuan.answering.figures import Figure, figures
from kaijuan.text import fold
from kaijuan.types import Chunk

_CLAUSE = re.compile(r"[，,：:；;。！？!?|\n]+")
_EXCEPTION = re.compile("遇|除外|例外|除了|否则|另")
_MARKERS = re.compile(r"\b[问答qa]\s*[:：]")
#: Pairs of characters that say nothing about the subject.
_STOP = frozenset(re.findall("..", "以内之内以上以下以后之后之前超过不超可以一般需要如果的话没有"))


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with those of its sentences that are relevant to the question, best first."""

    chunk: Chunk
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure with its passage and sentence, and what sets it apart from others.

    `clause` and `whole` are the character pairs of the figure's clause and of its sentence, figures left out.
    """

    passage: Passage
    sentence: str
    figure: Figure
    clause: frozenset[str]
    whole: frozenset[str]
    sides: Sides

    @property
    def source(self) -> str:
        """Id of the document that says it."""
        return self.passage.chunk.source_id


def claims(passage: Passage) -> Iterator[Claim]:
    """Claims of a passage, sentence by sentence."""
    chunk = passage.chunk
    for sentence in passage.sentences:
        found = [f for f in figures(sentence) if f.unit]
        whole = _bigrams(masked_part(sentence, found))
        for figure in found:
            start, end = _clause_of(sentence, figure)
            near = [sentence[start:end], *_around(sentence, start, end, figure, found), _lead(chunk, sentence)]
            wide = [*reversed(chunk.headings), chunk.title]
            yield Claim(
                passage=passage,
                sentence=sentence,
                figure=figure,
                clause=_bigrams(masked_part(sentence, found, start, end)),
                whole=whole,
                sides=sides([fold(text) for text in (*near, *wide)], len(near), figure.per),
            )


def _clause_of(sentence: str, figure: Figure) -> tuple[int, int]:
    start, end = 0, len(sentence)
    for mark in _CLAUSE.finditer(sentence):
        if mark.end() <= figure.start:
            start = mark.end()
        elif mark.start() >= figure.end:
            return start, mark.start()
    return start, end


def _around(sentence: str, start: int, end: int, figure: Figure, found: Sequence[Figure]) -> list[str]:
    """The clauses before a figure's, nearest first, then those behind it up to the next figure of its family.

    A clause behind that names an exception says nothing about the figure.
    """
    before = [text for text in _CLAUSE.split(sentence[:start]) if text.strip()]
    rival = next((f.start for f in found if f.start >= end and f.family == figure.family), len(sentence))
    behind = [text for text in _CLAUSE.split(sentence[end:rival]) if text and not _EXCEPTION.search(text)]
    return [*reversed(before), *behind]


def _lead(chunk: Chunk, sentence: str) -> str:
    """What a sentence stands under in its chunk: the last line before it that asks or opens a list."""
    above = chunk.text[: max(chunk.text.find(sentence[:16]), 0)].split("\n")
    return next((line for line in reversed(above) if line.rstrip(" *").endswith(("：", ":", "？", "?"))), "")


def masked_part(sentence: str, found: Sequence[Figure], start: int = 0, end: int | None = None) -> str:
    """A part of a sentence folded, with a blank for each figure, so that no word forms across it."""
    end = len(sentence) if end is None else end
    pieces, at = [], start
    for figure in found:
        if start <= figure.start and figure.end <= end:
            pieces.append(sentence[at : figure.start])
            at = figure.end
    return _MARKERS.sub(" ", fold(" ".join([*pieces, sentence[at:end]])))


def _bigrams(text: str) -> frozenset[str]:
    runs = re.findall(r"\w+", text)
    return frozenset(run[i : i + 2] for run in runs for i in range(len(run) - 1)) - _STOP
