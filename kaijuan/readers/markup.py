r"""Markdown as readers write it: text that is not misread as structure, and tables.

>>> plain_lines("# 号键\n- 5 度以下\n3*5 元")
['\\# 号键', '\\- 5 度以下', '3*5 元']
>>> print(table(["码", "处理"], [["E1|E2", "稍后\n重试"]]))
| 码 | 处理 |
| --- | --- |
| E1\|E2 | 稍后；重试 |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: A header longer than this, in characters with its rule line, cannot be repeated over the pieces of its table.
WIDEST_HEADER = 300

# A short number with a dot is a list that somebody typed, and reads the same as one; "2026. " is none.
_STRUCTURE = re.compile(
    r"#{1,6}(?=\s|\Z)|>|[-+*](?=\s|\Z)|(?P<number>\d{4,9})(?=[.)](?:\s|\Z))|`{3}|~{3}|\||"
    r"(?:[-*_=][ \t]*)+\Z|:?-[-:| ]*\Z"
)
_BLANKS = re.compile(r"[^\S\n]+")
_STOPS = "。；，、：！？…—"
_ASCII_STOPS = ".;,:!?"


def plain_lines(text: str) -> list[str]:
    """Lines of a text that show something, blanks at their ends left out, none misread as structure."""
    return [_escaped(line) for line in (line.strip() for line in text.split("\n")) if line]


def _escaped(line: str) -> str:
    found = _STRUCTURE.match(line)
    if found is None:
        return line
    at = found.end("number") if found["number"] else 0
    return f"{line[:at]}\\{line[at:]}"


def one_line(text: str) -> str:
    """Text of a heading or cell in one line; lines that end without a mark are parted by "；"."""
    joined = ""
    for line in (line.strip() for line in text.split("\n")):
        if joined and line:
            last = joined[-1]
            joined += "" if last in _STOPS else " " if last in _ASCII_STOPS else "；"
        joined += line
    return _BLANKS.sub(" ", joined)


def heading(level: int, text: str) -> str:
    """A heading of level 1 to 6; deeper ones stay at 6."""
    return f"{'#' * min(max(level, 1), 6)} {one_line(text)}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table under its header; one too wide for its header to be repeated becomes a list of records."""
    head = _row(header)
    rule = _row(["---"] * len(header))
    if len(head) + len(rule) > WIDEST_HEADER:
        return _records(header, rows)
    return "\n".join([head, rule, *(_row(row) for row in rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"


def _records(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Each row a list item named by its first cell, each other cell an item below it with the name of its column."""
    lines = []
    for row in rows:
        named = [(one_line(name), one_line(cell)) for name, cell in zip(header, row, strict=True) if one_line(cell)]
        pairs = [f"{name}：{cell}" if name else cell for name, cell in named]
        lines += [f"- {pair}" if number == 0 else f"  - {pair}" for number, pair in enumerate(pairs)]
    return "\n".join(lines)
