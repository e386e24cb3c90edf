"""Reading order: a page whose lines fill two or more columns is read column by column, any other from the top down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kaijuan.readers.pdf_lines import Stretch
from kaijuan.readers.pdf_tables import Table

#: Lines that each side of a gutter must have, and lines that must stand beside each other.
FEWEST_LINES, FEWEST_PAIRS = 4, 3
#: Lines of a column are at least this wide in the middle of them, in sizes of the text.
_NARROWEST = 8.0
_DEEPEST = 3

Part = Stretch | Table


@dataclass(frozen=True, slots=True)
class Region:
    """Parts of a page that are read from the top down; `column` tells one of several beside each other."""

    parts: tuple[Part, ...]
    column: bool = False


def reading_order(parts: Sequence[Part], column: bool = False, depth: int = 0) -> list[Region]:
    """The parts of a page as regions in the order in which they are read."""
    gutter = _gutter(parts) if depth < _DEEPEST else None
    if gutter is None:
        return [Region(tuple(sorted(parts, key=place)), column)] if parts else []
    regions: list[Region] = []
    band: list[Part] = []
    for part in sorted(parts, key=place):
        if part.x0 < gutter - 1 and part.x1 > gutter + 1:
            regions += _sides(band, gutter, depth)
            # Lines over the whole width that follow each other are one region.
            if regions and not regions[-1].column and not band:
                regions[-1] = Region((*regions[-1].parts, part), column)
            else:
                regions.append(Region((part,), column))
            band = []
        else:
            band.append(part)
    return [*regions, *_sides(band, gutter, depth)]


def place(part: Part) -> tuple[float, float]:
    """Where a part comes, from the top down and from left to right."""
    return (part.base if isinstance(part, Stretch) else part.top), part.x0


def _sides(band: Sequence[Part], gutter: float, depth: int) -> list[Region]:
    left = [part for part in band if (part.x0 + part.x1) / 2 < gutter]
    right = [part for part in band if (part.x0 + part.x1) / 2 >= gutter]
    return [*reading_order(left, True, depth + 1), *reading_order(right, True, depth + 1)]


def _gutter(parts: Sequence[Part]) -> float | None:
    """The x at which most lines have a neighbour beside them, where both sides are filled with running text."""
    lines = sorted((part for part in parts if isinstance(part, Stretch)), key=place)
    gaps = [gap for number, line in enumerate(lines) if (gap := _gap(line, lines, number)) is not None]
    if len(gaps) < FEWEST_PAIRS:
        return None
    middles = sorted({(left + right) / 2 for left, right in gaps})
    best = max(middles, key=lambda x: (sum(left < x < right for left, right in gaps), -abs(x - median(middles))))
    left = [line for line in lines if line.x1 <= best + 1]
    right = [line for line in lines if line.x0 >= best - 1]
    return best if _filled(left) and _filled(right) else None


def _gap(line: Stretch, lines: Sequence[Stretch], number: int) -> tuple[float, float] | None:
    """The gap between a line and the nearest one to its right at the same height."""
    beside = []
    for step in (-1, 1):
        at = number + step
        while 0 <= at < len(lines) and abs(lines[at].top - line.top) < line.bottom - line.top:
            other = lines[at]
            if other.x0 > line.x1 and other.top < line.bottom and other.bottom > line.top:
                beside.append(other.x0)
            at += step
    return (line.x1, min(beside)) if beside else None


def _filled(lines: Sequence[Stretch]) -> bool:
    if len(lines) < FEWEST_LINES:
        return False
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    wide = sum(line.x1 - line.x0 >= 0.6 * width for line in lines)
    return 2 * wide >= len(lines) and median((line.x1 - line.x0) / line.size for line in lines) >= _NARROWEST
