"""Grids: tables of office files with merged cells filled, and what of them is caption, header and body.

>>> top = [Cell("等级", (0, 0)), Cell("每月券", (0, 1)), Cell("每月券", (0, 1))]
>>> low = [Cell("等级", (0, 0)), Cell("运费券", (1, 1)), Cell("满减券", (1, 2))]
>>> rows = [top, low, [Cell("金卡", (2, 0)), Cell("2", (2, 1), True), Cell("4", (2, 2), True)]]
>>> column_names(rows[: header_depth(rows)])
['等级', '每月券-运费券', '每月券-满减券']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from kaijuan.readers.markup import heading, one_line, plain_lines, table

#: Rows that a header may have.
_DEEPEST_HEADER = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of a grid: its text, the (row, column) where the cell that covers it begins, and whether it holds a number."""

    text: str
    home: tuple[int, int]
    number: bool = False


Row = Sequence[Cell]


def is_caption(row: Row) -> bool:
    """Whether one merged cell covers the whole row."""
    return len(row) > 1 and bool(row[0].text) and all(cell.home == row[0].home for cell in row)


def is_blank(row: Row) -> bool:
    """Whether no cell of the row shows anything."""
    return not any(cell.text.strip() for cell in row)


def header_depth(rows: Sequence[Row]) -> int:
    """How many rows from the first one name the columns: more than one where merged cells group columns, at least 1.

    >>> header_depth([[Cell("姓名", (0, 0)), Cell("电话", (0, 1))], [Cell("张三", (1, 0)), Cell("无", (1, 1))]])
    1
    """
    depth = 1
    while depth < min(len(rows) - 1, _DEEPEST_HEADER) and _goes_on(rows[depth - 1], rows[depth]):
        depth += 1
    return depth


def _goes_on(above: Row, below: Row) -> bool:
    """Whether a cell of the row above reaches into this one, or this one tells the parts of groups and nothing else."""
    if is_caption(below) or any(cell.number for cell in below):
        return False
    if any(cell.text and cell.home == over.home for cell, over in zip(below, above, strict=True)):
        return True
    grouped = False
    for _, same in groupby(range(len(above)), key=lambda column: above[column].home):
        columns = list(same)
        beneath = [below[column] for column in columns]
        if len(columns) == 1 and beneath[0].text and above[columns[0]].text:
            return False
        grouped = grouped or (len(columns) > 1 and len({cell.home for cell in beneath if cell.text}) > 1)
    return grouped


def column_names(header: Sequence[Row]) -> list[str]:
    """Names of the columns under a header of one or more rows, groups before their parts ("每月券-满减券")."""
    if not header:
        return []
    columns = zip(*header, strict=True)
    return ["-".join(dict.fromkeys(one_line(cell.text) for cell in column if cell.text.strip())) for column in columns]


def body_blocks(names: Sequence[str], rows: Sequence[Row], group_level: int | None = None) -> list[str]:
    """Tables of the rows under their column names; a merged row that opens a group stands over a table of its own.

    It is a heading of `group_level` where that is given, else a paragraph.
    """
    blocks: list[str] = []
    for captions, grouped in groupby(rows, key=is_caption):
        group = list(grouped)
        if not captions:
            blocks.append(table(names, [[cell.text for cell in row] for row in group]))
        elif group_level is None:
            blocks += ["\n".join(plain_lines(row[0].text)) for row in group]
        else:
            blocks += [heading(group_level, row[0].text) for row in group]
    return blocks
