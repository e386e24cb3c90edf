"""Citations in an answer: read in every written form, kept when the source exists, removed and counted when not.

What counts as one, and what does not, is told in kaijuan.answering.markers. Anything in code stays as it is. One pass,
linear time, the same for a stream and for a whole text.

>>> resolve("七天内可退[2]，十五天内可换[9]。", 8)
Cited(text='七天内可退[2]，十五天内可换。', cited=(2,), removed=(9,))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kaijuan.answering.markers import MAX_MARKER, Marker, marker_at

_SPECIAL = re.compile(r"\[(?!\[\[)|[［【(（]|资(?=料|\Z)|`|\n")
_FENCE = re.compile(r"[ \t>]*(?P<marker>`{3,}|~{3,})")
_MAYBE_FENCE = re.compile(r"[ \t>]*(?:`{0,3}|~{0,3})\Z")
#: Longest code span waited for in a stream; a longer one is text.
MAX_CODE_SPAN = 400


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer after its citations were resolved: valid numbers by first appearance, and those taken out."""

    text: str
    cited: tuple[int, ...]
    removed: tuple[int, ...]


def resolve(answer: str, sources: int) -> Cited:
    """Resolve the citations of a whole answer that was given `sources` numbered sources (1 to `sources`)."""
    reader = CitationReader(range(1, sources + 1))
    text = reader.feed(answer) + reader.close()
    return Cited(text, tuple(reader.cited), tuple(reader.removed))


class CitationReader:
    """Resolves citations while the answer streams; holds back only what may still become a marker or a code span.

    `valid` are the numbers that exist. With `renumber` valid numbers are shown as 1, 2, … by first appearance.
    """

    def __init__(self, valid: Iterable[int], renumber: bool = False) -> None:
        self._valid = frozenset(valid)
        self._renumber = renumber
        self.cited: list[int] = []
        self.removed: list[int] = []
        self._pending = ""
        self._tail = ""  # the last characters given out, to know what a bracket stands behind
        self._line_start = True
        self._fence: str | None = None

    def feed(self, piece: str) -> str:
        """Text that is settled after this piece."""
        self._pending += piece
        return self._drain(final=False)

    def close(self) -> str:
        """What was still held back when the stream ended."""
        return self._drain(final=True)

    def shown(self, number: int) -> int:
        """The number under which a cited source is shown."""
        return self.cited.index(number) + 1 if self._renumber else number

    def _drain(self, final: bool) -> str:
        text, self._pending = self._pending, ""
        at, out = 0, []
        while at < len(text):
            step = self._step(text, at, final)
            if step is None:
                self._pending = text[at:]
                break
            length, shown = step
            out.append(shown)
            consumed = text[at : at + length]
            self._line_start = consumed.endswith("\n")
            self._tail = (self._tail + consumed)[-64:]
            at += length
        return "".join(out)

    def _step(self, text: str, at: int, final: bool) -> tuple[int, str] | None:
        """Characters consumed and what is shown for them; None when more text is needed first."""
        if self._line_start:
            fence = _FENCE.match(text, at)
            if fence:
                if not final and text.find("\n", at) < 0:
                    return None  # only a whole line tells whether a fence opens or closes
                return self._turn_fence(text, at, fence["marker"])
            if not final and len(text) - at < MAX_MARKER and _MAYBE_FENCE.match(text, at):
                return None
        if self._fence is not None:
            return _copy(text, at, text.find("\n", at) + 1 or len(text))
        special = _SPECIAL.search(text, at)
        if special is None:
            settled = len(text) if final else _before_blanks(text, at, len(text))
            return _copy(text, at, settled) if settled > at else None
        if special.group() == "\n":
            return _copy(text, at, special.end())
        if special.group() == "`":
            return self._code(text, at, final) if special.start() == at else _copy(text, at, special.start())
        # A mention of a source keeps the blanks before it: it is a word of its sentence.
        plain = special.start() if special.group() == "资" else _before_blanks(text, at, special.start())
        return _copy(text, at, plain) if plain > at else self._marker(text, at, special.start(), final)

    def _turn_fence(self, text: str, at: int, marker: str) -> tuple[int, str]:
        end = text.find("\n", at) + 1 or len(text)
        if self._fence is None:
            self._fence = marker
        elif marker.startswith(self._fence) and not text[text.index(marker, at) + len(marker) : end].strip():
            self._fence = None
        return _copy(text, at, end)

    def _code(self, text: str, at: int, final: bool) -> tuple[int, str] | None:
        ticks = _run(text, at)
        longest = at + ticks + MAX_CODE_SPAN
        line_end = text.find("\n", at, longest)
        limit = min(line_end if line_end >= 0 else len(text), longest)
        position = at + ticks
        while position < limit:
            found = text.find("`", position, limit)
            if found < 0:
                break
            closing = _run(text, found)
            if closing == ticks and (final or found + closing < len(text)):
                return _copy(text, at, found + closing)
            position = found + closing
        if final or line_end >= 0 or len(text) > longest:
            return _copy(text, at, at + ticks)
        return None

    def _marker(self, text: str, at: int, start: int, final: bool) -> tuple[int, str] | None:
        found = marker_at(text, start, self._tail if at == start else " ", final)
        if found == "wait":
            return None
        if not isinstance(found, Marker):
            return _copy(text, at, start + 1)
        shown = self._resolve(found.numbers)
        return found.end - at, (text[at:start] + found.keep + shown if shown else found.keep)

    def _resolve(self, numbers: Iterable[int]) -> str:
        shown = []
        for number in numbers:
            if number not in self._valid:
                self.removed.append(number)
                continue
            if number not in self.cited:
                self.cited.append(number)
            shown.append(f"[{self.shown(number)}]")
        return "".join(dict.fromkeys(shown))


def _before_blanks(text: str, start: int, end: int) -> int:
    """Where the blanks before `end` begin: they go when the marker behind them is taken out."""
    at, first = end, max(start, end - MAX_MARKER)
    while at > first and text[at - 1] in " \t":
        at -= 1
    return at


def _run(text: str, at: int) -> int:
    end = at
    while end < len(text) and text[end] == "`":
        end += 1
    return end - at


def _copy(text: str, start: int, end: int) -> tuple[int, str]:
    return end - start, text[start:end]


# Private characters that stand for brackets and backticks of a source while an answer is read for citations.
_SHIELD = str.maketrans(
    {"[": "\ue000", "]": "\ue001", "［": "\ue002", "］": "\ue003", "【": "\ue004", "】": "\ue005", "`": "\ue006"}
)
_UNSHIELD = str.maketrans({shield: chr(char) for char, shield in _SHIELD.items()})
_FOOTNOTE = re.compile("\ue000(\\d{1,3})\ue001")


def shield(text: str) -> str:
    """Text of a source as it may stand in an answer's draft: nothing in it is taken for a citation or for code."""
    return text.translate(_SHIELD)


def unshield(text: str) -> str:
    """The text of a draft as it is shown; a source's own footnote [3] gets full-width brackets, so as not to be ours."""
    return _FOOTNOTE.sub(r"［\1］", text).translate(_UNSHIELD)


def pieces(text: str, size: int = 8) -> Iterator[str]:
    """A text cut into pieces of `size` characters, as a stream would deliver it."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def strip_citations(text: str) -> str:
    """The text without any citation marker, for copying or comparing."""
    reader = CitationReader(())
    return reader.feed(text) + reader.close()
