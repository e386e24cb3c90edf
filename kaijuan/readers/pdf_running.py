"""Running heads, feet and page numbers: lines at the edge of many pages that say the same but for their numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from kaijuan.readers.pdf_lines import Stretch, rows_of

#: Pages on which a line must stand before it counts as running, unless half of all pages have it.
FEWEST_PAGES = 3
#: Lines from the edge that are looked at, and the share of the page's height that is its edge.
_LINES, _EDGE = 3, 0.15
_LARGE = 1.12
_NUMBERS = re.compile(r"\d+|(?<=第)[一二三四五六七八九十百零〇]+(?=[页章节])|\b[ivxlc]+\b", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_PAGE_NUMBER = re.compile(
    r"[-–—·|\s]*(?:第?(?P<n>\d{1,4})页?|page(?P<p>\d{1,4}))(?:(?:/|共|of|，|,)*\d{1,4}页?)?[-–—·|\s]*", re.IGNORECASE
)

#: Lines that lead over dots to a page number; fewer of them are text.
FEWEST_LEADERS = 3
_LEADER = re.compile(r".*(?:[.．·•…][ ]?){4,}\s*(?:\d{1,4}|[ivxlc]+)")

Key = tuple[str, str]


def without_running(
    pages: Sequence[Sequence[Stretch]], heights: Sequence[float]
) -> tuple[list[list[Stretch]], list[str]]:
    """The stretches of each page without running lines, and what those said, each once."""
    marked = [_edge_lines(parts, height) for parts, height in zip(pages, heights, strict=True)]
    counts = Counter(key for edge in marked for key in {key for key, _ in edge})
    body = median(part.size for parts in pages for part in parts) if any(pages) else 0.0
    kept: list[list[Stretch]] = []
    said: dict[str, None] = {}
    for number, (parts, edge) in enumerate(zip(pages, marked, strict=True)):
        dropped: set[Stretch] = set()
        for key, row in edge:
            words = "  ".join(part.text for part in row)
            large = min(part.size for part in row) > _LARGE * body  # a heading that several pages begin with
            if _is_running(counts[key], len(pages), large) or _is_page_number(words, number + 1):
                dropped.update(row)
                if not _PAGE_NUMBER.fullmatch(_BLANKS.sub("", words)):
                    said.setdefault(words)
        kept.append([part for part in parts if part not in dropped])
    return kept, list(dict.fromkeys(_first_of_kind(said)))


def without_contents(pages: Sequence[Sequence[Stretch]]) -> tuple[list[list[Stretch]], int]:
    """The stretches of each page without the lines of a table of contents, and how many of those there were.

    They hold the words of every heading and the answer to nothing.
    """
    leading = [{part for row in rows_of(parts) if _leads(row) for part in row} for parts in pages]
    count = sum(map(len, leading))
    if count < FEWEST_LEADERS:
        return [list(parts) for parts in pages], 0
    return [[part for part in parts if part not in drop] for parts, drop in zip(pages, leading, strict=True)], count


def _leads(row: Sequence[Stretch]) -> bool:
    return _LEADER.fullmatch(" ".join(part.text for part in row)) is not None


def _first_of_kind(said: dict[str, None]) -> list[str]:
    kinds: dict[str, str] = {}
    for words in said:
        kinds.setdefault(_masked(words), words)
    return list(kinds.values())


def _edge_lines(parts: Sequence[Stretch], height: float) -> list[tuple[Key, list[Stretch]]]:
    rows = rows_of(parts)
    found: list[tuple[Key, list[Stretch]]] = []
    for edge, few in (("top", rows[:_LINES]), ("bottom", rows[-_LINES:])):
        for row in few:
            middle = (row[0].top + row[0].bottom) / 2
            near = middle < _EDGE * height if edge == "top" else middle > (1 - _EDGE) * height
            if near:
                found.append(((edge, _masked(" ".join(part.text for part in row))), row))
    return found


def _masked(words: str) -> str:
    return _BLANKS.sub("", _NUMBERS.sub("#", words))


def _is_running(count: int, pages: int, large: bool) -> bool:
    return (count >= FEWEST_PAGES and not large) or (count >= 2 and 2 * count >= pages)


def _is_page_number(words: str, page: int) -> bool:
    match = _PAGE_NUMBER.fullmatch(_BLANKS.sub("", words))
    if match is None:
        return False
    return not match.group().isdigit() or int(match["n"] or 0) == page
