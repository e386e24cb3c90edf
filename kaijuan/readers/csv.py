"""CSV files: a list of questions or articles gives one document a row, any other table one document with a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from kaijuan.readers.csv_rows import Row, delimiter_of, rows_of
from kaijuan.readers.document import document_of
from kaijuan.readers.front_matter import FrontMatter
from kaijuan.readers.limits import Limits
from kaijuan.readers.markup import heading, table
from kaijuan.readers.record import Record, columns_of, record_document, record_matter, twice
from kaijuan.readers.remarks import Remarks, numbers
from kaijuan.readers.result import ReadError, Skipped
from kaijuan.types import Document

_NUMBER = re.compile(r"[-+¥$￥]?\d[\d,.]*%?|\d{4}[-/年.]\d{1,2}.*")


@dataclass(frozen=True, slots=True)
class Table:
    """A table as its file gives it: `captions` stand above the header, every row is as wide as the header or wider."""

    captions: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[Row, ...]


def read_csv(text: str, path: str, limits: Limits, remarks: Remarks) -> list[Document | Skipped]:
    """Documents of a CSV text, and rows that were left out; raises ReadError when it is too large or has no row."""
    found = read_table(text, path, limits)
    if not found.rows:
        raise ReadError(f"{path} 只有表头，没有可以索引的内容，请补充数据行或删除它。", "empty")
    _remark_broken(found, path, remarks)
    if columns_of(found.header).give_documents:
        return list(_documents(found, path, remarks))
    cells = [_fitted(row.cells, len(found.header)) for row in found.rows]
    stem = PurePosixPath(path).stem
    blocks = [heading(1, stem), *found.captions, table(found.header, cells)]
    return [document_of("\n\n".join(blocks), FrontMatter(), path, stem)]


def read_table(text: str, path: str, limits: Limits | None = None) -> Table:
    """The table of a CSV text; raises ReadError when it has more rows or cells than the limits allow.

    >>> found = read_table("\\ufeff问题,答案\\n怎么开票,三天内寄出\\n".removeprefix("\\ufeff"), "a.csv")
    >>> found.header, len(found.rows)
    (('问题', '答案'), 1)
    """
    limits = limits or Limits()
    rows: list[Row] = []
    cells = 0
    found = rows_of(text, delimiter_of(text), path)
    for row in found:
        rows.append(row)
        cells += len(row.cells)
        limits.check_cells(cells, path)
        if len(rows) > limits.max_rows + 1:  # one of them is the header
            limits.check_rows(len(rows) - 1 + sum(1 for _ in found), path)
    return _table(rows)


def _table(rows: Sequence[Row]) -> Table:
    width = max((len(_trimmed(row.cells)) for row in rows[:200]), default=0)
    above = 0
    # A title that was typed over the table stands alone in its row.
    while above < len(rows) - 1 and width > 1 and len(_trimmed(rows[above].cells)) == 1 and rows[above].cells[0]:
        above += 1
    captions = tuple(row.cells[0] for row in rows[:above])
    if len(rows) > above and not any(_NUMBER.fullmatch(cell) for cell in rows[above].cells):
        header = _trimmed(rows[above].cells)
        names = tuple(cell or f"列{number}" for number, cell in enumerate(header, 1))
        return Table(captions, names, tuple(rows[above + 1 :]))
    return Table(captions, tuple(f"列{number}" for number in range(1, width + 1)), tuple(rows[above:]))


def _documents(found: Table, path: str, remarks: Remarks) -> Iterator[Document | Skipped]:
    columns = columns_of(found.header)
    guarded = [name for name, key in columns.meta.items() if key == "audience"]
    seen: dict[str, int] = {}
    for number, row in enumerate(found.rows, 1):
        width = len(_trimmed(row.cells))
        # Where cells have moved nobody can tell who may read the row.
        if guarded and (width > len(found.header) or len(row.cells) <= max(map(found.header.index, guarded))):
            yield Skipped(path, "broken line", _unsure(path, row, len(found.header)), row.line)
            continue
        record = Record(number, row.line, _fields(found.header, row.cells))
        matter = record_matter(record, columns)
        remarks.look_over(matter, row.line)
        try:
            document = record_document(record, columns, matter, path, facts=True)
        except ReadError as error:
            yield Skipped(path, error.reason_code, str(error), row.line)
            continue
        if (first := seen.setdefault(document.id, row.line)) != row.line:
            yield twice(path, document.id, row.line, first)
        else:
            yield document


def _fields(header: Sequence[str], cells: Sequence[str]) -> dict[str, list[str]]:
    """Values by column; cells beyond the header belong to the last column, which an unquoted separator has cut."""
    fields: dict[str, list[str]] = {}
    for name, cell in zip(header, _fitted(cells, len(header)), strict=True):
        if cell:
            fields.setdefault(name, []).append(cell)
    return fields


def _fitted(cells: Sequence[str], width: int) -> list[str]:
    kept = [*cells[:width], *[""] * (width - len(cells))]
    beyond = [cell for cell in cells[width:] if cell]
    if beyond:
        kept[-1] = "，".join([kept[-1], *beyond])
    return kept


def _trimmed(cells: Sequence[str]) -> tuple[str, ...]:
    width = max((at for at, cell in enumerate(cells, 1) if cell), default=0)
    return tuple(cells[:width])


def _remark_broken(found: Table, path: str, remarks: Remarks) -> None:
    unclosed = [row.line for row in found.rows if row.broken]
    if unclosed:
        remarks.say(f"{path} 第 {numbers(unclosed)} 行的引号没有成对，已按原样读入；请检查这些行。")
    width = len(found.header)
    ragged = [r.line for r in found.rows if len(_trimmed(r.cells)) > width or len(r.cells) < width]
    if ragged:
        remarks.say(f"{path} 第 {numbers(ragged)} 行的列数与表头的 {width} 列不同，请检查这些行是否少了引号或分隔符。")


def _unsure(path: str, row: Row, width: int) -> str:
    return (
        f"{path} 第 {row.line} 行有 {len(row.cells)} 列，表头有 {width} 列，无法确定可见范围，未读入；"
        "请检查这一行的引号和分隔符。"
    )
