"""Excel workbooks as Markdown: a section for each sheet, its tables under their headers, values as they are shown.

Hidden sheets, rows and columns are left out with a warning, and so are formulas whose result was not saved.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import BadZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from kaijuan.readers.archive import Archive, damaged
from kaijuan.readers.converted import Converted
from kaijuan.readers.core_properties import core_properties
from kaijuan.readers.limits import Limits
from kaijuan.readers.markup import heading
from kaijuan.readers.xlsx_sheet import Sheet, read_sheet
from kaijuan.readers.xlsx_tables import sheet_blocks

#: Level of the heading of a sheet.
SHEET_LEVEL = 2
#: What openpyxl and the parser under it raise on a broken workbook.
_BROKEN = (
    LookupError, ValueError, TypeError, AttributeError, ArithmeticError, SyntaxError, OSError, EOFError,
    NotImplementedError, BadZipFile, zlib.error, InvalidFileException,
)  # fmt: skip
_NAMED = 3


def read_xlsx(data: bytes, name: str, limits: Limits | None = None) -> Converted:
    """An Excel workbook as Markdown; `name` is used in sentences and gives the title where the file has none.

    Raises ReadError when it cannot be read or is over the limits.
    """
    archive = Archive(data, name)
    properties = core_properties(archive)
    sheets, hidden = _sheets(data, name, limits or Limits())
    blocks: list[str] = []
    for sheet in sheets:
        if said := sheet_blocks(sheet):
            blocks += [heading(SHEET_LEVEL, sheet.name), *said]
    remarks = [remark for sheet in sheets for remark in _remarks(sheet, name)]
    if hidden:
        remarks.append(f"{name} 的隐藏工作表“{'”“'.join(hidden)}”未读入；如需收录请取消隐藏后重新导入。")
    text = "\n\n".join(blocks) + "\n" if blocks else ""
    title = properties.title or PurePosixPath(name).stem
    return Converted(text, title, properties.modified, tuple(remarks))


def _sheets(data: bytes, name: str, limits: Limits) -> tuple[list[Sheet], list[str]]:
    """The visible worksheets, and the names of the hidden ones; what goes wrong is translated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of what it would lose when saving
        try:
            book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
            with closing(book):
                visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
                hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
                return [read_sheet(sheet, limits, name) for sheet in visible], hidden
        except _BROKEN as error:
            raise damaged(name) from error


def _remarks(sheet: Sheet, name: str) -> Iterator[str]:
    where = f"{name} 的工作表“{sheet.name}”"
    if sheet.hidden_rows or sheet.hidden_columns:
        counts = [f"{n} {unit}" for n, unit in ((sheet.hidden_rows, "行"), (sheet.hidden_columns, "列")) if n]
        yield f"{where}有 {'、'.join(counts)}被隐藏，未读入；如需收录请取消隐藏后重新导入。"
    if sheet.unsolved:
        places = "、".join(sheet.unsolved[:_NAMED])
        yield f"{where}有 {len(sheet.unsolved)} 个公式没有保存计算结果（如 {places}），按空白读入；请用 Excel 打开并保存后重新导入。"
    if sheet.faults:
        places = "、".join(sheet.faults[:_NAMED])
        yield f"{where}有 {len(sheet.faults)} 个单元格是错误值（如 {places}），已照原样读入；请在 Excel 中改正。"
