"""Dates and times as a worksheet shows them in Chinese surroundings, by the format code of their cell.

>>> from datetime import datetime
>>> [date_text(datetime(2026, 3, 5, 9, 7), code) for code in ("yyyy-mm-dd", 'yyyy"年"m"月"d"日"', "h:mm AM/PM", "mm-dd-yy")]
['2026-03-05', '2026年3月5日', '9:07 AM', '2026/3/5']
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

Moment = date | datetime | time | timedelta

#: Formats that have no code of their own in a file, by their number: what they show under Chinese settings.
LOCAL_FORMATS = {
    14: "yyyy/m/d", 22: "yyyy/m/d h:mm",
    27: 'yyyy"年"m"月"', 28: 'm"月"d"日"', 29: 'm"月"d"日"', 30: "m/d/yy", 31: 'yyyy"年"m"月"d"日"', 32: 'h"时"mm"分"',
    33: 'h"时"mm"分"ss"秒"', 34: '上午/下午h"时"mm"分"', 35: '上午/下午h"时"mm"分"ss"秒"', 36: 'yyyy"年"m"月"',
    50: 'yyyy"年"m"月"', 51: 'm"月"d"日"', 52: 'yyyy"年"m"月"', 53: 'm"月"d"日"', 54: 'm"月"d"日"',
    55: '上午/下午h"时"mm"分"', 56: '上午/下午h"时"mm"分"ss"秒"', 57: 'yyyy"年"m"月"', 58: 'm"月"d"日"',
}  # fmt: skip
_LOCAL_CODES = {"mm-dd-yy": LOCAL_FORMATS[14], "m/d/yy h:mm": LOCAL_FORMATS[22]}
_LONG_DATE, _LONG_TIME = "[$-F800]", "[$-F400]"
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|[\\!](?P<escaped>.)|[_*].|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<half>AM/PM|A/P|上午/下午)|(?P<unit>y+|m+|d+|h+|s+|a{3,4}|e+)|(?P<part>\.0+)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS = ("January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CHINESE_DAYS = "一二三四五六日"


def date_text(moment: Moment, code: str) -> str:
    """A date, time or span of time under a format code."""
    if isinstance(moment, timedelta):
        return _elapsed(moment, code)
    if _LONG_DATE in code.upper():
        code = LOCAL_FORMATS[31]
    elif _LONG_TIME in code.upper():
        code = "h:mm:ss"
    tokens = list(_TOKEN.finditer(_LOCAL_CODES.get(code, code).split(";")[0].replace("@", "")))
    half_days = any(token["half"] for token in tokens)
    said: list[str] = []
    for at, token in enumerate(tokens):
        if token["unit"]:
            said.append(_unit(moment, token["unit"].lower(), _is_minute(tokens, at), half_days))
        elif token["half"]:
            morning, _, evening = token["half"].partition("/")
            said.append(evening if getattr(moment, "hour", 0) >= 12 else morning)
        elif token["part"]:
            said.append(token["part"][0] + f"{getattr(moment, 'microsecond', 0):06}"[: len(token["part"]) - 1])
        else:
            said.append(token["quoted"] or token["escaped"] or token["plain"] or "")
    return "".join(said).strip() or str(moment)


def _is_minute(tokens: list[re.Match[str]], at: int) -> bool:
    """Whether an "m" is a minute: it is behind hours and before seconds."""
    units = [((token["unit"] or token["elapsed"] or "").lower()[:1], place) for place, token in enumerate(tokens)]
    before = [unit for unit, place in units if unit and place < at]
    behind = [unit for unit, place in units if unit and place > at]
    return before[-1:] == ["h"] or behind[:1] == ["s"]


def _unit(moment: date | datetime | time, unit: str, minute: bool, half_days: bool) -> str:
    letter, length = unit[0], len(unit)
    if letter in "hs" or (letter == "m" and minute):
        hour = getattr(moment, "hour", 0)
        number = {"h": (hour - 1) % 12 + 1 if half_days else hour, "m": getattr(moment, "minute", 0)}.get(
            letter, getattr(moment, "second", 0)
        )
        return f"{number:0{min(length, 2)}}"
    if isinstance(moment, time):
        return ""
    if letter in "ye":
        return str(moment.year) if length > 2 or letter == "e" else f"{moment.year % 100:02}"
    if letter == "a":
        return ("星期" if length == 4 else "周") + _CHINESE_DAYS[moment.weekday()]
    names, at = (_MONTHS, moment.month - 1) if letter == "m" else (_DAYS, moment.weekday())
    if length > 2:
        return names[at][:3] if length == 3 else names[at]
    return f"{moment.month if letter == 'm' else moment.day:0{length}}"


def _elapsed(span: timedelta, code: str) -> str:
    seconds = round(abs(span.total_seconds()))
    sign = "-" if span < timedelta(0) else ""
    if re.search(r"\[h", code, re.IGNORECASE):
        shown = f"{seconds // 3600}:{seconds // 60 % 60:02}"
        return sign + shown + (f":{seconds % 60:02}" if "s" in code.lower() else "")
    if re.search(r"\[m", code, re.IGNORECASE):
        return sign + f"{seconds // 60}" + (f":{seconds % 60:02}" if "s" in code.lower() else "")
    return sign + str(seconds)
