"""Tables of a page: by the rules drawn around their cells, else by columns that many lines keep to.

A table is taken for one only where it is clearly a grid; what is not stays running text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from kaijuan.readers.grid import Cell
from kaijuan.readers.pdf_join import joined
from kaijuan.readers.pdf_lines import Stretch, rows_of
from kaijuan.readers.pdf_rules import Rules

#: Lines that must keep to the same columns before they count as a table without rules.
FEWEST_ROWS = 3
#: Share of its cells that a table without rules has filled.
_FILLED = 0.6
#: Widest first column, in sizes of the text, of a table of two columns without rules.
_WIDEST_TERM = 12.0
_NEAR = 3.0
#: Parts of one line differ in size by less than this.
_ONE_SIZE = 1.25

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Table:
    """One table with its box; `columns` are the x at which they begin, `pages` (from 0) where each row stands."""

    rows: tuple[tuple[Cell, ...], ...]
    columns: tuple[float, ...]
    pages: tuple[int, ...]
    x0: float
    x1: float
    top: float
    bottom: float


def ruled_tables(parts: Sequence[Stretch], rules: Rules, page: int) -> tuple[list[Table], list[Stretch]]:
    """Tables inside drawn grids, and what stands outside them."""
    tables: list[Table] = []
    rest = list(parts)
    for upright, level in _grids(rules):
        xs, ys = _places([x for x, _, _ in upright]), _places([y for y, _, _ in level])
        if len(xs) < 3 or len(ys) < 3:
            continue
        inside = [part for part in rest if _within(part, xs, ys)]
        table = _ruled(inside, upright, level, xs, ys, page)
        if table is not None:
            tables.append(table)
            rest = [part for part in rest if part not in inside]
    return tables, rest


def _grids(rules: Rules) -> list[tuple[list[tuple[float, float, float]], list[tuple[float, float, float]]]]:
    """Rules that touch each other, group by group."""
    groups: list[tuple[set[int], set[int]]] = []
    for number, (x, top, bottom) in enumerate(rules.upright):
        crossing = {
            n
            for n, (y, left, right) in enumerate(rules.level)
            if left - _NEAR <= x <= right + _NEAR and top - _NEAR <= y <= bottom + _NEAR
        }
        touching = [group for group in groups if group[1] & crossing]
        groups = [group for group in groups if not group[1] & crossing]
        groups.append(({number}.union(*(g[0] for g in touching)), crossing.union(*(g[1] for g in touching))))
    return [([rules.upright[n] for n in sorted(u)], [rules.level[n] for n in sorted(v)]) for u, v in groups if v]


def _places(values: Sequence[float]) -> list[float]:
    """Distinct places, those nearer than a few points as one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return places


def _within(part: Stretch, xs: Sequence[float], ys: Sequence[float]) -> bool:
    return xs[0] <= (part.x0 + part.x1) / 2 <= xs[-1] and ys[0] <= (part.top + part.bottom) / 2 <= ys[-1]


def _ruled(
    parts: Sequence[Stretch],
    upright: Sequence[tuple[float, float, float]],
    level: Sequence[tuple[float, float, float]],
    xs: Sequence[float],
    ys: Sequence[float],
    page: int,
) -> Table | None:
    height, width = len(ys) - 1, len(xs) - 1
    homes = {(r, k): (r, k) for r in range(height) for k in range(width)}
    for r in range(height):
        for k in range(width):
            middle_x, middle_y = (xs[k] + xs[k + 1]) / 2, (ys[r] + ys[r + 1]) / 2
            if k and not _stands(upright, xs[k], middle_y):
                homes[r, k] = homes[r, k - 1]
            elif r and not _stands(level, ys[r], middle_x):
                homes[r, k] = homes[r - 1, k]
    texts: dict[tuple[int, int], list[Stretch]] = {}
    for part in parts:
        r = _slot(ys, (part.top + part.bottom) / 2)
        texts.setdefault(homes[r, _slot(xs, (part.x0 + part.x1) / 2)], []).append(part)
    if 2 * len(texts) < len(set(homes.values())) or len({home[1] for home in texts}) < 2:
        return None
    written = {home: _cell_text(found) for home, found in texts.items()}
    rows = tuple(
        tuple(
            Cell(written.get(homes[r, k], ""), homes[r, k], _is_number(written.get(homes[r, k], "")))
            for k in range(width)
        )
        for r in range(height)
    )
    return Table(rows, tuple(xs[:-1]), (page,) * height, xs[0], xs[-1], ys[0], ys[-1])


def _stands(rules: Sequence[tuple[float, float, float]], place: float, at: float) -> bool:
    return any(abs(p - place) <= _NEAR and first <= at <= last for p, first, last in rules)


def _slot(places: Sequence[float], at: float) -> int:
    return max(0, min(sum(place <= at for place in places) - 1, len(places) - 2))


def _cell_text(parts: Sequence[Stretch]) -> str:
    text = ""
    for row in rows_of(parts):
        for part in row:
            text = joined(text, part.text)
    return text


def _is_number(text: str) -> bool:
    return any(char.isdigit() for char in text) and not any(char.isalpha() for char in text)


def aligned_tables(parts: Sequence[Stretch], page: int) -> tuple[list[Table], list[Stretch]]:
    """Tables without rules among the stretches of one column, and what stands outside them."""
    tables: list[Table] = []
    rest: list[Stretch] = []
    run: list[list[Stretch]] = []
    for row in [*rows_of(parts), []]:
        if row and (len(row) > 1 or (run and _goes_on(run, row))):
            run.append(row)
            continue
        tail: list[list[Stretch]] = []
        while run and len(run[-1]) == 1:
            tail.insert(0, run.pop())
        table = _aligned(run, page)
        if table is None:
            rest += [part for line in run for part in _on_one_line(line)]
        else:
            tables.append(table)
        rest += [part for line in tail for part in line]
        rest += row  # at most one
        run = []
    return tables, rest


def _on_one_line(row: Sequence[Stretch]) -> list[Stretch]:
    """What stands beside each other outside a table as one line; apart where the sizes are those of different texts."""
    parts: list[Stretch] = []
    for part in row:
        before = parts[-1] if parts else None
        if before is None or max(before.size, part.size) > _ONE_SIZE * min(before.size, part.size):
            parts.append(part)
            continue
        longer, words = max(before, part, key=lambda one: len(one.text)), f"{before.text} {part.text}"
        edges = min(before.top, part.top), max(before.bottom, part.bottom)
        parts[-1] = replace(
            longer, text=words, x0=before.x0, x1=part.x1, top=edges[0], bottom=edges[1], lead=before.lead
        )
    return parts


def _goes_on(run: Sequence[Sequence[Stretch]], row: Sequence[Stretch]) -> bool:
    """Whether a lone stretch is the second line of a cell: close below, beginning where a later cell began."""
    part, above = row[0], run[-1]
    starts = [cell.x0 for line in run for cell in line[1:]]
    close = part.base - above[0].base <= 1.9 * part.size
    return close and any(abs(part.x0 - x) <= 0.5 * part.size for x in starts)


def _aligned(run: Sequence[Sequence[Stretch]], page: int) -> Table | None:
    if len(run) < FEWEST_ROWS:
        return None
    counts = [len(row) for row in run]
    usual = max(set(counts), key=lambda count: (counts.count(count), count))
    columns = _columns([part for row in run if len(row) >= usual for part in row])
    if usual < 2 or len(columns) != usual or counts.count(usual) < FEWEST_ROWS - 1:
        return None
    size = median(part.size for row in run for part in row)
    if len(columns) == 2 and median(row[0].x1 - row[0].x0 for row in run if len(row) > 1) > _WIDEST_TERM * size:
        return None
    rows: list[list[Cell]] = []
    pitch = min(b[0].base - a[0].base for a, b in pairwise(run))
    before: Sequence[Stretch] | None = None
    for row in run:
        cells = _cells(row, columns, len(rows))
        continues = before is not None and not cells[0].text and row[0].base - before[0].base <= 1.25 * pitch
        if continues and rows:
            rows[-1] = [replace(o, text=joined(o.text, n.text)) for o, n in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        before = row
    filled = sum(bool(cell.text) for row in rows for cell in row)
    if len(rows) < FEWEST_ROWS or filled < _FILLED * len(rows) * len(columns):
        return None
    everything = [part for row in run for part in row]
    return Table(
        tuple(map(tuple, rows)),
        tuple(left for left, _ in columns),
        (page,) * len(rows),
        min(part.x0 for part in everything),
        max(part.x1 for part in everything),
        min(part.top for part in everything),
        max(part.bottom for part in everything),
    )


def _columns(parts: Sequence[Stretch]) -> list[Span]:
    """Places from left to right that the parts cover, none touching the next."""
    columns: list[Span] = []
    for part in sorted(parts, key=lambda part: part.x0):
        if columns and part.x0 < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], part.x1))
        else:
            columns.append((part.x0, part.x1))
    return columns


def _cells(row: Sequence[Stretch], columns: Sequence[Span], number: int) -> list[Cell]:
    """The cells of a line; a stretch over several columns is one cell that covers them."""
    cells = [Cell("", (number, k)) for k in range(len(columns))]
    for part in row:
        touched = [k for k, (left, right) in enumerate(columns) if part.x0 < right and part.x1 > left]
        touched = touched or [min(range(len(columns)), key=lambda k: abs(columns[k][0] - part.x0))]
        home = (number, touched[0])
        text = joined(cells[touched[0]].text, part.text)
        for k in touched:
            cells[k] = Cell(text, home, _is_number(text))
    return cells


def continued(one: Table, other: Table) -> Table | None:
    """Both as one table where the second, at the head of the next page, keeps to the columns; its header then goes."""
    if len(one.columns) != len(other.columns) or any(
        abs(a - b) > 2 * _NEAR for a, b in zip(one.columns, other.columns, strict=True)
    ):
        return None
    repeated = 0
    while repeated < min(len(one.rows), len(other.rows) - 1) and _same(one.rows[repeated], other.rows[repeated]):
        repeated += 1
    shift = len(one.rows) - repeated
    later = tuple(
        tuple(replace(cell, home=(cell.home[0] + shift, cell.home[1])) for cell in row) for row in other.rows[repeated:]
    )
    return replace(one, rows=one.rows + later, pages=one.pages + other.pages[repeated:])


def _same(row: Sequence[Cell], other: Sequence[Cell]) -> bool:
    return [cell.text for cell in row] == [cell.text for cell in other]
