"""Styles of a Word file: which are headings, the title, the table of contents, lists, or hidden.

Names differ by language and every style may rest on another, so each is asked along its chain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement

_VAL = qn("w:val")
_HEADING_NAME = re.compile(
    r"(?:heading|标题|標題|見出し|제목|überschrift|titre|título|titolo|заголовок)\s*([1-9])", re.IGNORECASE
)
_TITLE_NAME = re.compile(r"(?:title|标题|標題|文档标题|表題|titel|titre)", re.IGNORECASE)
_CONTENTS_NAME = re.compile(r"(?:toc|目录|目錄)\s*(?:\d|heading|标题)", re.IGNORECASE)
_LIST_NAME = re.compile(r"(list bullet|list number|列表项目符号|列表编号)\s*([2-5])?", re.IGNORECASE)
#: Outline levels from this one on mean body text.
_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says; `level` is that of a heading from 1, `list_id`/`list_level` its own numbering.

    `bullet` is a list that is one by its name alone; `list_depth` is how deep that name says, from 0.
    """

    level: int | None = None
    title: bool = False
    contents: bool = False
    list_id: str | None = None
    list_level: int | None = None
    list_depth: int = 0
    bullet: bool = False
    hidden: bool = False


class Styles:
    """The styles of one file by their ids; an id that is not defined is understood by itself ("Heading1")."""

    def __init__(self, root: BaseOxmlElement | None) -> None:
        found = list(root.iter(qn("w:style"))) if root is not None else []
        self._elements: dict[str, BaseOxmlElement] = {style.get(qn("w:styleId"), ""): style for style in found}
        self._default = next(
            (
                s.get(qn("w:styleId"), "")
                for s in found
                if s.get(qn("w:type")) == "paragraph" and s.get(qn("w:default"))
            ),
            "",
        )
        self._known: dict[str, Style] = {}

    def style(self, style_id: str | None) -> Style:
        """The style of this id, of the default one for None."""
        key = self._default if style_id is None else style_id
        if key not in self._known:
            self._known[key] = self._read(key)
        return self._known[key]

    def _read(self, style_id: str) -> Style:
        chain = list(self._chain(style_id))
        names = [self._name(element) for element in chain] or [style_id]
        listed = next(filter(None, (_LIST_NAME.fullmatch(name) for name in names)), None)
        numbering = next(filter(None, (number_properties(element) for element in chain)), (None, None))
        return Style(
            level=next((level for level in map(_level, chain, names) if level is not None), None)
            if chain
            else _named_level(style_id),
            title=any(_TITLE_NAME.fullmatch(name) for name in names),
            contents=any(_CONTENTS_NAME.match(name) for name in names),
            list_id=numbering[0],
            list_level=numbering[1],
            list_depth=int(listed[2] or 1) - 1 if listed else 0,
            bullet=bool(listed) and numbering[0] is None,
            hidden=next((hidden for hidden in map(vanishes, chain) if hidden is not None), False),
        )

    def _chain(self, style_id: str) -> Iterator[BaseOxmlElement]:
        seen: set[str] = set()
        while style_id in self._elements and style_id not in seen:
            seen.add(style_id)
            yield self._elements[style_id]
            base = self._elements[style_id].find(qn("w:basedOn"))
            style_id = base.get(_VAL, "") if base is not None else ""

    def _name(self, style: BaseOxmlElement) -> str:
        name = style.find(qn("w:name"))
        return str(name.get(_VAL, "")).strip() if name is not None else ""


def outline_level(properties: BaseOxmlElement | None) -> int | None:
    """Heading level from 1 that paragraph properties name, 0 for body text, None where they say nothing."""
    outline = properties.find(qn("w:outlineLvl")) if properties is not None else None
    written = outline.get(_VAL, "") if outline is not None else ""
    if not written.isdigit():
        return None
    return int(written) + 1 if int(written) < _BODY_LEVEL else 0


def number_properties(holder: BaseOxmlElement) -> tuple[str | None, int | None] | None:
    """List id and level that a style or paragraph names in its properties, None where it names no list."""
    numbering = holder.find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    if numbering is None:
        return None
    list_id, level = numbering.find(qn("w:numId")), numbering.find(qn("w:ilvl"))
    deep = level.get(_VAL, "") if level is not None else ""
    return (list_id.get(_VAL) if list_id is not None else None, int(deep) if deep.isdigit() else None)


def vanishes(holder: BaseOxmlElement) -> bool | None:
    """Whether the run properties of a style or run hide its text, None where they say nothing."""
    vanish = holder.find(f"{qn('w:rPr')}/{qn('w:vanish')}")
    return None if vanish is None else is_on(vanish)


def is_on(switch: BaseOxmlElement) -> bool:
    """Whether a switch is on: it is when it is there and does not say otherwise."""
    return switch.get(_VAL, "1") not in ("0", "false", "off")


def _level(style: BaseOxmlElement, name: str) -> int | None:
    level = outline_level(style.find(qn("w:pPr")))
    return level if level is not None else _named_level(name)


def _named_level(name: str) -> int | None:
    found = _HEADING_NAME.fullmatch(name)
    return int(found[1]) if found else None
