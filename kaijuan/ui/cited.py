"""What the pointer or the keyboard shows of a citation: the source, and its sentence that the answer's own rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kaijuan.answering.units import units
from kaijuan.text import sentences
from kaijuan.text.tokens import seed_tokens
from kaijuan.types import Chunk

#: Characters of a sentence that are shown.
SHOWN = 120
_CITATION = re.compile(r"\[(\d{1,3})\]")


class CitedSentences:
    """The sentence of a passage for each citation of an answer, in the order in which they stand."""

    def __init__(self, text: str) -> None:
        self._said: dict[int, Iterator[str]] = {}
        found: dict[int, list[str]] = {}
        for start, end in sentences(text):
            for match in _CITATION.finditer(text, start, end):
                found.setdefault(int(match[1]), []).append(_CITATION.sub("", text[start:end]))
        self._said = {number: iter(said) for number, said in found.items()}

    def next(self, number: int, chunk: Chunk) -> str:
        """The sentence of this passage nearest to what the next citation of this number stands in; empty without one."""
        said = next(self._said.get(number, iter(())), "")
        return nearest_sentence(said, chunk)


def nearest_sentence(said: str, chunk: Chunk) -> str:
    """The passage's sentence that shares most with what is said, the first of them; empty for an empty passage.

    >>> nearest_sentence("运费由谁承担", Chunk("a#0", "a", "运费", "七天内可退。运费由买家承担。"))
    '运费由买家承担。'
    """
    words = set(seed_tokens(said))
    stated = [unit.text for unit in units(chunk.text, 1) if unit.kind != "heading"]
    if not stated:
        return ""
    best = max(stated, key=lambda sentence: len(words & set(seed_tokens(sentence))))
    return best if len(best) <= SHOWN else f"{best[: SHOWN - 1]}…"
