"""Worksheets read in one pass: what every cell shows, merged ranges, what is hidden, formulas without a result.

openpyxl's two ways of reading do not serve: the read-only one knows neither merged nor hidden cells and believes the
size that a file claims, the other builds charts and pictures and fails on odd ones. Its cell parser is used alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import iterparse

from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils import get_column_letter
from openpyxl.utils.cell import range_boundaries
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet._reader import COL_TAG, FORMULA_TAG, MERGE_TAG, ROW_TAG, WorkSheetParser

from kaijuan.readers.grid import Cell
from kaijuan.readers.limits import Limits
from kaijuan.readers.xlsx_dates import LOCAL_FORMATS, date_text
from kaijuan.readers.xlsx_numbers import number_text

Range = tuple[int, int, int, int]


@dataclass(slots=True)
class Sheet:
    """One worksheet as shown: rows by number (from 1) of cells by column (from 1), hidden ones left out.

    `breaks` are the rows before which a blank row stands, `styles` the look of the first cell of each row.
    `unsolved` and `faults` are places of formulas without result and of error values ("C5").
    """

    name: str
    rows: dict[int, dict[int, Cell]] = field(default_factory=dict)
    breaks: set[int] = field(default_factory=set)
    styles: dict[int, int] = field(default_factory=dict)
    hidden_rows: int = 0
    hidden_columns: int = 0
    unsolved: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Raw:
    """A sheet as written: `cells` with hidden ones, `hidden` row numbers, `columns` hidden as (first, last)."""

    cells: dict[int, dict[int, Cell]] = field(default_factory=dict)
    hidden: list[int] = field(default_factory=list)
    columns: list[tuple[int, int]] = field(default_factory=list)
    merges: list[Range] = field(default_factory=list)


class _Cells(WorkSheetParser):  # type: ignore[misc]  # openpyxl has no types
    """Tells formulas that have no result saved from empty cells."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        if cell["value"] is None and element.get("t") != "str" and element.find(FORMULA_TAG) is not None:
            cell["data_type"] = "f"
        return cell


def read_sheet(worksheet: Any, limits: Limits, name: str) -> Sheet:
    """One worksheet of a workbook opened read-only; raises ReadError when it is over the limits of the file `name`."""
    sheet = Sheet(worksheet.title)
    raw = _read(worksheet, sheet, limits, name)
    rows = _filled(raw, limits, name)
    hidden = set(raw.hidden)
    shown = {number: cells for number, cells in rows.items() if number not in hidden}
    sheet.hidden_rows = len(rows) - len(shown)
    columns = sorted({column for cells in rows.values() for column in cells})
    dropped = {column for column in columns if any(first <= column <= last for first, last in raw.columns)}
    sheet.hidden_columns = len(dropped)
    for number in sorted(shown):
        kept = {column: cell for column, cell in sorted(shown[number].items()) if column not in dropped}
        if kept:
            sheet.rows[number] = kept
    sheet.breaks = set(_breaks(sorted(sheet.rows), sorted(hidden), raw.merges))
    return sheet


def _read(worksheet: Any, sheet: Sheet, limits: Limits, name: str) -> _Raw:
    book = worksheet.parent
    raw = _Raw()
    count = 0
    with worksheet._get_source() as source:
        parser = _Cells(
            source, worksheet._shared_strings, data_only=True, epoch=book.epoch,
            date_formats=book._date_formats, timedelta_formats=book._timedelta_formats,
        )  # fmt: skip
        for _, element in iterparse(source):
            if element.tag == ROW_TAG:
                number, cells = parser.parse_row(element)
                if _is_true(element.get("hidden")):
                    raw.hidden.append(number)
                if found := {c["column"]: cell for c in cells if (cell := _cell(book, c, sheet)) is not None}:
                    raw.cells[number] = found
                    count += len(found)
                    limits.check_rows(len(raw.cells), name)
                    limits.check_cells(count, name)
                element.clear()
            elif element.tag == COL_TAG and _is_true(element.get("hidden")):
                raw.columns.append((int(element.get("min", "1")), int(element.get("max", "1"))))
            elif element.tag == MERGE_TAG:
                raw.merges = [_corners(range_boundaries(merged.get("ref", ""))) for merged in element]
    return raw


def _cell(book: Any, cell: dict[str, Any], sheet: Sheet) -> Cell | None:
    """What one cell shows, None for nothing; what deserves a word is noted with the sheet."""
    value, row, column = cell["value"], cell["row"], cell["column"]
    if cell["data_type"] in ("e", "f"):
        noted = sheet.faults if cell["data_type"] == "e" else sheet.unsolved
        noted.append(f"{get_column_letter(column)}{row}")
    if value is None:
        return None
    text, number = _shown(book, value, int(cell["style_id"] or 0))
    if not text.strip():
        return None
    sheet.styles.setdefault(row, int(cell["style_id"] or 0))
    return Cell(text, (row, column), number)


def _shown(book: Any, value: Any, style_id: int) -> tuple[str, bool]:
    """Text of a value under its style, and whether it is a number."""
    format_id = book._cell_styles[style_id].numFmtId
    if isinstance(value, bool):
        return ("TRUE" if value else "FALSE"), False
    if isinstance(value, int | float) and format_id in LOCAL_FORMATS:
        value = from_excel(value, book.epoch)
    if isinstance(value, date | time | timedelta):
        return date_text(value, LOCAL_FORMATS.get(format_id) or _code(book, format_id)), True
    if isinstance(value, int | float):
        return number_text(value, _code(book, format_id)), True
    return str(value), False


def _code(book: Any, format_id: int) -> str:
    if format_id < BUILTIN_FORMATS_MAX_SIZE:
        return str(BUILTIN_FORMATS.get(format_id, "General"))
    return str(book._number_formats[format_id - BUILTIN_FORMATS_MAX_SIZE])


def _filled(raw: _Raw, limits: Limits, name: str) -> dict[int, dict[int, Cell]]:
    """The cells with every merged range full of what its first one shows, as far as other rows and columns have cells."""
    numbers = sorted(raw.cells)
    columns = sorted({column for cells in raw.cells.values() for column in cells})
    rows = {number: dict(cells) for number, cells in raw.cells.items()}
    count = sum(map(len, rows.values()))
    for first_column, first_row, last_column, last_row in raw.merges:
        home = raw.cells.get(first_row, {}).get(first_column)
        across = columns[bisect_left(columns, first_column) : bisect_right(columns, last_column)]
        down = numbers[bisect_left(numbers, first_row) : bisect_right(numbers, last_row)]
        if home is None:
            continue
        count += len(across) * len(down)
        limits.check_cells(count, name)
        for number in down:
            rows[number].update(dict.fromkeys(across, home))
    return rows


def _breaks(numbers: list[int], hidden: list[int], merges: list[Range]) -> Iterator[int]:
    """Rows with a blank row before them that is neither hidden nor inside a merged cell."""
    falls = sorted((first, last) for _, first, _, last in merges if last > first)
    at = reach = 0
    for before, number in pairwise(numbers):
        while at < len(falls) and falls[at][0] <= before:
            reach = max(reach, falls[at][1])
            at += 1
        between = bisect_left(hidden, number) - bisect_right(hidden, before)
        if number - before - 1 > between and reach < number - 1:
            yield number


def _corners(bounds: tuple[int | None, ...]) -> Range:
    """Corners of a range as (first column, first row, last column, last row); whole rows and columns have none."""
    first_column, first_row, last_column, last_row = bounds
    return first_column or 1, first_row or 1, last_column or 2**14, last_row or 2**20


def _is_true(written: str | None) -> bool:
    return written in ("1", "true")
