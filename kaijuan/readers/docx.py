"""Word files as Markdown: headings from styles, lists with their numbers, tables with their headers, in their order.

Left out: comments, the table of contents, and, with a warning each, headers and footers, hidden text and pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement

from kaijuan.readers.archive import damaged
from kaijuan.readers.converted import Converted
from kaijuan.readers.docx_numbering import Label, Numbering
from kaijuan.readers.docx_package import WordPackage
from kaijuan.readers.docx_styles import Style, Styles, number_properties, outline_level
from kaijuan.readers.docx_tables import flat, grid, table_blocks
from kaijuan.readers.docx_text import ParagraphText, blocks, ends_removed
from kaijuan.readers.markdown import LONGEST_TITLE
from kaijuan.readers.markup import heading, one_line, plain_lines

#: Labels that Markdown knows as list markers, by their last character.
_MARKERS = (".", ")")
_NO_BLANK_AFTER = "、．，：）】〕"
_SAMPLE = 20


def read_docx(data: bytes, name: str) -> Converted:
    """A Word file as Markdown; `name` is used in sentences. Raises ReadError when it cannot be read."""
    package = WordPackage(data, name)
    try:
        body = _Body(package)
        body.read(package.body)
        text = body.text()
        warnings = tuple(_warnings(package, body, name))
    except RecursionError as error:
        raise damaged(name) from error
    properties = package.properties()
    return Converted(text, body.title or properties.title, properties.modified, warnings)


@dataclass(frozen=True, slots=True)
class _Block:
    text: str
    item: bool = False


@dataclass(frozen=True, slots=True)
class _Item:
    """An open list item: its level in Word, and where its own text begins in the line."""

    level: int
    indent: int


class _Body:
    """Paragraphs and tables as blocks of Markdown, one after the other."""

    def __init__(self, package: WordPackage) -> None:
        self.title: str | None = None
        self.foreign = 0
        self._styles = Styles(package.root("styles"))
        self._numbering = Numbering(package.root("numbering"), self._styles)
        self._text = ParagraphText(package, self._styles)
        self.left_out = self._text.left_out
        self._blocks: list[_Block] = []
        self._items: list[_Item] = []
        self._carried = ""

    def text(self) -> str:
        """Everything read so far; items of a list follow each other without a blank line."""
        said: list[str] = []
        before = _Block("")
        for block in self._blocks:
            if said:
                said.append("\n" if block.item and before.item else "\n\n")
            said.append(block.text)
            before = block
        return "".join(said) + "\n" if said else ""

    def read(self, container: BaseOxmlElement) -> None:
        """Read what stands in a container: the body, a text box, the cell of a frame."""
        for block in blocks(container):
            if block.tag == qn("w:p"):
                self._paragraph(block)
            elif block.tag == qn("w:tbl"):
                self._table(block)
            else:
                self.foreign += block.tag == qn("w:altChunk")
        if self._carried:
            self._add(self._carried)
            self._carried = ""

    def _paragraph(self, paragraph: BaseOxmlElement) -> None:
        style_id, style = self._style(paragraph)
        if style.contents:
            return
        words = self._text.read(paragraph, style.hidden)
        if ends_removed(paragraph):
            self._carried += words.text
        else:
            text, self._carried = self._carried + words.text, ""
            label = self._label(paragraph, style_id, style)
            if text.strip():
                self._write(text, label, style, _heading_level(paragraph, style))
        for box in words.boxes:
            self.read(box)

    def _write(self, text: str, label: Label | None, style: Style, level: int) -> None:
        title = style.title and self.title is None and not level
        if title:
            self.title = one_line(text)
        if (title or style.title or level) and len(text) <= LONGEST_TITLE:
            shown = 1 if title else (level or 1) + (self.title is not None)
            self._add(heading(shown, _labelled(label, text)))
        elif label is None:
            self._add("\n".join(plain_lines(text)))
        else:
            self._item(label, text)

    def _item(self, label: Label, text: str) -> None:
        while self._items and self._items[-1].level >= label.level:
            self._items.pop()
        known = label.text[:-1].isdigit() and label.text.isascii() and label.text.endswith(_MARKERS)
        if label.text and not known and not self._items and label.level == 0:
            # Markdown has no such marker: the paragraph begins with it, as it does in the document.
            self._add(_labelled(label, "\n".join(plain_lines(text))))
            return
        marker = label.text if known else "-"
        indent = self._items[-1].indent if self._items else 0
        first, *others = plain_lines(text)
        within = indent + len(marker) + 1
        own = first if known else _labelled(label, first)
        lines = [" " * indent + f"{marker} {own}", *(" " * within + line for line in others)]
        self._blocks.append(_Block("\n".join(lines), item=True))
        self._items.append(_Item(label.level, within))

    def _table(self, table: BaseOxmlElement) -> None:
        cells = [cell for row in blocks(table) if row.tag == qn("w:tr") for cell in blocks(row)]
        if len(cells) == 1:  # a frame around text
            self.read(cells[0])
            return
        rows = grid(table, self._cell_text)
        if rows and len(rows[0]) == 1:
            for row in rows:
                self._add("\n".join(plain_lines(row[0].text)))
            return
        for block in table_blocks(table, rows):
            self._add(block)

    def _cell_text(self, cell: BaseOxmlElement) -> str:
        """Text of a cell, a line for each paragraph; tables inside it are flattened."""
        lines = []
        for block in blocks(cell):
            if block.tag == qn("w:tbl"):
                lines.append(flat(grid(block, self._cell_text)))
            elif block.tag == qn("w:p"):
                style_id, style = self._style(block)
                words = self._text.read(block, style.hidden)
                lines.append(_labelled(self._label(block, style_id, style), words.text))
                lines += [self._cell_text(box) for box in words.boxes]
        return "\n".join(line for line in lines if line.strip())

    def _add(self, text: str) -> None:
        if text:
            self._items.clear()
            self._blocks.append(_Block(text))

    def _style(self, paragraph: BaseOxmlElement) -> tuple[str | None, Style]:
        named = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        style_id = named.get(qn("w:val")) if named is not None else None
        return style_id, self._styles.style(style_id)

    def _label(self, paragraph: BaseOxmlElement, style_id: str | None, style: Style) -> Label | None:
        own_id, own_level = number_properties(paragraph) or (None, None)
        list_id = own_id if own_id is not None else style.list_id
        if list_id is None:
            return Label("", style.list_depth) if style.bullet else None
        label = self._numbering.label(list_id, own_level if own_level is not None else style.list_level, style_id)
        if label is not None and own_id is None and label.level == 0:
            return Label(label.text, style.list_depth)
        return label


def _heading_level(paragraph: BaseOxmlElement, style: Style) -> int:
    """Level of a heading from 1, 0 for anything else; the paragraph's own outline level counts first."""
    own = outline_level(paragraph.find(qn("w:pPr")))
    return own if own is not None else style.level or 0


def _labelled(label: Label | None, text: str) -> str:
    if label is None or not label.text or not text:
        return text
    return label.text + ("" if label.text[-1] in _NO_BLANK_AFTER else " ") + text


def _warnings(package: WordPackage, body: _Body, name: str) -> Iterator[str]:
    left_out = body.left_out
    if left_out.hidden:
        yield f"{name} 有 {left_out.hidden} 处隐藏文字，未读入；如需收录请在 Word 中取消隐藏后重新导入。"
    if left_out.revisions:
        yield f"{name} 有 {left_out.revisions} 处未处理的修订，已按全部接受读入；请在 Word 中确认后保存。"
    if left_out.pictures:
        yield f"{name} 有 {left_out.pictures} 张图片，图中的文字未读入；如有要点请写进正文。"
    if body.foreign:
        yield f"{name} 嵌入了 {body.foreign} 份其他文档，未读入；请把内容粘贴到正文后重新导入。"
    said = _margin_text(package)
    if said:
        yield f"{name} 的页眉页脚文字（如“{said[:_SAMPLE]}”）未读入；如有要点请写进正文。"


def _margin_text(package: WordPackage) -> str:
    """Text of headers and footers, nothing where they only count pages."""
    roots = (root for kind in ("header", "footer") for root in package.roots(kind))
    lines = ("".join(t.text or "" for t in p.iter(qn("w:t"))).strip() for root in roots for p in root.iter(qn("w:p")))
    return next((line for line in lines if any(c.isalpha() and c not in "第页共of" for c in line)), "")
