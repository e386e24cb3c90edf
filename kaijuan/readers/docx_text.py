"""Text of Word paragraphs: revisions as accepted, notes in brackets, hidden text left out and counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from docx.oxml.ns import nsmap, qn
from docx.oxml.xmlchemy import BaseOxmlElement

from kaijuan.readers.docx_package import WordPackage
from kaijuan.readers.docx_styles import Styles, vanishes
from kaijuan.readers.markup import one_line

_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_BLIPS = (f"{{{nsmap['a']}}}blip", "{urn:schemas-microsoft-com:vml}imagedata")
_TEXT = qn("w:t")
_RUN = qn("w:r")
_BOX = qn("w:txbxContent")
_PLAIN = {qn("w:tab"): " ", qn("w:ptab"): " ", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_REMOVED = frozenset({qn("w:del"), qn("w:moveFrom")})
#: What stands in a paragraph and is none of its words.
_SILENT = frozenset({qn("w:pPr"), qn("w:rPr"), qn("w:instrText"), qn("w:delText"), qn("w:rt"), qn("w:sdtPr")})
_NOTES = {qn("w:footnoteReference"): "w:footnote", qn("w:endnoteReference"): "w:endnote"}
# Characters of symbol fonts that stand for something; the others are ornaments.
_SYMBOLS = {0xF0FC: "✓", 0xF0FE: "☑", 0xF0FB: "✗", 0xF0FD: "☒", 0xF0A8: "□", 0xF06F: "□", 0xF0A3: "□", 0xF0E0: "→"}
_SOFT_HYPHEN = str.maketrans("", "", "\u00ad")


@dataclass(slots=True)
class LeftOut:
    """How often something was passed over while the text was read."""

    hidden: int = 0
    revisions: int = 0
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class Words:
    """Text of one paragraph, lines parted by LF, and the text boxes that hang on it."""

    text: str
    boxes: tuple[BaseOxmlElement, ...] = ()


@dataclass(slots=True)
class _Found:
    parts: list[str] = field(default_factory=list)
    boxes: list[BaseOxmlElement] = field(default_factory=list)


class ParagraphText:
    """Reads paragraphs of one file; `left_out` counts along."""

    def __init__(self, package: WordPackage, styles: Styles) -> None:
        self.left_out = LeftOut()
        self._styles = styles
        self._notes: dict[tuple[str, str], BaseOxmlElement] = {}
        for kind, tag in (("footnotes", "w:footnote"), ("endnotes", "w:endnote")):
            for root in package.roots(kind):
                self._notes.update({(tag, note.get(qn("w:id"), "")): note for note in root.iter(qn(tag))})

    def read(self, paragraph: BaseOxmlElement, hidden: bool = False) -> Words:
        """The words of a paragraph; `hidden` says whether its style hides what does not say otherwise."""
        found = _Found()
        self._read(paragraph, found, hidden)
        return Words("".join(found.parts).translate(_SOFT_HYPHEN).strip(" \n"), tuple(found.boxes))

    def _read(self, element: BaseOxmlElement, found: _Found, hidden: bool) -> None:
        for child in element:
            if child.tag == _RUN:
                self._run(child, found, hidden)
            elif child.tag in _REMOVED:
                self.left_out.revisions += 1
            elif child.tag == qn("w:ins"):
                self.left_out.revisions += 1
                self._read(child, found, hidden)
            elif child.tag == _CHOICE + "AlternateContent":
                self._alternatives(child, found, hidden)
            elif child.tag == _BOX:
                found.boxes.append(child)
            elif child.tag in (_TEXT, _MATH_TEXT):
                found.parts.append(child.text or "")
            elif child.tag in _PLAIN:
                found.parts.append(_PLAIN[child.tag])
            elif child.tag in _NOTES:
                found.parts.append(self._note(_NOTES[child.tag], child.get(qn("w:id"), "")))
            elif child.tag == qn("w:br"):
                found.parts.append("\n" if child.get(qn("w:type"), "textWrapping") == "textWrapping" else " ")
            elif child.tag == qn("w:sym"):
                found.parts.append(_symbol(child.get(qn("w:char"), "")))
            elif child.tag not in _SILENT:
                self.left_out.pictures += child.tag in _BLIPS
                self._read(child, found, hidden)

    def _run(self, run: BaseOxmlElement, found: _Found, hidden: bool) -> None:
        own = vanishes(run)
        if own is None:
            style = run.find(f"{qn('w:rPr')}/{qn('w:rStyle')}")
            own = hidden or (style is not None and self._styles.style(style.get(qn("w:val"), "")).hidden)
        if not own:
            self._read(run, found, False)
        elif any((text.text or "").strip() for text in run.iter(_TEXT)):
            self.left_out.hidden += 1

    def _alternatives(self, element: BaseOxmlElement, found: _Found, hidden: bool) -> None:
        """The first alternative that says something: newer and older programs are given the same twice."""
        for alternative in element:
            said = _Found()
            pictures = self.left_out.pictures
            self._read(alternative, said, hidden)
            if said.parts or said.boxes or self.left_out.pictures > pictures:
                found.parts += said.parts
                found.boxes += said.boxes
                return

    def _note(self, tag: str, note_id: str) -> str:
        note = self._notes.get((tag, note_id))
        if note is None:
            return ""
        # Taken away while it is read: a damaged file may have a note that refers to itself.
        del self._notes[tag, note_id]
        said = one_line("\n".join(self.read(paragraph).text for paragraph in note.iter(qn("w:p"))))
        self._notes[tag, note_id] = note
        return f"（注：{said}）" if said else ""


def ends_removed(paragraph: BaseOxmlElement) -> bool:
    """Whether a revision removed the end of a paragraph, so that it runs on into the next one."""
    mark = paragraph.find(f"{qn('w:pPr')}/{qn('w:rPr')}")
    return mark is not None and any(child.tag in _REMOVED for child in mark)


def blocks(container: BaseOxmlElement) -> Iterator[BaseOxmlElement]:
    """Paragraphs, tables and rows or cells of a container in order, those inside content controls and the like too."""
    for child in container:
        if child.tag in _BLOCKS:
            yield child
        elif child.tag == _CHOICE + "AlternateContent":
            yield from next((found for found in (list(blocks(one)) for one in child) if found), [])
        elif child.tag in _WRAPPERS:
            yield from blocks(child)


_BLOCKS = frozenset({qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc"), qn("w:altChunk")})
_WRAPPERS = frozenset(
    {qn("w:sdt"), qn("w:sdtContent"), qn("w:customXml"), qn("w:smartTag"), qn("w:ins"), qn("w:moveTo")}
)


def _symbol(code: str) -> str:
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    private = 0xE000 <= number <= 0xF8FF
    return _SYMBOLS.get(number, "" if private or not 0x20 <= number < 0x110000 else chr(number))
