"""Tables of a worksheet: where each begins and ends, what is its title, its header, and a note under it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kaijuan.readers.grid import Cell, Row, body_blocks, column_names, header_depth, is_blank, is_caption
from kaijuan.readers.markup import heading, plain_lines
from kaijuan.readers.xlsx_sheet import Sheet

#: Level of a table's title; sheets have the one above.
TITLE_LEVEL = 3
_LONGEST_TITLE = 60
#: Share of the columns that a header names at least.
_FULL = 0.6
#: Rows of remarks that may stand between the title and the header.
_MOST_REMARKS = 4
#: A name of a column is hardly longer than this where nothing else tells header from data.
_LONGEST_NAME = 8
_YEAR = re.compile(r"(?:19|20)\d{2}年?")
_STATEMENT = re.compile(r"[^：:]{1,12}[：:]\s*\S.*", re.DOTALL)
_NOTE = re.compile(r"(?:备?注|说明|提示|※|\*)")


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows of one table: equally long, `columns` their numbers in the sheet, `styles` the look of each row."""

    columns: tuple[int, ...]
    rows: tuple[tuple[Cell, ...], ...]
    styles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Header:
    """Names by columns, and the looks of the header and of the row under it."""

    names: dict[int, str]
    style: int
    body_style: int | None


def sheet_blocks(sheet: Sheet) -> list[str]:
    """Blocks of Markdown for everything on a sheet, in order of rows."""
    blocks: list[str] = []
    header: _Header | None = None
    for part in _parts(sheet):
        said, header = _part_blocks(part, header)
        blocks += said
    return blocks


def _parts(sheet: Sheet) -> Iterator[_Part]:
    """Tables as blank rows part them; where blank columns part full tables, those side by side too."""
    group: list[int] = []
    for number in [*sheet.rows, None]:
        if number is None or number in sheet.breaks:
            if group:
                yield from _beside(_part(sheet, group, sorted({c for n in group for c in sheet.rows[n]})), sheet, group)
            group = []
        if number is not None:
            group.append(number)


def _part(sheet: Sheet, numbers: Sequence[int], columns: Sequence[int]) -> _Part:
    rows = [(n, tuple(sheet.rows[n].get(c) or Cell("", (n, c)) for c in columns)) for n in numbers]
    kept = [(n, row) for n, row in rows if not is_blank(row)]
    return _Part(tuple(columns), tuple(row for _, row in kept), tuple(sheet.styles.get(n, 0) for n, _ in kept))


def _beside(whole: _Part, sheet: Sheet, numbers: Sequence[int]) -> list[_Part]:
    runs: list[list[int]] = [[whole.columns[0]]]
    for before, column in pairwise(whole.columns):
        if column > before + 1:
            runs.append([])
        runs[-1].append(column)
    parts = [_part(sheet, numbers, run) for run in runs]
    tables = all(len(p.columns) > 1 and len(p.rows) > 1 and _header_at(p.rows) is not None for p in parts)
    return parts if len(parts) > 1 and tables and _are_apart(parts) else [whole]


def _are_apart(parts: Sequence[_Part]) -> bool:
    """Whether parts side by side are tables of their own and not one with a blank column for looks."""
    heads = [{cell.text for cell in part.rows[0] if cell.text} for part in parts]
    homes = {part.rows[0][0].home for part in parts if is_caption(part.rows[0])}
    return (
        len({len(part.rows) for part in parts}) > 1
        or len(homes) > 1
        or any(one & other for one, other in pairwise(heads) if not homes)
    )


def _part_blocks(part: _Part, before: _Header | None) -> tuple[list[str], _Header | None]:
    """Blocks of one table and the header under which it stands, for a table that goes on behind a blank row."""
    if len(part.columns) == 1:
        return _lines(part.rows), before
    titles = _titles(part.rows)
    said = _titled([_only(row) for row in part.rows[:titles]])
    rows, styles = part.rows[titles:], part.styles[titles:]
    if not rows:
        return said, before
    at = _header_at(rows)
    if before is not None and _goes_on(part.columns, rows, styles, at, before):
        names = [before.names[column] for column in part.columns]
        return said + _body(names, rows), before
    if at is None:
        return said + _body([""] * len(part.columns), rows), None
    said += [_remark(row) for row in rows[:at]]
    rows, styles = rows[at:], styles[at:]
    depth = min(header_depth(rows), len(rows))
    names = column_names(rows[:depth])
    header = _Header(
        dict(zip(part.columns, names, strict=True)), styles[0], styles[depth] if depth < len(rows) else None
    )
    return said + (_body(names, rows[depth:]) if rows[depth:] else body_blocks(names, [[]])), header


def _goes_on(
    columns: Sequence[int], rows: Sequence[Row], styles: Sequence[int], at: int | None, before: _Header
) -> bool:
    """Whether rows behind a blank one belong to the table before: same columns, and their first row is no header."""
    if not set(columns) <= before.names.keys():
        return False
    first = [cell.text for cell in rows[0]]
    if at is None or len(rows) == 1:
        return True
    if first == [before.names[column] for column in columns]:
        return False
    if before.body_style is not None and before.body_style != before.style:
        return styles[0] != before.style
    return any(len(text) > _LONGEST_NAME for text in first)


def _titles(rows: Sequence[Row]) -> int:
    """How many rows at the top hold one cell only, while others below hold more."""
    return next((n for n, row in enumerate(rows) if not _only(row)), len(rows))


def _titled(texts: Sequence[str]) -> list[str]:
    """The first line as the title of a table where it is as short as one, the others as text."""
    blocks = ["\n".join(plain_lines(text)) for text in texts]
    if texts and len(texts[0]) <= _LONGEST_TITLE:
        blocks[0] = heading(TITLE_LEVEL, texts[0])
    return blocks


def _only(row: Row) -> str:
    """Text of the one place that a row fills, empty where it fills more."""
    filled = {cell.home: cell.text for cell in row if cell.text}
    return next(iter(filled.values())) if len(filled) == 1 else ""


def _header_at(rows: Sequence[Row]) -> int | None:
    """Which of the first rows names the columns; rows above it must be sparse. None where none does."""
    for at, row in enumerate(rows[: _MOST_REMARKS + 1]):
        if _names_columns(row):
            return None if row[0].text.endswith(("：", ":")) else at
        if not _is_remark(row) and sum(bool(cell.text) for cell in row) > len(row) / 2:
            return None
    return None


def _names_columns(row: Row) -> bool:
    filled = [cell for cell in row if cell.text]
    named = all(not cell.number or _YEAR.fullmatch(cell.text) for cell in filled)
    words = any(not cell.number for cell in filled) and not _is_remark(row)
    return named and words and len(filled) >= max(2, _FULL * len(row))


def _is_remark(row: Row) -> bool:
    """Whether every cell of a row is a statement of its own ("更新日期：三月")."""
    return all(_STATEMENT.fullmatch(cell.text) for cell in row if cell.text)


def _body(names: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The table, and the notes that close it as text of their own."""
    last = len(rows)
    while last > 1 and (note := _only(rows[last - 1])) and (is_caption(rows[last - 1]) or _NOTE.match(note)):
        last -= 1
    return body_blocks(names, rows[:last], TITLE_LEVEL + 1) + [
        "\n".join(plain_lines(_only(row))) for row in rows[last:]
    ]


def _remark(row: Row) -> str:
    """A row of remarks as one line."""
    said = " ".join({cell.home: cell.text for cell in row if cell.text}.values())
    return "\n".join(plain_lines(said))


def _lines(rows: Sequence[Row]) -> list[str]:
    """A column of text: the first line is a title where it stands alone."""
    if len(rows) == 1:
        return _titled([rows[0][0].text])
    return ["\n".join(plain_lines(row[0].text)) for row in rows]
