"""Paragraphs: lines that run on put together, over the ends of columns and pages too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kaijuan.readers.pdf_join import joined
from kaijuan.readers.pdf_lines import Stretch
from kaijuan.readers.pdf_order import Region
from kaijuan.readers.pdf_tables import Table, continued

#: A distance this many times the usual one parts paragraphs.
_PARTED = 1.35
#: Lines beginning farther in than this, in sizes of the text, open a paragraph.
_INDENT = 1.0
_SAME_SIZE = 0.08
#: Text ends here, so that the next page does not go on with it.
_ENDS = "。！？；：.!?:;"

MARKER = re.compile(
    r"(?P<bullet>[•●○■◆▪‣►□✓\uf000-\uf0ff]|[·*–—-](?=\s))\s*(?=\S)"
    r"|(?P<number>\d{1,3})[.)](?=\s|[^\x00-\x7f])\s*"
    r"|(?P<other>[（(][\d一二三四五六七八九十a-z]{1,3}[)）]|\d{1,3}[、．）]|[①-⑳]|[a-z][)）])\s*(?=\S)"
)
NUMBERED = re.compile(
    r"第\s*[一二三四五六七八九十百零\d]+\s*(?P<large>[章编篇部])|第\s*[一二三四五六七八九十百零\d]+\s*节|附录\s*\S?"
    r"|(?P<chinese>[一二三四五六七八九十]{1,3})、|(?P<decimal>\d{1,2}(?:\.\d{1,2}){0,4})\.?(?:\s|(?=[^\x00-\x7f]))"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of running text: its page (from 0) and the edges of the text it stands in."""

    part: Stretch
    page: int
    left: float
    right: float


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[Line] = field(default_factory=list)

    @property
    def first(self) -> Line:
        """Its first line."""
        return self.lines[0]

    @property
    def text(self) -> str:
        """Its text in one line."""
        return self.pieces()[0]

    def pieces(self) -> tuple[str, list[tuple[int, int]]]:
        """Its text, and for every page on which it goes on the offset at which that begins."""
        text, begins = "", [(self.first.page, 0)]
        for line in self.lines:
            longer = joined(text, line.part.text)
            if line.page != begins[-1][0]:
                begins.append((line.page, len(longer) - len(line.part.text)))
            text = longer
        return text, begins


Item = Paragraph | Table


def paragraphs(pages: Sequence[Sequence[Region]], widths: Sequence[float]) -> list[Item]:
    """Paragraphs and tables of all pages in reading order."""
    lines = _lines(pages, widths)
    usual = _usual_distance(lines)
    items: list[Item] = []
    before: Line | None = None
    for line in lines:
        last = items[-1] if items else None
        if isinstance(line, tuple):
            table, page = line
            whole = continued(last, table) if isinstance(last, Table) and last.pages[-1] == page - 1 else None
            items[-1:] = [whole] if whole else [*items[-1:], table]
            before = None
        elif before is not None and isinstance(last, Paragraph) and _goes_on(last, before, line, usual):
            last.lines.append(line)
            before = line
        else:
            items.append(Paragraph([line]))
            before = line
    return items


def _lines(pages: Sequence[Sequence[Region]], widths: Sequence[float]) -> list[Line | tuple[Table, int]]:
    right_of_all, wraps = _right_of_all(pages)
    found: list[Line | tuple[Table, int]] = []
    for page, (regions, width) in enumerate(zip(pages, widths, strict=True)):
        for region in regions:
            texts = [part for part in region.parts if isinstance(part, Stretch)]
            left = min((part.x0 for part in texts), default=0.0)
            right = max((part.x1 for part in texts), default=width)
            if not region.column:
                right = max(right, right_of_all)
                if not wraps:
                    right = max(right, width - 1.3 * left)
            found += [
                Line(part, page, left, right) if isinstance(part, Stretch) else (part, page) for part in region.parts
            ]
    return found


def _right_of_all(pages: Sequence[Sequence[Region]]) -> tuple[float, bool]:
    """Right edge to which lines of whole pages run, and whether so many reach it that text turns there."""
    regions = [region for page in pages for region in page if not region.column]
    parts = [part for region in regions for part in region.parts if isinstance(part, Stretch)]
    rights = sorted(part.x1 for part in parts)
    # One line that sticks out says nothing about where the others turn.
    right = rights[int(0.98 * (len(rights) - 1))] if rights else 0.0
    turning = sum(part.x1 >= right - 1.5 * part.size and part.text[-1] not in _ENDS for part in parts)
    return right, turning >= max(3, len(parts) // 6)


def _usual_distance(lines: Sequence[Line | tuple[Table, int]]) -> float:
    """Distance of baselines inside a paragraph, in sizes of the text."""
    distances = sorted(
        (other.part.base - one.part.base) / one.part.size
        for one, other in pairwise(lines)
        if isinstance(one, Line) and isinstance(other, Line) and one.page == other.page and _alike(one, other)
        if 0.8 * one.part.size < other.part.base - one.part.base < 2.5 * one.part.size
    )
    return distances[len(distances) // 4] if distances else 1.5


def _alike(one: Line, other: Line) -> bool:
    return abs(one.part.size - other.part.size) <= _SAME_SIZE * one.part.size and one.part.bold == other.part.bold


def _goes_on(paragraph: Paragraph, before: Line, line: Line, usual: float) -> bool:
    """Whether a line belongs to the paragraph of the line before it."""
    if not _alike(before, line) or MARKER.match(line.part.text) or _opens_section(line.part.text):
        return False
    if _opens_section(before.part.text) and len(paragraph.lines) == 1 and not _full(before, line):
        return False
    size = line.part.size
    elsewhere = line.page != before.page or line.part.base <= before.part.base
    if not elsewhere and line.part.base - before.part.base > _PARTED * usual * size:
        return False
    if elsewhere and before.part.text[-1] in _ENDS:
        return False
    indent = line.part.x0 - line.left
    listed = MARKER.match(paragraph.first.part.text) is not None
    centred = abs((line.part.x0 - line.left) - (line.right - line.part.x1)) < size and indent > 2 * size
    if indent > _INDENT * size and before.part.x0 - before.left < indent - 0.5 * size and not listed and not centred:
        return False
    return _full(before, line) or (centred and size == before.part.size and not elsewhere)


def _full(before: Line, line: Line) -> bool:
    """Whether the line before had no room for the first word of this one, so that nobody broke it on purpose."""
    size = before.part.size
    return before.part.x1 + line.part.lead + 0.2 * size > before.right - 0.5 * size


def _opens_section(text: str) -> bool:
    match = NUMBERED.match(text)
    return match is not None and (match["decimal"] is None or "." in match["decimal"]) and len(text) <= 40
