"""What is drawn on a page of a PDF beside its text: rules, dark grounds, pictures; and how a page is turned to be read."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as c

#: Drawn objects of a page that are looked at, and points of one of them; beyond that it is a drawing and no table.
MOST_OBJECTS, MOST_POINTS = 5_000, 2_000
#: Pieces of rules, and rules once those are put together, beyond which they are a drawing and none counts.
MOST_PIECES, MOST_RULES = 4_000, 600
#: A filled shape thinner than this, in points, is a rule.
_THIN = 3.0
#: Sides of a shape that may be a bullet, in points.
_DOT = (1.5, 7.0)
#: Farther than this from a quarter turn, as the sine of the angle, text is slanted.
_SLANT = 0.17
_WHITE = 245

Box = tuple[float, float, float, float]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class View:
    """The page as it is shown: its box in the file (left, bottom, right, top), its quarter turns clockwise, its size."""

    crop: Box
    turns: int
    width: float
    height: float

    @classmethod
    def of(cls, crop: Box, rotation: int) -> View:
        """The view of a page with this box and rotation in degrees."""
        left, bottom, right, top = crop
        sides = (right - left, top - bottom)
        turns = rotation // 90 % 4
        return cls(crop, turns, sides[turns % 2], sides[1 - turns % 2])

    def point(self, x: float, y: float) -> Point:
        """A point of the file as shown."""
        left, bottom, right, top = self.crop
        if self.turns == 0:
            return x - left, top - y
        return ((y - bottom, x - left), (right - x, y - bottom), (top - y, right - x))[self.turns - 1]

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A box of the file as shown: left, top, right, bottom."""
        return _around(self.point(left, bottom), self.point(right, top))

    def quarter(self, a: float, b: float) -> int | None:
        """Quarter turns clockwise by which text that runs along (a, b) in the file stands on the shown page."""
        length = math.hypot(a, b)
        if not length:
            return 0
        x0, y0 = self.point(0, 0)
        x1, y1 = self.point(a / length, b / length)
        x, y = x1 - x0, y1 - y0
        if min(abs(x), abs(y)) > _SLANT:
            return None
        return (0 if x > 0 else 2) if abs(x) > abs(y) else (1 if y > 0 else 3)

    def turned(self, x: float, y: float, quarter: int) -> Point:
        """A shown point after the page was turned so that text of this quarter stands upright."""
        if quarter == 0:
            return x, y
        return ((y, self.width - x), (self.width - x, self.height - y), (self.height - y, x))[quarter - 1]

    def turned_box(self, box: Box, quarter: int) -> Box:
        """A shown box, turned in the same way."""
        return _around(self.turned(box[0], box[1], quarter), self.turned(box[2], box[3], quarter))


def _around(one: Point, other: Point) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1])


@dataclass(frozen=True, slots=True)
class Rules:
    """Straight rules: upright ones as (x, top, bottom), level ones as (y, left, right)."""

    upright: tuple[tuple[float, float, float], ...] = ()
    level: tuple[tuple[float, float, float], ...] = ()

    def turned(self, quarter: int, view: View) -> Rules:
        """The rules of a page that was turned."""
        boxes = [view.turned_box((x, top, x, bottom), quarter) for x, top, bottom in self.upright]
        boxes += [view.turned_box((left, y, right, y), quarter) for y, left, right in self.level]
        return _rules(boxes)

    def part(self, left: float, right: float, y: float) -> bool:
        """Whether an upright rule stands between two places of a line."""
        return any(left - 1 <= x <= right + 1 and top <= y <= bottom for x, top, bottom in self.upright)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Rules, small shapes as the boxes of what may be bullets, grounds on which white text shows, number of pictures."""

    rules: Rules
    dots: tuple[Box, ...]
    grounds: tuple[Box, ...]
    pictures: int

    def darkens(self, x: float, y: float) -> bool:
        """Whether something other than white lies under a place."""
        return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in self.grounds)


def drawing_of(page: pdfium.PdfPage, view: View) -> Drawing:
    """What is drawn on a page; of a page with very much drawing only its beginning."""
    lines: list[Box] = []
    dots: list[Box] = []
    grounds: list[Box] = []
    pictures = 0
    wanted = (c.FPDF_PAGEOBJ_PATH, c.FPDF_PAGEOBJ_IMAGE, c.FPDF_PAGEOBJ_SHADING)
    for number, item in enumerate(page.get_objects(filter=wanted, max_depth=3)):
        if number >= MOST_OBJECTS:
            break
        if item.type != c.FPDF_PAGEOBJ_PATH:
            pictures += item.type == c.FPDF_PAGEOBJ_IMAGE
            grounds.append(view.box(*item.get_bounds()))
        elif item.level == 0:  # places inside a form are the form's own
            _look_at_path(item, view, lines, dots, grounds)
        else:
            grounds.append((0, 0, view.width, view.height))  # somewhere, so white text is believed
    return Drawing(_rules(lines), tuple(dots), tuple(grounds), pictures)


def _look_at_path(item: pdfium.PdfObject, view: View, lines: list[Box], dots: list[Box], grounds: list[Box]) -> None:
    mode, stroked = ctypes.c_int(), ctypes.c_int()
    c.FPDFPath_GetDrawMode(item.raw, mode, stroked)
    dark = bool(mode.value) and not _is_white(item)
    for points in _subpaths(item, view):
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        top, bottom = min(y for _, y in points), max(y for _, y in points)
        sides = right - left, bottom - top
        if _DOT[0] <= min(sides) and max(sides) <= _DOT[1] and max(sides) < 1.3 * min(sides):
            if dark or stroked.value:
                dots.append((left, top, right, bottom))
            continue
        if right - left < _THIN or bottom - top < _THIN:
            if stroked.value or dark:
                lines.append((left, top, right, bottom))
            continue
        if dark:
            grounds.append((left, top, right, bottom))
        if stroked.value:
            lines += [_around(one, other) for one, other in pairwise(points)]


def _is_white(item: pdfium.PdfObject) -> bool:
    colour = [ctypes.c_uint() for _ in range(4)]
    known = c.FPDFPageObj_GetFillColor(item.raw, *colour)
    return bool(known) and (colour[3].value == 0 or all(part.value >= _WHITE for part in colour[:3]))


def _subpaths(item: pdfium.PdfObject, view: View) -> Iterator[list[Point]]:
    matrix = item.get_matrix()
    points: list[Point] = []
    for number in range(min(c.FPDFPath_CountSegments(item.raw), MOST_POINTS)):
        segment = c.FPDFPath_GetPathSegment(item.raw, number)
        x, y = ctypes.c_float(), ctypes.c_float()
        if not c.FPDFPathSegment_GetPoint(segment, x, y):
            continue
        if c.FPDFPathSegment_GetType(segment) == c.FPDF_SEGMENT_MOVETO and points:
            yield points
            points = []
        points.append(view.point(*matrix.on_point(x.value, y.value)))
        if c.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if points:
        yield points


def _rules(boxes: list[Box]) -> Rules:
    """Straight pieces as rules, pieces of one line put together."""
    upright = [((x0 + x1) / 2, y0, y1) for x0, y0, x1, y1 in boxes if x1 - x0 < _THIN and y1 - y0 >= _THIN]
    level = [((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in boxes if y1 - y0 < _THIN and x1 - x0 >= _THIN]
    if len(upright) + len(level) > MOST_PIECES:
        return Rules()
    rules = Rules(tuple(_united(upright)), tuple(_united(level)))
    return rules if len(rules.upright) + len(rules.level) <= MOST_RULES else Rules()


def _united(pieces: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Pieces (place, from, to) on one line that touch, as one."""
    united: list[tuple[float, float, float]] = []
    for place, first, last in sorted((round(place), first, last) for place, first, last in pieces):
        near = next((n for n in range(len(united) - 1, -1, -1) if _touches(united[n], place, first)), None)
        if near is None:
            united.append((place, first, last))
        else:
            united[near] = (united[near][0], united[near][1], max(last, united[near][2]))
    return united


def _touches(before: tuple[float, float, float], place: float, first: float) -> bool:
    return abs(before[0] - place) <= 2 and before[1] - _THIN <= first <= before[2] + _THIN
