"""The flow of a web page as Markdown blocks: headings, paragraphs, lists, tables, code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborNode

from kaijuan.readers.html_hidden import Setting, children, is_content, part_of_no_content, visible_text
from kaijuan.readers.html_table import table_blocks
from kaijuan.readers.markup import heading, one_line, plain_lines

#: Elements that begin and end a paragraph.
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table",
    "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLANKS = re.compile(r"[ \t\n\r\f\xa0\u2002-\u200a\u202f\u3000]+")
#: Stands for <br> until blanks are joined; the parser leaves no NUL in a text.
_BREAK = "\0"
_BACKTICKS = re.compile(r"`{3,}")
#: Digits above the line would join the number before them ("10<sup>3</sup>" is not 103).
_ABOVE = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
#: Elements deeper than this are read as bare text; every level costs a call.
_DEEPEST = 100
_MOST_DIGITS = 9
_LIST_HEAD = re.compile(r"- |\d{1,9}\. ")


@dataclass(slots=True)
class _Flow:
    """Blocks that are finished, and the paragraph that is being written."""

    blocks: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def end_paragraph(self) -> None:
        if lines := plain_lines(self.line()):
            self.blocks.append("\n".join(lines))

    def line(self) -> str:
        """Text since the last block, blanks joined; line ends are those that the page asks for."""
        text = _BLANKS.sub(" ", "".join(self.pieces))
        self.pieces.clear()
        return "\n".join(line.strip() for line in text.split(_BREAK))


def blocks_of(node: LexborNode, setting: Setting) -> list[str]:
    """Markdown blocks of the content of an element, in order."""
    flow = _Flow()
    setting = replace(setting, depth=setting.depth + 1)
    _read(node, flow, setting)
    flow.end_paragraph()
    return flow.blocks


def _read(node: LexborNode, flow: _Flow, setting: Setting) -> None:
    if setting.depth > _DEEPEST:
        flow.pieces.append(visible_text(node))
        return
    inner: Setting | None = None
    for child in children(node):
        if child.is_text_node:
            flow.pieces.append(child.text_content or "")
        elif child.is_element_node:
            inner = inner or replace(setting, depth=setting.depth + 1)
            _element(child, flow, inner)


def _element(node: LexborNode, flow: _Flow, setting: Setting) -> None:
    part = part_of_no_content(node, setting.in_content)
    if part is not None:
        if part:
            setting.left_out.add(part, node)
        return
    tag = node.tag or ""
    if not setting.in_content and is_content(node):
        setting = replace(setting, in_content=True)
    if tag == "br":
        flow.pieces.append(_BREAK)
    elif tag == "sup":
        flow.pieces.append(visible_text(node).translate(_ABOVE))
    elif tag in ("img", "wbr"):
        pass
    elif tag not in _BLOCKS and not _heading_level(node):
        _read(node, flow, setting)
    else:
        flow.end_paragraph()
        special = _SPECIAL.get(tag)
        if level := _heading_level(node):
            if title := _bare_text(node, setting):
                flow.blocks.append(heading(level, title))
        elif special is not None:
            flow.blocks += special(node, setting)
        else:
            _read(node, flow, setting)
            flow.end_paragraph()


def _bare_text(node: LexborNode, setting: Setting) -> str:
    """Text of a heading, on which nothing needs to be escaped."""
    flow = _Flow()
    _read(node, flow, setting)
    return one_line("\n".join([*flow.blocks, flow.line()]))


def _heading_level(node: LexborNode) -> int:
    """Level of a heading, 0 for anything else."""
    if level := _HEADINGS.get(node.tag or ""):
        return level
    if (node.attributes.get("role") or "").lower() != "heading":
        return 0
    level_text = node.attributes.get("aria-level") or "2"
    return int(level_text) if level_text.isascii() and level_text.isdigit() else 2


def _list(node: LexborNode, setting: Setting) -> list[str]:
    items = [child for child in children(node) if child.is_element_node]
    lines: list[str] = []
    ordinals = _ordinals(node, [item for item in items if item.tag == "li"])
    for item in items:
        if part_of_no_content(item, setting.in_content) is not None or item.tag != "li":
            # A list right inside a list belongs to the item before it.
            inner = _Flow()
            _element(item, inner, setting)
            inner.end_paragraph()
            marker, blocks = "- " if not lines else "", inner.blocks
            if item.tag == "li":
                next(ordinals, None)
        else:
            marker, blocks = next(ordinals), blocks_of(item, setting)
        if blocks:
            lines.append(_item(marker, blocks, 2 if node.tag != "ol" else 3))
    return ["\n".join(lines)] if lines else []


def _ordinals(node: LexborNode, items: list[LexborNode]) -> Iterator[str]:
    """Markers of the items, as start, value and reversed have them."""
    if node.tag != "ol":
        yield from ("- " for _ in items)
        return
    step = -1 if "reversed" in node.attributes else 1
    number = _integer(node.attributes.get("start"), len(items) if step < 0 else 1)
    for item in items:
        number = _integer(item.attributes.get("value"), number)
        yield f"{number}. " if number >= 0 else f"- {number} "
        number += step


def _integer(text: str | None, otherwise: int) -> int:
    text = (text or "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else otherwise


def _item(marker: str, blocks: list[str], indent: int) -> str:
    """One item: its first block behind the marker, what follows below it."""
    pad = " " * (len(marker) or indent)
    text = blocks[0]
    for block in blocks[1:]:
        text += ("\n" if _LIST_HEAD.match(block) else "\n\n") + block
    indented = "\n".join(pad + line if line else line for line in text.split("\n"))
    return marker + indented[len(pad) :] if marker else indented


def _definitions(node: LexborNode, setting: Setting) -> list[str]:
    """A list of terms: each item a term with what is said of it ("- 保价：…")."""
    lines: list[str] = []
    terms: list[str] = []
    for child in _definition_parts(node):
        if child.tag == "dt":
            terms.append(_bare_text(child, setting))
            continue
        blocks = blocks_of(child, setting)
        term = "、".join(filter(None, terms))
        terms.clear()
        if blocks and term and not _LIST_HEAD.match(blocks[0]) and not blocks[0].startswith(("|", "```")):
            blocks[0] = f"{term}：{blocks[0]}"
        elif term:
            blocks.insert(0, term)
        if blocks:
            lines.append(_item("- ", blocks, 2))
    if left := "、".join(filter(None, terms)):
        lines.append(f"- {left}")
    return ["\n".join(lines)] if lines else []


def _definition_parts(node: LexborNode) -> Iterator[LexborNode]:
    for child in children(node):
        if child.tag in ("dt", "dd"):
            yield child
        elif child.tag == "div":  # groups of terms may stand in one
            yield from (one for one in children(child) if one.tag in ("dt", "dd"))


def _quote(node: LexborNode, setting: Setting) -> list[str]:
    blocks = blocks_of(node, setting)
    if not blocks:
        return []
    return ["\n".join(f"> {line}" if line else ">" for line in "\n\n".join(blocks).split("\n"))]


def _code(node: LexborNode, setting: Setting) -> list[str]:
    text = visible_text(node).replace("\r", "").strip("\n").rstrip()
    if not text.strip():
        return []
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}\n{text}\n{fence}"]


def _table(node: LexborNode, setting: Setting) -> list[str]:
    return table_blocks(node, setting, blocks_of)


def _nothing(node: LexborNode, setting: Setting) -> list[str]:
    return []


_SPECIAL: dict[str, Callable[[LexborNode, Setting], list[str]]] = {
    "ul": _list, "ol": _list, "menu": _list, "dir": _list, "dl": _definitions, "blockquote": _quote, "pre": _code,
    "table": _table, "hr": _nothing,
}  # fmt: skip
