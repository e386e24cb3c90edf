"""Numbering of a Word file: the label that stands before a list paragraph, counted as Word counts.

Lists that share a definition go on counting together, unless one of them says where it starts anew.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement

from kaijuan.readers.docx_numerals import numeral
from kaijuan.readers.docx_styles import Styles, is_on

_VAL = qn("w:val")
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a list paragraph: its text ("1.", "（一）"; empty for a bullet) and its level from 0."""

    text: str
    level: int


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "decimal"
    pattern: str = ""
    start: int = 1
    restart: int | None = None
    legal: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class _List:
    definition: str
    levels: dict[int, _Level]
    starts: dict[int, int]


class Numbering:
    """The lists of one file; `label` counts, so paragraphs have to be asked about in their order, each once."""

    def __init__(self, root: BaseOxmlElement | None, styles: Styles) -> None:
        self._styles = styles
        found = list(root) if root is not None else []
        self._definitions: dict[str, BaseOxmlElement] = {
            e.get(qn("w:abstractNumId"), ""): e for e in found if e.tag == qn("w:abstractNum")
        }
        self._elements: dict[str, BaseOxmlElement] = {
            e.get(qn("w:numId"), ""): e for e in found if e.tag == qn("w:num")
        }
        self._lists: dict[str, _List] = {}
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._begun: set[str] = set()

    def label(self, list_id: str, level: int | None, style_id: str | None) -> Label | None:
        """The label of the next paragraph of a list; None where the list shows none or does not exist.

        Where the paragraph names no level, it is the one that the list has for its style, else the outermost.
        """
        listed = self._list(list_id)
        if listed is None:
            return None
        if level is None:
            level = next((n for n, one in listed.levels.items() if style_id and one.style == style_id), 0)
        own = listed.levels.get(level)
        if own is None:
            return None
        self._count(list_id, listed, level)
        if own.form == "bullet":
            return Label("", level)
        text = self._text(listed, own)
        return Label(text, level) if text else None

    def _count(self, list_id: str, listed: _List, level: int) -> None:
        counts = self._counts[listed.definition]
        if list_id not in self._begun:
            self._begun.add(list_id)
            for at in listed.starts:
                counts.pop(at, None)
        for above in range(level):
            counts.setdefault(above, self._start(listed, above))
        counts[level] = counts[level] + 1 if level in counts else self._start(listed, level)
        for below, one in listed.levels.items():
            if below > level and one.restart != 0 and (one.restart is None or level < one.restart):
                counts.pop(below, None)

    def _start(self, listed: _List, level: int) -> int:
        return listed.starts.get(level, listed.levels.get(level, _Level()).start)

    def _text(self, listed: _List, own: _Level) -> str:
        counts = self._counts[listed.definition]

        def number(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            form = "decimal" if own.legal else listed.levels.get(at, _Level()).form
            return "" if form == "none" else numeral(counts.get(at, self._start(listed, at)), form)

        return _PLACE.sub(number, own.pattern).strip()

    def _list(self, list_id: str) -> _List | None:
        if list_id not in self._lists and list_id in self._elements:
            self._lists[list_id] = self._read(self._elements[list_id])
        return self._lists.get(list_id)

    def _read(self, element: BaseOxmlElement) -> _List:
        definition = self._definition(element)
        levels = {n: level for n, level in map(_level, self._levels(definition)) if n is not None}
        starts: dict[int, int] = {}
        for override in element.iter(qn("w:lvlOverride")):
            at = _whole(override.get(qn("w:ilvl")), 0)
            levels.update((at, level) for _, level in map(_level, override.iter(qn("w:lvl"))))
            start = override.find(qn("w:startOverride"))
            if start is not None:
                starts[at] = _whole(start.get(_VAL), 1)
        return _List(definition, levels, starts)

    def _definition(self, element: BaseOxmlElement) -> str:
        """Id of a list's definition; one that only names a list style is looked up there."""
        definition = _value(element, "w:abstractNumId")
        found = self._definitions.get(definition)
        link = _value(found, "w:numStyleLink") if found is not None else ""
        linked = self._elements.get(self._styles.style(link).list_id or "") if link else None
        return _value(linked, "w:abstractNumId") if linked is not None else definition

    def _levels(self, definition: str) -> list[BaseOxmlElement]:
        found = self._definitions.get(definition)
        return list(found.iter(qn("w:lvl"))) if found is not None else []


def _level(element: BaseOxmlElement) -> tuple[int | None, _Level]:
    restart, legal = _value(element, "w:lvlRestart"), element.find(qn("w:isLgl"))
    level = _Level(
        form=_form(element),
        pattern=_value(element, "w:lvlText"),
        start=_whole(_value(element, "w:start"), 1),
        restart=_whole(restart, 0) if restart else None,
        legal=legal is not None and is_on(legal),
        style=_value(element, "w:pStyle"),
    )
    at = element.get(qn("w:ilvl"), "")
    return (int(at) if at.isdigit() else None), level


def _form(element: BaseOxmlElement) -> str:
    # A form of a later Word is wrapped, with an older one beside it for who does not know it.
    found = next(element.iter(qn("w:numFmt")), None)
    return str(found.get(_VAL, "decimal")) if found is not None else "decimal"


def _value(element: BaseOxmlElement, tag: str) -> str:
    found = element.find(qn(tag))
    return str(found.get(_VAL, "")) if found is not None else ""


def _whole(written: str | None, otherwise: int) -> int:
    return int(written) if written and written.isdigit() else otherwise
