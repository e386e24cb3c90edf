"""Numbers as a worksheet shows them, by the format code of their cell.

>>> [number_text(*case) for case in ((0.05, "0%"), (1234.5, "#,##0.00"), (-3, '"¥"0.0;[Red]"¥"0.0'), (0.1 + 0.2, "General"))]
['5%', '1,234.50', '-¥3.0', '0.3']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import pairwise

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|[\\!](?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    r"|\[(?P<condition>[<>=]+)(?P<bound>-?\d+(?:\.\d+)?)\]|\[[^\]]*\]"
    r"|(?P<general>General|G/通用格式|@)|(?P<exponent>E[+-]0+)|(?P<place>[0#?])|(?P<mark>[.,%])|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_SECTIONS = re.compile(r'((?:"[^"]*"|\\.|\[[^\]]*\]|[^;])*)(?:;|\Z)', re.DOTALL)
_FRACTION = re.compile(r"[?#0]\s*/\s*[?#0\d]")
_SIGNS = ("-", "−", "(", "（", "负", "△", "▲", "▼")
#: Significant digits that are real in a number of a worksheet, and how many a cell shows where it has no format.
_REAL_DIGITS, _SHOWN_DIGITS = 15, 10
#: Integers are written out up to here, larger and smaller numbers with an exponent as the cell does.
_LONGEST = 20


@dataclass(frozen=True, slots=True)
class _Section:
    """One part of a format code: its tokens as (kind, text) and, where it has one, its condition."""

    tokens: tuple[tuple[str, str], ...]
    condition: tuple[str, Decimal] | None = None
    fraction: bool = False

    def text(self) -> str:
        """The words of the section without its numbers."""
        return "".join(text for kind, text in self.tokens if kind == "literal")

    def has(self, kind: str) -> bool:
        return any(known == kind for known, _ in self.tokens)


def number_text(value: int | float, code: str) -> str:
    """A number under a format code; empty where the format hides it."""
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return str(value)
    section, signed = _section(_sections(code), number)
    said = _formatted(number if signed else abs(number), section)
    return said.strip()


def general_text(number: Decimal) -> str:
    """A number without format: digits that only come from binary fractions are left out.

    >>> [general_text(Decimal(repr(n))) for n in (7.0, 1 / 3, 13800000000.0, 1e-05)]
    ['7', '0.3333333333', '13800000000', '0.00001']
    """
    if number == 0:
        return "0"
    if number == number.to_integral_value() and number.adjusted() < _LONGEST:
        return f"{number:.0f}"
    digits = _rounded(number, _REAL_DIGITS)
    if len(digits.normalize().as_tuple().digits) > _SHOWN_DIGITS and digits != digits.to_integral_value():
        digits = _rounded(number, max(_SHOWN_DIGITS, number.adjusted() + 1))
    return f"{digits.normalize():E}" if abs(number.adjusted()) > _LONGEST else f"{digits.normalize():f}"


def _rounded(number: Decimal, digits: int) -> Decimal:
    return round(number, digits - 1 - number.adjusted())


def _section(sections: tuple[_Section, ...], number: Decimal) -> tuple[_Section, bool]:
    """The section for a number, and whether the sign has to be written before it."""
    if any(section.condition for section in sections):
        fitting = (s for s in sections if s.condition is None or _holds(number, *s.condition))
        return next(fitting, _Section((("general", ""),))), number < 0
    if number < 0 and len(sections) > 1:
        # A negative number that only a colour tells from a positive one gets its sign back.
        own = sections[1].text()
        return sections[1], bool(own or sections[1].has("place")) and not own.strip().startswith(_SIGNS) and not any(
            sign in own for sign in _SIGNS
        ) and sections[1].has("place")
    if number == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], True


def _holds(number: Decimal, relation: str, bound: Decimal) -> bool:
    return {
        "<": number < bound, ">": number > bound, "<=": number <= bound, ">=": number >= bound,
        "=": number == bound, "<>": number != bound,
    }.get(relation, False)  # fmt: skip


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    parts = [match[1] for match in _SECTIONS.finditer(code)]
    if len(parts) > 1 and not code.endswith(";"):
        parts.pop()  # the empty match at the end of the code
    return tuple(_read_section(part) for part in parts[:4]) or (_Section((("general", ""),)),)


def _read_section(part: str) -> _Section:
    tokens: list[tuple[str, str]] = []
    condition: tuple[str, Decimal] | None = None
    for match in _TOKEN.finditer(part):
        kind = match.lastgroup
        if kind == "bound":
            condition = (match["condition"], Decimal(match["bound"]))
        elif kind in ("quoted", "escaped", "currency", "plain"):
            tokens.append(("literal", match[kind]))
        elif kind is not None:
            tokens.append((kind, match[kind]))
    return _Section(tuple(tokens), condition, fraction=_FRACTION.search(part) is not None)


def _formatted(number: Decimal, section: _Section) -> str:
    sign = "-" if number < 0 else ""
    if section.has("general") or section.fraction:
        said = "".join(
            t if kind == "literal" else general_text(abs(number))
            for kind, t in section.tokens
            if kind in ("literal", "general")
        )
        return sign + (general_text(abs(number)) if section.fraction else said)
    if not section.has("place"):
        return section.text()
    layout = _layout(section)
    scaled = abs(number).scaleb(2 * layout.percents - 3 * layout.thousands)
    if section.has("exponent"):
        digits, _, exponent = f"{scaled:.{layout.decimals}E}".partition("E")
        return sign + f"{digits}E{int(exponent):+03}"
    rounded = scaled.quantize(Decimal(1).scaleb(-layout.decimals), rounding=ROUND_HALF_UP)
    whole, _, fraction = f"{rounded:f}".partition(".")
    fraction = fraction.rstrip("0").ljust(layout.fixed_decimals, "0")
    return (sign if rounded else "") + _filled(section, layout, whole.lstrip("0"), fraction)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a section lays out digits: places before and behind the point, factors, and whether thousands are parted."""

    places: int
    fixed_places: int
    decimals: int
    fixed_decimals: int
    percents: int
    thousands: int
    grouped: bool


@lru_cache(maxsize=512)
def _layout(section: _Section) -> _Layout:
    marks = [(kind, text) for kind, text in section.tokens if kind in ("place", "mark")]
    point = next((at for at, token in enumerate(marks) if token == ("mark", ".")), len(marks))
    before = [text for kind, text in marks[:point] if kind == "place"]
    behind = [text for kind, text in marks[point:] if kind == "place"]
    last = max(at for at, (kind, _) in enumerate(marks) if kind == "place")
    trailing = sum(text == "," for _, text in marks[last + 1 :]) + sum(
        one == ("mark", ",") and two == ("mark", ".") for one, two in pairwise(marks)
    )
    commas = sum(text == "," for _, text in marks)
    return _Layout(
        len(before), before.count("0"), len(behind), behind.count("0"),
        sum(text == "%" for _, text in marks), trailing, commas > trailing,
    )  # fmt: skip


def _filled(section: _Section, layout: _Layout, whole: str, fraction: str) -> str:
    """The section with its digits: the first place takes all digits that the others leave."""
    whole = whole.rjust(layout.fixed_places, "0")
    spare = max(0, len(whole) - layout.places)
    if layout.grouped:
        whole = f"{int(whole or 0):,}" if whole and not whole.startswith("0") else whole
        digits = [whole] + [""] * (layout.places - 1)
    else:
        padded = [""] * (layout.places - len(whole)) + list(whole[spare:])
        digits = [whole[:spare] + padded[0], *padded[1:]] if padded else []
    decimals = iter(fraction)
    at, behind = 0, False
    said: list[str] = []
    for kind, text in section.tokens:
        if kind == "literal":
            said.append(text)
        elif kind == "place" and behind:
            said.append(next(decimals, ""))
        elif kind == "place":
            said.append(digits[at])
            at += 1
        elif text == ".":
            behind = True
            said.append(("" if layout.places else whole) + ("." if fraction else ""))
        elif text == "%":
            said.append("%")
    return "".join(said)
