"""What stands on a page of a PDF: every visible character with its place, and the rules drawn around them.

Places are in points from the top left corner of the page as it is shown, y downward.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pypdfium2 as pdfium
import pypdfium2.raw as c

from kaijuan.readers.pdf_rules import Box, Drawing, Rules, View, drawing_of
from kaijuan.text import clean

#: Characters of one page; more are a drawing made of letters or an attack.
MOST_CHARACTERS = 100_000
#: Text smaller than this, in points, is not meant to be seen.
SMALLEST_SIZE = 1.5

_BOLD_NAME = re.compile(r"bold|black|heavy|semibd|demi|hei(?:ti)?\b|黑体", re.IGNORECASE)
_FORCE_BOLD, _BOLD_WEIGHT = 1 << 18, 650
_WHITE = 245
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
#: A blank that is not written but seen by pdfium; it counts between Latin words only.
SEEN_BLANK = "\u200b"
_HYPHEN = 0x2  # pdfium's own mark of a hyphen at a line's end


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character: its box, the y of its baseline, its size in points and whether it is bold."""

    char: str
    x0: float
    x1: float
    top: float
    bottom: float
    base: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Page:
    """One page: upright characters in the order of the file, then those of each other direction, turned upright.

    `dots` are the boxes of small shapes that may be bullets.
    `hidden` and `slanted` count what was left out; `unknown` what the file gives no character for.
    """

    width: float
    height: float
    glyphs: tuple[Glyph, ...]
    sideways: tuple[tuple[Glyph, ...], ...] = ()
    rules: Rules = field(default_factory=Rules)
    dots: tuple[Box, ...] = ()
    pictures: int = 0
    hidden: int = 0
    slanted: int = 0
    unknown: int = 0


@dataclass(slots=True)
class _Style:
    """What all characters of one text object share."""

    size: float
    bold: bool
    quarter: int | None
    shown: bool
    white: bool


def read_page(page: pdfium.PdfPage) -> Page:
    """The characters and rules of a page; raises pdfium.PdfiumError where pdfium cannot read it."""
    view = View.of(page.get_cropbox(), page.get_rotation())
    drawing = drawing_of(page, view)
    textpage = page.get_textpage()
    try:
        reading = _Reading(textpage, view, drawing)
        by_quarter = reading.read()
    finally:
        textpage.close()
    main = max(by_quarter, key=lambda quarter: (len(by_quarter[quarter]), -quarter), default=0)
    width, height = (view.width, view.height) if main % 2 == 0 else (view.height, view.width)
    turned = drawing.rules if main == 0 else drawing.rules.turned(main, view)
    others = tuple(tuple(by_quarter[q]) for q in sorted(by_quarter) if q != main)
    return Page(
        width,
        height,
        tuple(by_quarter.get(main, ())),
        others,
        turned,
        tuple(view.turned_box(dot, main) for dot in drawing.dots),
        drawing.pictures,
        reading.hidden,
        reading.slanted,
        reading.unknown,
    )


class _Reading:
    """Going through the characters of one page."""

    def __init__(self, textpage: pdfium.PdfTextPage, view: View, drawing: Drawing) -> None:
        self._raw = textpage.raw
        self._count = min(textpage.count_chars(), MOST_CHARACTERS)
        self._view = view
        self._drawing = drawing
        self._box, self._x, self._y = c.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        self.hidden = self.slanted = self.unknown = 0

    def read(self) -> dict[int, list[Glyph]]:
        """Visible characters by the quarter turns that set them upright."""
        by_quarter: dict[int, list[Glyph]] = {}
        before: int | None = None
        style: _Style | None = None
        blank = False
        for index in range(self._count):
            code = c.FPDFText_GetUnicode(self._raw, index)
            if c.FPDFText_IsGenerated(self._raw, index) == 1 and code != _HYPHEN:
                blank = code == 0x20
                continue
            handle = c.FPDFText_GetTextObject(self._raw, index)
            key = ctypes.cast(handle, ctypes.c_void_p).value if handle else None
            if style is None or key != before or key is None:
                style, before = self._style(index, handle), key
            for quarter, glyph in self._glyphs(index, code, style):
                found = by_quarter.setdefault(quarter, [])
                if blank:
                    found.append(replace(glyph, char=SEEN_BLANK, x1=glyph.x0))
                found.append(glyph)
            blank = False
        return by_quarter

    def _style(self, index: int, handle: object) -> _Style:
        matrix = c.FS_MATRIX()
        c.FPDFText_GetMatrix(self._raw, index, matrix)
        size = c.FPDFText_GetFontSize(self._raw, index) * (math.hypot(matrix.c, matrix.d) or 1.0)
        flags = ctypes.c_int()
        length = c.FPDFText_GetFontInfo(self._raw, index, None, 0, flags)
        name = ctypes.create_string_buffer(max(1, length))
        c.FPDFText_GetFontInfo(self._raw, index, name, length, flags)
        bold = bool(
            _BOLD_NAME.search(name.value.decode("utf-8", errors="replace"))
            or flags.value & _FORCE_BOLD
            or c.FPDFText_GetFontWeight(self._raw, index) >= _BOLD_WEIGHT
        )
        colour = [ctypes.c_uint() for _ in range(4)]
        filled = c.FPDFText_GetFillColor(self._raw, index, *colour)
        white = bool(filled) and all(part.value >= _WHITE for part in colour[:3])
        mode = c.FPDFTextObj_GetTextRenderMode(handle) if handle else c.FPDF_TEXTRENDERMODE_FILL
        # Invisible text over a picture is what text recognition found in it.
        unpainted = mode == c.FPDF_TEXTRENDERMODE_INVISIBLE and not self._drawing.pictures
        clear = bool(filled) and colour[3].value == 0 and mode == c.FPDF_TEXTRENDERMODE_FILL
        seen = not unpainted and not clear and size >= SMALLEST_SIZE
        unpainted_white = white and mode == c.FPDF_TEXTRENDERMODE_FILL
        return _Style(size, bold, self._view.quarter(matrix.a, matrix.b), seen, unpainted_white)

    def _glyphs(self, index: int, code: int, style: _Style) -> Iterator[tuple[int, Glyph]]:
        char = "-" if code == _HYPHEN else _shown(code)
        if not char:
            return
        if c.FPDFText_HasUnicodeMapError(self._raw, index) == 1 or char == "\ufffd":
            self.unknown += 1
        if style.quarter is None:
            self.slanted += not char.isspace()
            return
        box, x, y = self._box, self._x, self._y
        c.FPDFText_GetLooseCharBox(self._raw, index, box)
        c.FPDFText_GetCharOrigin(self._raw, index, x, y)
        left, top, right, bottom = self._view.box(box.left, box.bottom, box.right, box.top)
        middle = ((left + right) / 2, (top + bottom) / 2)
        outside = not (0 <= middle[0] <= self._view.width and 0 <= middle[1] <= self._view.height)
        if not style.shown or outside or (style.white and not self._drawing.darkens(*middle)):
            self.hidden += not char.isspace()
            return
        x0, y0, x1, y1 = self._view.turned_box((left, top, right, bottom), style.quarter)
        base = self._view.turned(*self._view.point(x.value, y.value), style.quarter)[1]
        yield style.quarter, Glyph(char, x0, x1, y0, y1, base, style.size, style.bold)


def _shown(code: int) -> str:
    """The character as it is shown: radicals as ordinary characters, ligatures as letters, nothing for controls."""
    if code in _LIGATURES:
        return _LIGATURES[code]
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return "\ufffd"
    char = chr(code)
    return " " if char.isspace() else clean(char)
