"""Numerals: the value of a number written in digits or in Chinese numerals.

>>> number("二百九十九"), number("3.5 万"), number("一亿两千万")
(299.0, 35000.0, 120000000.0)
"""

from __future__ import annotations

import re

DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}


def number(written: str) -> float:
    """The value of a number in digits or Chinese numerals, 0 for an empty text.

    >>> number("二百九十九"), number("3.5 万"), number("1,000"), number("两千五")
    (299.0, 35000.0, 1000.0, 2500.0)
    """
    if written == "半":
        return 0.5
    digits = re.match(r"[\d,.]+", written)
    if digits:
        value = float(digits.group().replace(",", ""))
        for scale in written[digits.end() :].strip():
            value *= SCALES[scale]
        return value
    total, section, digit, last = 0.0, 0.0, 0, 1
    if written and not set(written) & set(SCALES):
        return digits_of(written)
    for at, c in enumerate(written):
        if c in DIGITS:
            # A last digit right behind a scale is short for the next one down: 两千五 is 2500.
            short = at + 1 == len(written) and at > 0 and last >= 100 and written[at - 1] in SCALES
            digit = DIGITS[c] * (last // 10 if short else 1)
        elif c == "亿":
            total, section, digit, last = (total + section + digit) * 10**8, 0.0, 0, 10**8
        elif c == "万":
            total, section, digit, last = total + (section + digit) * 10**4, 0.0, 0, 10**4
        else:
            section, digit, last = section + (digit or 1) * SCALES[c], 0, SCALES[c]
    return total + section + digit


def digits_of(written: str) -> float:
    """Digits read one by one: 二〇二六, 2026."""
    return float("".join(c if c.isdigit() and c.isascii() else str(DIGITS[c]) for c in written) or 0)
