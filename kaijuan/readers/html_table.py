"""Tables of web pages: spans filled, headers repeated by the chunker, and tables that only lay out a page read as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborNode

from kaijuan.readers.grid import Cell, Row, body_blocks, column_names, header_depth, is_blank, is_caption
from kaijuan.readers.html_hidden import Setting, children, part_of_no_content
from kaijuan.readers.markup import one_line

Read = Callable[[LexborNode, Setting], list[str]]

_SECTIONS = ("thead", "tbody", "tfoot")
_NUMBER = re.compile(r"[-+¥￥$]?\s?\d[\d,.\s]*%?")
_BULLET = re.compile(r"^\s*- ", re.MULTILINE)
#: Columns that one cell may span; browsers allow no more.
_WIDEST_SPAN = 1000


@dataclass(frozen=True, slots=True)
class _Line:
    """One row of the page: its cells, and whether it stands in the table's head."""

    cells: tuple[LexborNode, ...]
    head: bool


def table_blocks(node: LexborNode, setting: Setting, read: Read) -> list[str]:
    """Markdown blocks of a table; `read` gives the blocks of a cell. Raises ReadError for more cells than the limit."""
    lines = list(_lines(node, setting))
    caption = [block for child in children(node) if child.tag == "caption" for block in read(child, setting)]
    if not lines:
        return caption
    if setting.in_table:
        return [*caption, *_flattened(lines, setting, read)]
    if _is_layout(node, lines):
        return [*caption, *(block for line in lines for cell in line.cells for block in read(cell, setting))]
    inner = replace(setting, in_table=True)
    rows, heads = _grid(lines, inner, read)
    if not rows:
        return caption
    if heads == 0 and _names_its_rows(lines):
        return [*caption, "\n".join(_pair(row) for row in rows)]
    captions, rows, heads = _title_rows(rows, heads)
    heads = heads or header_depth(rows)
    names = column_names(rows[:heads])
    header = {tuple(cell.text for cell in row) for row in rows[:heads]}
    body = [row for row in rows[heads:] if tuple(cell.text for cell in row) not in header]
    return [*caption, *captions, *(body_blocks(names, body) if body else _only_header(names))]


def _lines(node: LexborNode, setting: Setting) -> Iterator[_Line]:
    """Rows in the order in which they are shown: head, bodies, foot."""
    parts = {name: [c for c in children(node) if c.tag == name] for name in _SECTIONS}
    for name in _SECTIONS:
        for section in parts[name]:
            if part_of_no_content(section, True) is None:
                for row in children(section):
                    if row.tag == "tr" and not _left_out(row, setting):
                        cells = tuple(c for c in children(row) if c.tag in ("td", "th") and not _left_out(c, setting))
                        yield _Line(cells, name == "thead" or (bool(cells) and all(c.tag == "th" for c in cells)))


def _left_out(node: LexborNode, setting: Setting) -> bool:
    part = part_of_no_content(node, True)
    if part:
        setting.left_out.add(part, node)
    return part is not None


def _is_layout(node: LexborNode, lines: Sequence[_Line]) -> bool:
    """Whether a table has no columns to name: said so, of one column, of one row, or with headings or tables in it."""
    if (node.attributes.get("role") or "").lower() in ("presentation", "none"):
        return True
    if any(cell.tag == "th" for line in lines for cell in line.cells):
        return False
    if max(len(line.cells) for line in lines) < 2 or len(lines) < 2:
        return True
    return node.css_first("h1, h2, h3, h4, h5, h6, td table") is not None


def _grid(lines: Sequence[_Line], setting: Setting, read: Read) -> tuple[list[list[Cell]], int]:
    """Rows with every span filled and blank ones dropped, and how many of them are the head."""
    places: dict[tuple[int, int], Cell] = {}
    total = 0
    for at, line in enumerate(lines):
        column = 0
        for node in line.cells:
            while (at, column) in places:
                column += 1
            down, across = min(_span(node, "rowspan"), len(lines) - at), min(_span(node, "colspan"), _WIDEST_SPAN)
            text = one_line(_BULLET.sub("", "\n".join(read(node, setting))))
            cell = Cell(text, (at, column), bool(_NUMBER.fullmatch(text)))
            total += down * across
            setting.limits.check_cells(total, setting.name)
            for row in range(at, at + down):
                for one in range(column, column + across):
                    places.setdefault((row, one), cell)
            column += across
    width = max((column for _, column in places), default=-1) + 1
    setting.limits.check_cells(width * len(lines), setting.name)
    full = [[places.get((at, c)) or Cell("", (at, c)) for c in range(width)] for at in range(len(lines))]
    kept = [(row, line.head) for row, line in zip(full, lines, strict=True) if not is_blank(row)]
    used = [c for c in range(width) if any(row[c].text for row, _ in kept)]
    heads = next((at for at, (_, head) in enumerate(kept) if not head), len(kept))
    return [[row[c] for c in used] for row, _ in kept], heads


def _span(node: LexborNode, name: str) -> int:
    text = (node.attributes.get(name) or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        return 1
    # rowspan="0" reaches to the end; the caller cuts it there.
    return int(text) or (10**6 if name == "rowspan" else 1)


def _names_its_rows(lines: Sequence[_Line]) -> bool:
    """Whether a table of two columns has the names at its left and none above."""
    return all(len(line.cells) == 2 and line.cells[0].tag == "th" and line.cells[1].tag == "td" for line in lines)


def _pair(row: Row) -> str:
    return "- " + "：".join(cell.text for cell in row if cell.text)


def _title_rows(rows: list[list[Cell]], heads: int) -> tuple[list[str], list[list[Cell]], int]:
    """What stands over the names of the columns in one cell across the whole width is a title."""
    above = 0
    while above < len(rows) - 1 and is_caption(rows[above]):
        above += 1
    return [row[0].text for row in rows[:above]], rows[above:], max(0, heads - above)


def _only_header(names: Sequence[str]) -> list[str]:
    return [" ".join(name for name in names if name)]


def _flattened(lines: Sequence[_Line], setting: Setting, read: Read) -> list[str]:
    """A table within a cell: a line for each row."""
    texts = ([one_line("\n".join(read(cell, setting))) for cell in line.cells] for line in lines)
    return [" ".join(text for text in row if text) for row in texts if any(row)]
