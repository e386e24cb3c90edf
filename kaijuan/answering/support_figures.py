"""Figures as a statement and its source may each write them, and when one says what the other says.

>>> [f.written for f in read_figures("第 8 天起，2 小时 41 分内，25:00 前")]
['第 8', '2 小时 41 分', '25:00']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kaijuan.answering.figures import Figure, figures, same_amount
from kaijuan.answering.numerals import number

# 第三方 and 第二天 are words; 第一步 and 第一， count what is told.
_ORDINAL = re.compile(
    r"第[ ]?(?![二2][ ]?天)(?P<n>\d{1,6}|[一二两三四五六七八九十百]{1,4})(?P<day>(?=[ ]?天))?(?![ ]?[步点项方者、，,：:]|时间)"
)
_IMPOSSIBLE = re.compile(r"(?<![\d.:])(?P<n>\d{1,4}:\d\d|\d{1,4}(?=[ ]?[月日号点时]))(?![:\d])(?:[ ]?[月日号点时])?")
_PART = re.compile(
    r"(?P<of>[二三四五六七八九十]|\d{1,2})分之(?P<part>[一二两三四五六七八九]|\d{1,2})|一半|减半|对半|(?<!\d)半价|[双翻加]倍"
)
_ANY = re.compile(r"[\d零〇一二两三四五六七八九十百千半双翻加]")
_SMALLER = {"小时": ("分", "分钟"), "分钟": ("秒",), "天": ("小时",)}
_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?|[零〇一二两三四五六七八九十百千万亿]+|半")
#: Bounds that say the opposite of each other; a figure without one fits any.
_CONTRARY = frozenset(
    frozenset(pair) for pair in (("at_least", "at_most"), ("at_least", "under"), ("over", "at_most"), ("over", "under"))
)
#: Bounds that make a figure a condition, and no amount that something comes to.
_CONDITIONS = frozenset(("at_least", "over", "under"))


def read_figures(text: str) -> list[Figure]:
    """Figures of a text in order, and what `figures` leaves out but a statement may get wrong.

    Ordinals (第 8 天), parts and multiples in words (三分之一, 一半, 双倍), compound durations as one (2 小时 41 分), and what is written like a time or date and can be none
    (25:00, 14 月), which then stands in no source either.
    """
    if not _ANY.search(text):
        return []
    parts = [_part(match) for match in _PART.finditer(text)]
    spans = [(part.start, part.end) for part in parts]
    whole = (f for f in figures(text) if not any(start < f.end and f.start < end for start, end in spans))
    found = [*_compound(list(whole), text), *parts]
    for match in _ORDINAL.finditer(text) if "第" in text else ():
        if not _is_read(found, match.start("n")):
            family = "第" if match["day"] is None else "第天"
            found.append(Figure(match.start(), match.end("n"), match.group(), (number(match["n"]),), "第", family))
    for match in _IMPOSSIBLE.finditer(text):
        if not _is_read(found, match.start("n")):
            found.append(Figure(match.start(), match.end(), match.group(), (-1.0,), "?", f"?{match['n']}"))
    return sorted(found, key=lambda figure: figure.start)


def _is_read(found: Sequence[Figure], at: int) -> bool:
    return any(figure.start <= at < figure.end for figure in found)


def _part(match: re.Match[str]) -> Figure:
    """三分之一, 一半 and 双倍 as the share or the multiple that they are."""
    if match["of"]:
        share, unit = 100 * number(match["part"]) / number(match["of"]), "percent"
    else:
        share, unit = (50.0, "percent") if "半" in match.group() else (2.0, "倍")
    return Figure(match.start(), match.end(), match.group(), (round(share, 1),), unit, unit)


def _compound(found: Sequence[Figure], text: str) -> Iterator[Figure]:
    waiting: Figure | None = None
    for figure in found:
        if waiting and figure.unit in _SMALLER.get(waiting.unit, ()) and not text[waiting.end : figure.start].strip():
            more = figure.values[-1] / 60 if figure.unit == "分" else figure.values[-1]
            written = text[waiting.start : figure.end]
            waiting = replace(waiting, end=figure.end, written=written, values=(waiting.values[-1] + more,))
            continue
        if waiting:
            yield waiting
        waiting = figure
    if waiting:
        yield waiting


def amounts(figure: Figure) -> Iterator[str]:
    """The figure as words: its value, and with a bound once more with the bound."""
    unit = figure.unit if figure.unit == "工作日" else figure.family
    value = "-".join(f"{value:g}" for value in figure.values)
    yield f"#{unit}{value}"
    if figure.role:
        yield f"#{unit}{value}{'>' if figure.role in ('at_least', 'over') else '<'}"


def same_figure(figure: Figure, other: Figure) -> bool:
    """Whether a source's figure gives the statement's amount; one end of a range is enough.

    A figure without a unit is compared by its number: a table names the unit in its header, or nowhere.
    """
    if figure.unit == other.unit and len(figure.values) == len(other.values) and figure.family != "date":
        return all(abs(a - b) <= 1e-9 * max(abs(a), abs(b)) for a, b in zip(figure.values, other.values, strict=True))
    if same_amount(figure, other):
        return True
    if figure.family == other.family != "date" and len(figure.values) == 1 and len(other.values) == 2:
        working = [f.unit == "工作日" for f in (figure, other)]
        return working[0] == working[1] and any(abs(figure.values[0] - end) < 1e-6 for end in other.values)
    if not figure.family or not other.family or {figure.family, other.family} == {"time", "第天"}:
        return _numbers(figure) == _numbers(other)
    return False


def bounds_differ(figure: Figure, other: Figure) -> bool:
    """Whether one is a lower and the other an upper bound."""
    return frozenset((figure.role, other.role)) in _CONTRARY


def rivals(figure: Figure, other: Figure, stated: Sequence[Figure]) -> bool:
    """Whether a source's other figure could be meant where one stands: of one kind, and not `stated` beside it."""
    alike = (figure.role in _CONDITIONS) == (other.role in _CONDITIONS)
    return figure.family == other.family and alike and not any(same_figure(f, other) for f in stated)


def _numbers(figure: Figure) -> tuple[float, ...]:
    return tuple(number(part) for part in _NUMERAL.findall(figure.written)) if figure.family else figure.values
