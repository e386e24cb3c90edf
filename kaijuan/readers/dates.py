"""Dates as Chinese documents write them, as ISO days or months.

>>> [parse_date(t) for t in ("2026年3月5日", "2026-03-05", "2026/3/5", "2026.3.5", "2026年3月", "长期有效")]
['2026-03-05', '2026-03-05', '2026-03-05', '2026-03-05', '2026-03', None]
"""

from __future__ import annotations

import re
from datetime import date

from kaijuan.text import fold

_MONTH = re.compile(r"(\d{4})\s*(?:年\s*(\d{1,2})\s*月(?:份)?|[-/](\d{1,2}))")
_CHINESE_DAY = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?")
# A time of day may follow, as programs write it ("2026-03-05T10:00:00+08:00"); the day stands as written.
_DAY = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[t ]\s*\d{1,2}:\d{2}.*)?")


def parse_date(text: str) -> str | None:
    """ISO day or ISO month of a date; None for anything else, impossible days included. Never today's date."""
    folded = fold(text).strip()
    if match := _CHINESE_DAY.fullmatch(folded):
        return _iso(match[1], match[2], match[3])
    if match := _DAY.fullmatch(folded):
        return _iso(match[1], match[3], match[4])
    if match := _MONTH.fullmatch(folded):
        first = _iso(match[1], match[2] or match[3], "1")
        return first[:7] if first else None
    return None


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
