"""Lines of a page: characters that run on become stretches, set with the blanks that a reader sees.

A stretch is what stands on one line without a wide gap or a rule inside: a line of a column, or a cell of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from kaijuan.readers.pdf_glyphs import SEEN_BLANK, Glyph
from kaijuan.readers.pdf_rules import Box, Rules
from kaijuan.text.folding import CJK

#: A gap wider than this, in sizes of the text, parts two stretches.
WIDE_GAP = 1.2
#: A gap wider than this is a blank; between Chinese characters it takes more.
_BLANK, _CHINESE_BLANK = 0.2, 0.75
_BLANKS = (" ", SEEN_BLANK)
#: Baselines of one line lie no farther apart.
_SAME_LINE = 0.3

_CHINESE = re.compile(rf"[{CJK}\u3000-\u303f\uff00-\uffef“”‘’…—]")
MARKER_SIGN = re.compile(
    r"[•●○■◆▪·‣–—*►□✓\uf000-\uf0ff-]|(?:\d{1,3}|[a-zA-Z])[.．、)）]|[（(]?[\d一二三四五六七八九十]{1,3}[)）]|[①-⑳]"
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of text on one line: its box, baseline, size (the one of most of its characters) and whether it is bold.

    `lead` is the width of its first word, by which it is told whether that would have fitted into the line above.
    """

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    base: float
    size: float
    bold: bool
    lead: float


def is_chinese(char: str) -> bool:
    """Whether a character is written without blanks around it, Chinese marks included."""
    return bool(_CHINESE.match(char))


def stretches(glyphs: Sequence[Glyph], rules: Rules) -> list[Stretch]:
    """Stretches of a page from the top down, on one line from left to right."""
    rows = _rows(_runs(glyphs, rules))
    return [set_text(run) for row in rows for run in _merged(row, rules)]


def rows_of(parts: Iterable[Stretch]) -> list[list[Stretch]]:
    """Stretches grouped into lines, each from left to right."""
    rows: list[list[Stretch]] = []
    for part in sorted(parts, key=lambda part: (part.base, part.x0)):
        if rows and part.base - rows[-1][0].base <= _SAME_LINE * min(part.size, rows[-1][0].size):
            rows[-1].append(part)
        else:
            rows.append([part])
    return [sorted(row, key=lambda part: (part.x0, part.base)) for row in rows]


def with_bullets(parts: Sequence[Stretch], dots: Sequence[Box]) -> list[Stretch]:
    """The stretches, those with a drawn bullet right before them beginning with one."""
    dotted = list(parts)
    for left, top, right, bottom in dots:
        middle = (top + bottom) / 2
        for number, part in enumerate(dotted):
            beside = part.x0 - 2 * part.size < left and right <= part.x0
            if beside and 0 < part.base - middle < 0.7 * part.size and not MARKER_SIGN.match(part.text):
                dotted[number] = replace(part, text=f"• {part.text}", x0=left, lead=part.lead + part.x0 - left)
    return dotted


def _runs(glyphs: Sequence[Glyph], rules: Rules) -> list[list[Glyph]]:
    """Characters as the file has them, parted where one does not follow the one before it on its line."""
    runs: list[list[Glyph]] = []
    for glyph in glyphs:
        before = runs[-1][-1] if runs else None
        if before is not None and glyph.char == before.char and _struck_twice(before, glyph):
            continue  # struck twice to look bold
        if before is not None and _follows(before, glyph) and not _parted(before, glyph, rules):
            runs[-1].append(glyph)
        else:
            runs.append([glyph])
    return [trimmed for run in runs if (trimmed := _trimmed(run))]


def _same_place(one: Glyph, other: Glyph) -> bool:
    return abs(one.x0 - other.x0) < 0.15 * one.size and abs(one.base - other.base) < 0.15 * one.size


def _struck_twice(before: Glyph, glyph: Glyph) -> bool:
    """Whether a character stands a little beside itself; in the very same place it is a part of a ligature."""
    return _same_place(before, glyph) and abs(glyph.x0 - before.x0) > 0.001 * glyph.size


def _follows(before: Glyph, glyph: Glyph) -> bool:
    size = max(before.size, glyph.size)
    level = abs(glyph.base - before.base) <= (0.5 if glyph.size != before.size else _SAME_LINE) * size
    return level and glyph.x0 >= before.x0 - 0.1 * size and glyph.x0 - before.x1 <= WIDE_GAP * size


def _parted(before: Glyph, glyph: Glyph, rules: Rules) -> bool:
    return bool(rules.upright) and rules.part(before.x1, glyph.x0, (glyph.top + glyph.bottom) / 2)


def _trimmed(run: list[Glyph]) -> list[Glyph]:
    shown = [number for number, glyph in enumerate(run) if glyph.char not in _BLANKS]
    return run[shown[0] : shown[-1] + 1] if shown else []


def _rows(runs: list[list[Glyph]]) -> list[list[list[Glyph]]]:
    """Runs by line, from left to right."""
    rows: list[list[list[Glyph]]] = []
    for run in sorted(runs, key=lambda run: (_base(run), run[0].x0)):
        near = rows and _base(run) - _base(rows[-1][0]) <= _SAME_LINE * min(run[0].size, rows[-1][0][0].size)
        if near:
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=lambda run: (run[0].x0, _base(run))) for row in rows]


def _base(run: Sequence[Glyph]) -> float:
    return median(glyph.base for glyph in run)


def _merged(row: list[list[Glyph]], rules: Rules) -> list[list[Glyph]]:
    """Neighbours on a line put together; the same words over the same words stand there once."""
    merged: list[list[Glyph]] = []
    for run in row:
        before = merged[-1] if merged else None
        if before is None:
            merged.append(list(run))
        elif _twice(before, run):
            continue
        elif _joins(before, run) and not _parted(before[-1], run[0], rules):
            before += run
        else:
            merged.append(list(run))
    return merged


def _twice(before: Sequence[Glyph], run: Sequence[Glyph]) -> bool:
    return _same_place(before[0], run[0]) and [g.char for g in before] == [g.char for g in run]


def _joins(before: Sequence[Glyph], run: Sequence[Glyph]) -> bool:
    size = max(before[-1].size, run[0].size)
    gap = run[0].x0 - before[-1].x1
    # A list's marker belongs to its words however far it stands from them.
    widest = 4.0 if MARKER_SIGN.fullmatch("".join(glyph.char for glyph in before)) else WIDE_GAP
    return -0.5 * size <= gap <= widest * size


def set_text(run: Sequence[Glyph]) -> Stretch:
    """A run as a stretch, its blanks decided."""
    parts = [g for g in run if g.char not in _BLANKS]
    blanks = _blanks(run)
    text = parts[0].char + "".join((" " if gap else "") + g.char for g, gap in zip(parts[1:], blanks, strict=True))
    sizes = sorted(glyph.size for glyph in parts)
    bold = 2 * sum(glyph.bold for glyph in parts) > len(parts)
    return Stretch(
        text,
        parts[0].x0,
        max(glyph.x1 for glyph in parts),
        min(glyph.top for glyph in parts),
        max(glyph.bottom for glyph in parts),
        _base(parts),
        sizes[len(sizes) // 2],
        bold,
        _first_word(parts, blanks),
    )


def _blanks(run: Sequence[Glyph]) -> list[bool]:
    """Whether a blank stands before each character but the first.

    Between Chinese characters only where the line as a whole is not set apart.
    """
    found: list[bool] = []
    chinese: list[int] = []
    typed = seen = False
    before: Glyph | None = None
    for glyph in run:
        if glyph.char in _BLANKS:
            typed = typed or glyph.char == " "
            seen = seen or glyph.char == SEEN_BLANK
            continue
        if before is not None:
            pair = is_chinese(before.char[-1]), is_chinese(glyph.char[0])
            if all(pair):
                chinese.append(len(found))
            wide = _CHINESE_BLANK if all(pair) else _BLANK
            found.append(
                typed or (seen and not any(pair)) or glyph.x0 - before.x1 > wide * min(before.size, glyph.size)
            )
        before, typed, seen = glyph, False, False
    if 2 * sum(found[n] for n in chinese) > len(chinese):
        for n in chinese:
            found[n] = False
    return found


def _first_word(parts: Sequence[Glyph], blanks: Sequence[bool]) -> float:
    end = 0
    for number, (one, other) in enumerate(pairwise(parts)):
        if blanks[number] or (is_chinese(one.char[-1]) and not _hangs(other.char[0])):
            break
        end = number + 1
    return parts[end].x1 - parts[0].x0


def _hangs(char: str) -> bool:
    """Marks that never begin a line."""
    return char in "，。、；：！？）》”’」』】…,.;:!?)%"
