"""Tables: split between rows under a repeated header; a row that is too long is cut inside its cell."""

from __future__ import annotations

import re
from dataclasses import replace

from kaijuan.chunking.units import Unit, cut, lines, running_units, with_head

_BAR = re.compile(r"(?<!\\)\|")
_INDENT = re.compile(r"[\s>]*")
_DASHES = re.compile(r"-{2,}")
_BLANKS = re.compile(r"[ \t]{2,}")
# A first cell longer than this is text of its own and not the name of the row.
_LONGEST_NAME = 40


def table_units(text: str, start: int, end: int, room: int, lead: str = "") -> list[Unit]:
    """Rows of a Markdown table as units of at most `room` characters, each able to begin a chunk under the header.

    Where the header leaves a row less than a quarter of the room it is not repeated, and lines are split as text.
    """
    _, rule_line, *rows = lines(text, start, end)
    header = _header(text[start : rule_line[1]], room)
    if not rows or header is None:
        return running_units(text, start, end, room, lead)
    if len(lead) + len(header) <= room // 2:
        header = lead + header
    units: list[Unit] = []
    for row in rows:
        if row[1] - row[0] <= room - len(header):
            units.append(Unit(*row, lead=header))
        else:
            units += _row_units(text, *row, room, header)
    return with_head(Unit(start, rule_line[1], lead), units, room)


def _header(verbatim: str, room: int) -> str | None:
    """The header rows as they are repeated, without their padding where that is too wide, None where nothing helps."""
    bare = _DASHES.sub("-", _BLANKS.sub(" ", verbatim))
    for header in (verbatim + "\n", bare + "\n"):
        if len(header) <= room - max(room // 4, 10):
            return header
    return None


def _row_units(text: str, start: int, end: int, room: int, header: str) -> list[Unit]:
    """Parts of one row: each continues in its own column, behind the row's first cell."""
    row = text[start:end]
    indent = _INDENT.match(row)
    margin = indent.group() if indent else ""
    bars = [start + match.start() for match in _BAR.finditer(row)]
    opens_with_bar = row[len(margin) :].startswith("|")
    name = _name(row[len(margin) :])
    columns = len(bars) + 1
    overhead = len(header) + len(margin) + len(name) + len("|  |") + 2 * columns + len(" |")
    if room - overhead < room // 4:
        return [Unit(a, b, header) for a, b in cut(text, start, end, room - len(header))]

    units: list[Unit] = []
    for first, last in cut(text, start, end, room - overhead):
        column = sum(bar < first for bar in bars) - opens_with_bar
        before = "| " if column <= 0 else f"| {name} |" + " |" * (column - 1) + " "
        lead = header + margin + before if units else header
        units.append(Unit(first, last, lead, tail="" if last - 1 in bars else " |"))
    return [*units[:-1], replace(units[-1], tail="")]


def _name(row: str) -> str:
    cells = _BAR.split(row)
    name = next((cell.strip() for cell in cells if cell.strip()), "")
    return name if len(name) <= _LONGEST_NAME else ""
