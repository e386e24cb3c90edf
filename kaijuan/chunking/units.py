"""Units: the smallest parts a chunk is packed from, and where a run without sentence ends may be cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kaijuan.text import sentences

_STOPS = re.compile(r"[。！？!?；;\n][”’」』）)\]】\"']*")
_MARKS = re.compile(r"[，、：\s]|[,:](?!\d)")
# How far a cut may move back so that no word, number or joined character falls apart.
_LONGEST_STEP_BACK = 40


@dataclass(frozen=True, slots=True)
class Unit:
    """Characters `start` to `end` of the text that stay together.

    `lead` is put before them when a chunk begins here (a table's header, the parent of a list item), `tail` behind
    them when a chunk ends here (the end of a fence). `sentences` are the offsets at which whole sentences of running
    text begin, for the overlap.
    """

    start: int
    end: int
    lead: str = ""
    tail: str = ""
    sentences: tuple[int, ...] = ()


def running_units(text: str, start: int, end: int, room: int, lead: str = "") -> list[Unit]:
    """Sentences of running text as units of at most `room` characters; one longer than that is cut."""
    room -= len(lead)
    units: list[Unit] = []
    for first, last in sentences(text[start:end]):
        first = first + start if units else start  # the first one keeps its indent
        last += start
        if last - first <= room:
            units.append(Unit(first, last, lead, sentences=(first,)))
        else:
            units += [Unit(a, b, lead) for a, b in cut(text, first, last, room)]
    return units


def whole_unit(text: str, start: int, end: int, lead: str = "", running: bool = False) -> Unit:
    """One unit for the whole span; `running` text tells where its sentences begin."""
    begins = tuple(start + first for first, _ in sentences(text[start:end])) if running else ()
    return Unit(start, end, lead, sentences=begins)


def with_head(head: Unit, units: list[Unit], room: int) -> list[Unit]:
    """Let a head travel with the first unit of what it stands over; alone where both together are too long."""
    if not units:
        return [head]
    first = units[0]
    if len(head.lead) + first.end - head.start + len(first.tail) > room:
        return [head, *units]
    return [replace(first, start=head.start, lead=head.lead), *units[1:]]


def lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the lines that show something, indents kept, line ends left out."""
    found: list[tuple[int, int]] = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if text[start:stop].strip():
            found.append((start, stop))
        start = stop + 1
    return found


def cut(text: str, start: int, end: int, room: int) -> Iterator[tuple[int, int]]:
    """Cut a span into parts of at most `room` characters: at a stop, else at a mark or blank, else hard."""
    while end - start > room:
        stop = _cut_point(text, start, start + room)
        if text[start:stop].strip():
            yield start, stop
        start = stop
        while start < end and text[start].isspace():
            start += 1
    if text[start:end].strip():
        yield start, end


def _cut_point(text: str, start: int, limit: int) -> int:
    """Offset at which to cut: after `start`, not beyond `limit`, in the second half where there is a choice."""
    middle = start + max(1, (limit - start) // 2)
    for pattern in (_STOPS, _MARKS):
        ends = [match.end() for match in pattern.finditer(text, middle, limit)]
        if ends:
            return ends[-1]
    for point in range(limit, max(middle, limit - _LONGEST_STEP_BACK), -1):
        if not _joined(text[point - 1], text[point : point + 1]):
            return point
    return limit


def _joined(before: str, after: str) -> bool:
    """Whether a cut between these characters would tear a word, a number, an escape or a composed character."""
    if before.isascii() and after.isascii() and before.isalnum() and after.isalnum():
        return True
    return before in "\\\u200d" or after in ("\u200d", "\ufe0f") or (after != "" and unicodedata.combining(after) > 0)
