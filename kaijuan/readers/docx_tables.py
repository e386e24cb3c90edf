"""Tables of Word files as grids: spans and vertical merges filled, rows removed by a revision left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement

from kaijuan.readers.docx_styles import is_on
from kaijuan.readers.docx_text import blocks
from kaijuan.readers.grid import Cell, body_blocks, column_names, header_depth, is_blank, is_caption
from kaijuan.readers.markup import plain_lines

_VAL = qn("w:val")
_NUMBER = re.compile(r"[-+±]?[¥￥$€]?\s*\d[\d,.]*\s*[%‰]?")
#: Columns that a table may claim; Word itself ends at 63.
_MOST_COLUMNS = 1000

CellText = Callable[[BaseOxmlElement], str]


def grid(table: BaseOxmlElement, cell_text: CellText) -> list[list[Cell]]:
    """Rows of a table, equally long, empty rows and columns left out."""
    rows: list[list[Cell]] = []
    for row in _rows(table):
        cells = [Cell("", (len(rows), at)) for at in range(_count(row, "w:trPr", "w:gridBefore"))]
        for cell in (block for block in blocks(row) if block.tag == qn("w:tc")):
            cells += _spread(cell, cells, rows, cell_text)
        rows.append(cells)
    width = max(map(len, rows), default=0)
    for number, cells in enumerate(rows):
        cells += [Cell("", (number, at)) for at in range(len(cells), width)]
    rows = [cells for cells in rows if not is_blank(cells)]
    kept = [at for at in range(width) if any(cells[at].text and cells[at].home[1] == at for cells in rows)]
    return [[cells[at] for at in kept] for cells in rows]


def table_blocks(table: BaseOxmlElement, rows: list[list[Cell]]) -> list[str]:
    """A grid as text: captions over it, then its rows under the names of their columns."""
    captions = list(takewhile(is_caption, rows))
    body = rows[len(captions) :]
    said = ["\n".join(plain_lines(row[0].text)) for row in captions]
    if not body:
        return said
    flagged = sum(1 for _ in takewhile(_is_header, _rows(table))) - len(captions)
    depth = min(max(header_depth(body), flagged), max(1, len(body) - 1))
    names = column_names(body[:depth])
    return [*said, *(body_blocks(names, body[depth:]) if body[depth:] else body_blocks(names, [[]]))]


def flat(rows: list[list[Cell]]) -> str:
    """A table inside a cell: a line for each row, every merged cell once."""
    return "\n".join(" ".join({cell.home: cell.text for cell in row if cell.text}.values()) for row in rows)


def _rows(table: BaseOxmlElement) -> list[BaseOxmlElement]:
    found = (block for block in blocks(table) if block.tag == qn("w:tr"))
    return [row for row in found if not any(_switched(row, tag) for tag in ("w:del", "w:hidden"))]


def _is_header(row: BaseOxmlElement) -> bool:
    return _switched(row, "w:tblHeader")


def _switched(row: BaseOxmlElement, tag: str) -> bool:
    switch = row.find(f"{qn('w:trPr')}/{qn(tag)}")
    return switch is not None and is_on(switch)


def _spread(cell: BaseOxmlElement, before: list[Cell], above: list[list[Cell]], cell_text: CellText) -> list[Cell]:
    """One cell over all columns that it spans; the continuation of a vertical merge repeats the cell above."""
    at = len(before)
    span = max(1, _count(cell, "w:tcPr", "w:gridSpan"))
    merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
    if merge is not None and merge.get(_VAL, "continue") == "continue" and above and at < len(above[-1]):
        upper = above[-1][at]
        return [upper] * span
    text = cell_text(cell)
    return [Cell(text, (len(above), at), _NUMBER.fullmatch(text) is not None)] * span


def _count(element: BaseOxmlElement, properties: str, tag: str) -> int:
    found = element.find(f"{qn(properties)}/{qn(tag)}")
    written = found.get(_VAL, "") if found is not None else ""
    return min(int(written), _MOST_COLUMNS) if written.isdigit() else 0
