"""Whether two texts say the same in another spelling: folded, and without blanks, marks and markup.

>>> squeeze("| 運費 | 3.5 元 |") == squeeze("运费 3.5元")
True
>>> squeeze("3.5 元") == squeeze("35 元")
False
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from kaijuan.text import fold

_KEPT = re.compile(r"[^\W_]|(?<=\d)[.-](?=\d)|%")
#: Encodings that files are taken for although they are written in another one.
_ENCODINGS = ("gb18030", "cp1252", "latin-1", "big5")
#: Share of a text's character pairs from which another text is a spoiled form of it.
SPOILED = 0.6
#: Characters that a page's header or footer puts between two halves of a sentence at most.
LONGEST_NOISE = 200


@dataclass(frozen=True, slots=True)
class Spoiled:
    """How a text stands in another one where it does not stand as it is: a sentence, and what stands there instead."""

    how: str
    instead: str


def squeeze(text: str) -> str:
    """The letters and figures of a text, folded."""
    return "".join(_KEPT.findall(fold(text)))


def share(squeezed: str, other: str) -> float:
    """Share of a squeezed text's character pairs that another squeezed text holds, 0 to 1."""
    pairs = {squeezed[i : i + 2] for i in range(len(squeezed) - 1)} or {squeezed}
    held = {other[i : i + 2] for i in range(len(other) - 1)} or {other}
    return len(pairs & held) / len(pairs)


def spoiled(wanted: str, text: str) -> Spoiled | None:
    """How `wanted` stands in `text` in a form in which it cannot be found; None when it does not stand there at all."""
    needle, hay = squeeze(wanted), squeeze(text)
    if between := _noise(needle, hay):
        return Spoiled("原句被别的文字从中间隔开", between)
    for encoding, garbled in _garbled(wanted):
        if len(garbled) > 3 and share(garbled, hay) >= SPOILED:
            return Spoiled(f"文件的编码被认错（像是按 {encoding} 读的）", _nearest(garbled, text))
    if share(needle, hay) >= SPOILED:
        return Spoiled("文字相近，但不完全相同", _nearest(needle, text))
    return None


def place_in(needle: str, text: str) -> tuple[int, int] | None:
    """Half-open span of a squeezed text in an original one; None when it does not stand there."""
    folded: dict[str, str] = {}
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if letter not in folded:
            folded[letter] = fold(letter)
        for form in folded[letter]:
            # Marks between figures count only there, so they are kept now and judged by the search.
            if form in ".-%" or _KEPT.match(form):
                letters.append(form)
                places.append(place)
    # A mark may be kept that squeezing drops: compare without any.
    plain = [(letter, place) for letter, place in zip(letters, places, strict=True) if letter not in ".-%"]
    hay = "".join(letter for letter, _ in plain)
    bare = re.sub(r"[.%-]", "", needle)
    at = hay.find(bare) if bare else -1
    return None if at < 0 else (plain[at][1], plain[at + len(bare) - 1][1] + 1)


def _noise(needle: str, hay: str) -> str:
    """What stands between the two halves of a text; empty when it is not torn in two."""
    longest = _longest_prefix(needle, hay)
    if not 4 <= longest <= len(needle) - 4:
        return ""
    head, tail = needle[:longest], needle[longest:]
    start = hay.find(head) + len(head)
    end = hay.find(tail, start, start + LONGEST_NOISE + len(tail))
    return hay[start:end] if end > start else ""


def _longest_prefix(needle: str, hay: str) -> int:
    """How many of the first characters of a text stand together in another one."""
    return bisect_left(range(len(needle)), True, key=lambda n: needle[: n + 1] not in hay)


def _garbled(text: str) -> Iterator[tuple[str, str]]:
    """The text as it looks after its bytes were read in a wrong encoding, squeezed, with that encoding."""
    for written in ("utf-8", "gb18030"):
        for read in _ENCODINGS:
            if read != written:
                yield read, squeeze(text.encode(written, "ignore").decode(read, "ignore"))
    yield "utf-8", squeeze(text.encode("gb18030", "ignore").decode("utf-8", "replace"))


def _nearest(needle: str, text: str) -> str:
    """The line of a text that holds most of a squeezed text."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return max(lines, key=lambda line: share(needle, squeeze(line)), default="")
