"""Rows of a text with separators: the separator by evidence, each row with the line where it begins.

>>> delimiter_of("问题;答案\\n多少钱;1,5 元")
';'
>>> [(row.line, row.cells) for row in rows_of('a,b\\n"1\\n2",3', ",")]
[(1, ('a', 'b')), (2, ('1\\n2', '3'))]
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from kaijuan.readers.result import ReadError

#: Separators in the order in which a tie is decided.
_DELIMITERS = (",", "\t", ";", "|", "，")
_DECLARED = re.compile(r"sep=(.)\n", re.IGNORECASE)
#: Rows that are looked at to tell the separator.
_SAMPLE_ROWS = 200
#: A file with more broken quotes than this is none of this kind.
_MOST_BROKEN = 100


@dataclass(frozen=True, slots=True)
class Row:
    """One row; `line` is the number, from 1, of its first line, `broken` says that a quotation mark was not closed."""

    line: int
    cells: tuple[str, ...]
    broken: bool = False


def delimiter_of(text: str) -> str:
    """The separator under which most rows are as wide as the first; "," where there is none."""
    if declared := _DECLARED.match(text):
        return declared[1]
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        rows = list(islice(rows_of(text, delimiter), _SAMPLE_ROWS))
        width = len(rows[0].cells) if rows else 0
        if width > 1:
            score = (sum(len(row.cells) == width for row in rows) / len(rows), width)
            if score > best_score:
                best, best_score = delimiter, score
    return best


def rows_of(text: str, delimiter: str, name: str = "") -> Iterator[Row]:
    """Rows that show something; raises ReadError when quotation marks are broken all over.

    A row whose quotation mark is never closed is taken by itself as it stands, so that it does not swallow the rest.
    """
    lines = text.split("\n")
    at = 1 if _DECLARED.match(text) else 0
    broken = 0
    while at < len(lines):
        reader = csv.reader(_from(lines, at), delimiter=delimiter, strict=True)
        begun = at
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield Row(begun + 1, tuple(cell.strip() for cell in cells))
                begun = at + reader.line_num
            return
        except csv.Error:
            broken += 1
            if broken > _MOST_BROKEN:
                raise ReadError(f"{name} 有 {broken} 处以上引号没有成对，无法读取，请重新导出为 CSV。") from None
            yield Row(begun + 1, _alone(lines[begun], delimiter), broken=True)
            at = begun + 1


def _from(lines: Sequence[str], at: int) -> Iterator[str]:
    return (lines[number] + "\n" for number in range(at, len(lines)))


def _alone(line: str, delimiter: str) -> tuple[str, ...]:
    """Cells of one line, quotation marks being ordinary characters."""
    return tuple(cell.strip().strip('"') for cell in line.split(delimiter))
