"""Figures of a text: numbers with their unit, dates, times of day, in ASCII, full width and Chinese numerals.

Not figures: codes and model numbers (E4032, SF-3000, v2.3.1), list numbers, ordinals (第3条), citations ([1]).

>>> [(f.written, f.unit, f.values) for f in figures("运费满二百九十九元免，3~5 个工作日送达，E4032 除外。")]
[('二百九十九元', '元', (299.0,)), ('3~5 个工作日', '工作日', (72.0, 120.0))]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kaijuan.answering.numerals import DIGITS, digits_of, number

Role = Literal["", "at_least", "at_most", "over", "under"]

# Canonical unit, family, size in the family's base unit, spellings. Bases: hours, yuan, bytes, metres, grams, millilitres,
# per cent; a unit that cannot be converted (foreign money, pieces) is a family of its own.
_TABLE = (
    "秒 time 1/3600 秒钟 秒 s sec|分钟 time 1/60 分钟 min|小时 time 1 个小时 小时 个钟头 钟头 h hr|工时 工时 1 个工时 工时|"
    "工作日 time 24 个工作日 工作日|天 time 24 个自然日 自然日 天|周 time 168 个星期 星期 个礼拜 礼拜 周|"
    "月 time 720 个月|季度 time 2160 个季度 季度|年 time 8640 周年 年|"
    "元 money 1 块钱 元 块 圆 人民币 rmb cny|角 money 1/10 角钱 毛钱|美元 美元 1 美元 usd 美金|港元 港元 1 港元 港币 hkd|"
    "欧元 欧元 1 欧元 eur|日元 日元 1 日元|英镑 英镑 1 英镑|"
    "B size 1 字节|KB size 1024 kb|MB size 1048576 mb 兆 M|GB size 1073741824 gb G|TB size 1099511627776 tb T|"
    "PB size 1125899906842624 pb|Mbps rate 1 mbps Mb/s|Gbps rate 1000 gbps|"
    "毫米 length 1/1000 毫米 mm|厘米 length 1/100 厘米 公分 cm|米 length 1 米 m|公里 length 1000 公里 千米 km|"
    "英寸 length 0.0254 英寸 寸|尺 length 1/3 尺|英里 length 1609.344 英里|海里 length 1852 海里|"
    "平方米 area 1 平方米 平米 ㎡|公顷 area 10000 公顷|亩 area 2000/3 亩|平方公里 area 1000000 平方公里 平方千米|"
    "毫克 weight 1/1000 毫克 mg|克 weight 1 克 g|斤 weight 500 斤|公斤 weight 1000 公斤 千克 kg|吨 weight 1000000 吨|"
    "毫升 volume 1 毫升 ml|升 volume 1000 升 L|% percent 1 %|‰ percent 1/10 ‰|成 percent 10 成|百分点 百分点 1 个百分点 个点|"
    "折 折 1 折|倍 倍 1 倍|℃ ℃ 1 ℃ °c 摄氏度 度|dpi dpi 1 dpi|Wh energy 1 wh 瓦时|kWh energy 1000 kwh 千瓦时|"
    "W power 1 W 瓦|kW power 1000 kw 千瓦|mAh mAh 1 mah 毫安时|V V 1 V 伏|Hz freq 1 hz|MHz freq 1000000 mhz|GHz freq 1000000000 ghz|"
    "人 person 1 个人 人|岁 岁 1 周岁 岁|位 位 1 位|名 person 1 名|分 分 1 分|积分 分 1 个积分 积分|个 piece 1 个|件 piece 1 件|"
    + "|".join(f"{u} {u} 1 {u}" for u in "次张条台部份笔层页字组家项种款支只辆本篇席场封套户座票处级")
)  # fmt: skip
_UNITS: dict[str, tuple[str, str, float]] = {}
for _row in _TABLE.split("|"):
    _name, _family, _size, *_spellings = _row.split()
    _over, _, _under = _size.partition("/")
    _UNITS.update({s: (_name, _family, float(_over) / float(_under or 1)) for s in _spellings})
#: Families in which a Chinese 一 is mostly an article or part of a word (一个, 一种, 一层意思), not a count.
_ARTICLES = frozenset("个种项条份款家位名层级处组部本篇只支场封字页人座户分成角")
_PLAIN = dict.fromkeys("‐‑‒–—−﹣－", "-") | dict.fromkeys("～〜", "~") | {c: c for c in "，；（）？！"}
_ABOUT = re.compile("[一二两三四五六七八九]{2}")

# Lengths are bounded so that a long run of digits costs linear time.
_ASCII = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,20})(?:\.\d{1,20})?(?:[ ]?(?:[百千]?万亿?|亿|千(?![米克瓦卡])|百(?!分)))?"
_HAN = r"(?:[零〇一二两三四五六七八九十百千万亿]{1,20})"
_NUMBER = rf"(?:{_ASCII}|{_HAN}|半)"
_SEP = r"[ ]?(?:-{1,2}|~|至|到)[ ]?"
_BY_LENGTH = sorted(_UNITS, key=lambda s: (-len(s), s))
_UNIT = "(?:" + "|".join(
    # Letters of a spelling longer than one count in either case; one letter alone (M, m) does not.
    (f"(?i:{re.escape(s)})" if s.isascii() and len(s) > 1 else re.escape(s)) + ("(?![A-Za-z])" if s[-1].isascii() and s != "%" else "")
    for s in _BY_LENGTH
) + ")"  # fmt: skip
_DAY = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_YEAR = r"(?:(?:1[5-9]|20|21)\d\d|[一二][零〇一二三四五六七八九]{3})"
_FIGURE = re.compile(
    rf"""
    # Only where one can begin is anything tried: most characters of a text begin none.
    (?=[\d零〇一二两三四五六七八九十百千半第A-Za-z¥￥$\[【(（]|(?m:^)[ \t>]|[上下中]午|[早晚]上|凌晨|夜里)(?:
    (?P<skip>\[[\d,\s\-\^]+\]|【\d+】|https?://\S+
      |[(（]\d{{1,2}}[)）]|(?m:^[ \t>]*(?:\d{{1,3}}[.、)）](?!\d)|[一二三四五六七八九十]+、))
      |第[ ]?{_NUMBER}[ ]?(?:个?{_UNIT}|条|章|周|天|步)?)
    |(?P<date>(?P<y1>{_YEAR})[ ]?年[ ]?(?:(?P<m1>{_DAY})[ ]?月(?!内|以)[ ]?(?:(?P<d1>{_DAY})[ ]?[日号])?)?(?![度级代])
      |(?<![\w.-])(?P<y2>{_YEAR})[-/.](?P<m2>\d{{1,2}})(?:[-/.](?P<d2>\d{{1,2}}))?(?![\w-]|[./]\d)
      |(?P<m3>{_DAY})[ ]?月[ ]?(?P<d3>{_DAY})[ ]?[日号]|(?<![\d.,个])(?P<m4>{_DAY})[ ]?月(?:份|底|初)?
      |(?P<d5>{_DAY})[ ]?[日号](?![内期前后常]|以|之|线|楼|机|店|文|志))
    |(?P<clock>(?:(?P<half>上午|下午|凌晨|早上|晚上|中午|夜里)[ ]?)?(?:(?P<h0>\d{{1,2}})(?::(?P<i0>\d\d)|点)?{_SEP})?
      (?:(?<![\d:])(?P<h1>\d{{1,2}}):(?P<i1>\d\d)(?::\d\d)?(?![\d:])
        |(?<![\d.])(?P<h2>\d{{1,2}})[ ]?(?:点(?![\d儿几个数])|时(?![长间段候效限期]))(?:[ ]?(?P<i2>\d{{1,2}})[ ]?分(?:\d{{1,2}}秒)?|钟?(?P<i3>半))?
        |(?P<h3>[零一二两三四五六七八九十]{{1,3}})点(?:(?P<i4>半)|钟|整|(?P<i5>{_HAN})分)))
    |(?P<money>[¥￥$][ ]?(?P<cash>{_ASCII})(?:{_SEP}[¥￥$]?(?P<cash2>{_ASCII}))?)
    |(?P<share>(?P<of>百|千)分之(?P<part>{_HAN}|{_ASCII})(?:{_SEP}(?:百分之)?(?P<part2>{_HAN}|{_ASCII}))?)
    |(?P<code>[A-Za-z][A-Za-z0-9]*(?:[-_./]?[A-Za-z0-9]+)*|\d+(?:\.\d+){{2,}}|\d+(?:-\d+){{2,}}|\d{{9,}})
    |(?P<amount>(?<![零〇一二两三四五六七八九十百千万亿])(?P<n>{_NUMBER})(?:(?:[ ]?(?P<u0>{_UNIT}))?{_SEP}(?P<n2>{_NUMBER}))?
      [ ]?(?P<and>个半(?=月|小时|钟头|星期|工作日))?(?P<u>月(?<=半月)|日(?=[内后前]|[之以][内后前])|{_UNIT})(?P<more>半(?![价年天月数]))?
      (?P<per>(?:[ ]?/[ ]?[^\s\d/,，。;；、|起以]{{1,3}}){{0,2}}))
    |(?P<bare>(?<![A-Za-z\d.]){_ASCII}(?![A-Za-z\d])))
    """,
    re.VERBOSE,
)
_BEFORE: tuple[tuple[Role, re.Pattern[str]], ...] = (
    ("under", re.compile(r"(?:不满|不足|未满|(?<!不)(?<!不[得能可会应])(?:低于|少于|小于)|不到|跌破)[ ]?\Z")),
    ("at_most", re.compile(r"(?:不超过|不多于|不得超过|不能超过|不高于|最多|最大|最长|最高|最晚|至多|上限|封顶|限)(?:为|是|只|能)?[ ]?\Z")),
    ("at_least", re.compile(r"(?:至少|不[得能可会应]?(?:少|低|小)于|最少|最低|最小|最短|满|达到?|起码)(?:为|是)?[ ]?\Z")),
    ("over", re.compile(r"(?:超过|大于|高于|多于|超出|超)[ ]?\Z")),
)  # fmt: skip
_BEHIND: tuple[tuple[Role, re.Pattern[str]], ...] = (
    ("at_most", re.compile(r"[ ]?(?:以内|之内|内|以下|封顶|为限|及以下)")),
    ("at_least", re.compile(r"[ ]?(?:以上|及以上|起(?!算|点|来)|或以上)")),
    ("over", re.compile(r"[ ]?(?:以后|之后|开外)")),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: half-open span, how it is written, its value (two for a range), unit, family and role.

    `values` are in the base of the family: hours (a working day 24, a month 720), yuan, bytes, metres, grams, millilitres,
    per cent; a time of day in hours; a date as year, month, day with 0 for what is not said. `unit` is "date", "clock",
    "" for a bare number, else the canonical unit; `per` is what it is counted by (人/月).

    >>> figures("每人不超过 20GB")[0].role
    'at_most'
    """

    start: int
    end: int
    written: str
    values: tuple[float, ...]
    unit: str
    family: str
    role: Role = ""
    per: str = ""


def figures(text: str) -> tuple[Figure, ...]:
    """All figures of a text in reading order, not overlapping.

    >>> [f.values for f in figures("一个半月、两天半、百分之五、3.5 万元")]
    [(1080.0,), (60.0,), (5.0,), (35000.0,)]
    """
    return tuple(_read(_level(text), text))


def same_amount(first: Figure, second: Figure) -> bool:
    """Whether two figures say the same amount: 72 小时 and 三天, 半年 and 180 天, 5 个工作日 and 7 天.

    >>> same_amount(figures("72 小时")[0], figures("三天")[0])
    True
    """
    if first.family != second.family:
        return False
    if first.family == "date":
        return all(a == b or not a or not b for a, b in zip(first.values, second.values, strict=True))
    spans = len(first.values) == len(second.values)
    return spans and all(_near(first, second, a, b) for a, b in zip(first.values, second.values, strict=True))


def unheld_figures(sentence: str, passage: str) -> tuple[Figure, ...]:
    """Figures of an answer's sentence that the passage it cites does not hold in any spelling.

    >>> [f.written for f in unheld_figures("三天内退，运费 8 元。", "72 小时内可退，运费 10 元。")]
    ['8 元']
    """
    held = figures(passage)
    return tuple(f for f in figures(sentence) if not any(same_amount(f, h) or _end_of(f, h) for h in held))


def _end_of(figure: Figure, held: Figure) -> bool:
    """Whether a single figure is one end of a range that the passage holds."""
    single = figure.family == held.family != "date" and len(figure.values) == 1 and len(held.values) == 2
    return single and figure.unit == held.unit and figure.values[0] in held.values


def _near(first: Figure, second: Figure, a: float, b: float) -> bool:
    if first.family == "time" and (first.unit == "工作日") != (second.unit == "工作日"):
        work, calendar = (a, b) if first.unit == "工作日" else (b, a)
        return abs(work * 7 / 5 - calendar) < 1e-6  # five working days are a week
    mixed = first.family == "time" and ("月" in (first.unit, second.unit) or "年" in (first.unit, second.unit))
    # A month is 30 days here and a year 12 months, so a calendar's half year or year differs by up to 1.4 %.
    return abs(a - b) <= (0.02 if mixed and first.unit != second.unit else 1e-9) * max(abs(a), abs(b))


def _level(text: str) -> str:
    """The text in ASCII digits, letters and marks where one character stands for one, so that places stay."""
    return text if text.isascii() else text.translate(_NARROW)


class _Narrow(dict[int, str]):
    """The ASCII form of a wide letter, digit or mark; circled numbers and full-width stops stay what they are."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        narrow = unicodedata.normalize("NFKC", character)
        single = narrow.isascii() and len(narrow) == 1 and unicodedata.category(character) != "No"
        self[code] = narrow if single else character
        return self[code]


_NARROW = _Narrow({ord(wide): narrow for wide, narrow in _PLAIN.items()})


def _read(text: str, shown: str) -> Iterator[Figure]:
    at = 0
    while match := _FIGURE.search(text, at):
        at = match.end()
        kind = next(k for k in _KINDS if match[k] is not None)
        made = _MAKERS[kind](match) if kind in _MAKERS else None
        if made is not None:
            values, unit, family, per = made
            start, end = match.start(), match.start() + len(match.group().rstrip())
            yield Figure(start, end, shown[start:end], values, unit, family, _role(text, start, end), per)


_KINDS = ("skip", "date", "clock", "money", "share", "code", "amount", "bare")
_Made = tuple[tuple[float, ...], str, str, str]


def _amount(match: re.Match[str]) -> _Made | None:
    written, behind = match["n"], match.string[match.end() : match.end() + 3].lstrip()
    spelling = {"月": "个月", "日": "天"}.get(match["u"], match["u"])
    entry = _UNITS.get(spelling) or _UNITS.get(spelling.lower())
    if entry is None or _is_word(match, entry[0], behind):
        return None
    name, family, size = entry
    last = number(match["n2"] or written) + (0.5 if match["and"] or match["more"] else 0.0)
    low = _UNITS.get(match["u0"] or "") or _UNITS.get((match["u0"] or "").lower()) or entry
    if match["n2"] and low[1] != family:
        return (number(written) * low[2],), low[0], low[1], ""
    scale = re.search("[百千]?万|亿", match["n2"] or "")
    factor = number(f"1{scale.group()}") if scale and not re.search("[万亿]", written) and written.isascii() else 1.0
    values = (number(written) * low[2] * factor, last * size) if match["n2"] else (last * size,)
    if match["n2"] is None and _ABOUT.fullmatch(written):  # 七八天 is a range
        values = (number(written[0]) * size, number(written[1]) * size)
    return values, name, family, re.sub(r"[ /]+", "/", match["per"]).strip("/")


def _is_word(match: re.Match[str], unit: str, behind: str) -> bool:
    """Whether what looks like a figure is a word: 一次性, 十分, 5G 网络, 千万个, 百家."""
    written, before = match["n"], match.string[max(0, match.start() - 1) : match.start()]
    if match["n2"] is None and not written[0].isdigit() and written != "半":
        if written == "零":  # 零件
            return True
        if written == "一":
            return (
                unit in _ARTICLES
                or behind[:1] in tuple("性些样起致般直")
                or before in tuple("统同万专单唯逐这那上下再有")
            )
        if not set(written) & set(DIGITS) and written[0] != "十":
            return True  # 百家, 千万次
        return unit in ("分", "成") and written in ("十", "百") and behind[:1] != "钟"
    if written == "半":
        return unit not in ("年", "天", "月", "小时", "周", "工作日", "斤")
    return match["u"] in ("G", "M", "T", "m", "W", "V", "L", "s", "h", "g") and behind[:1] in tuple(
        "网手信频模接流时码款"
    )


def _date(match: re.Match[str]) -> _Made | None:
    year, month, day = (
        next((g for k in keys if (g := match[k])), "")
        for keys in (("y1", "y2"), ("m1", "m2", "m3", "m4"), ("d1", "d2", "d3", "d5"))
    )
    values = (digits_of(year), number(month), number(day))
    possible = values[1] <= 12 and values[2] <= 31
    return (values, "date", "date", "") if possible else None


def _clock(match: re.Match[str]) -> _Made | None:
    hour = number(match["h1"] or match["h2"] or match["h3"])
    minutes = match["i1"] or match["i2"] or match["i5"]
    part = number(minutes) / 60 if minutes else 0.5 if match["i3"] or match["i4"] else 0.0
    late = 12 if match["half"] in ("下午", "晚上") and hour < 12 else 0
    opens = (number(match["h0"]) + number(match["i0"] or "") / 60 + late,) if match["h0"] else ()
    return ((*opens, hour + part + late), "clock", "clock", "") if hour <= 24 and part < 1 else None


def _money(match: re.Match[str]) -> _Made:
    unit, family = ("美元", "美元") if match.group()[0] == "$" else ("元", "money")
    return tuple(number(v) for v in (match["cash"], match["cash2"]) if v), unit, family, ""


def _share(match: re.Match[str]) -> _Made:
    size = 1.0 if match["of"] == "百" else 0.1
    return tuple(number(v) * size for v in (match["part"], match["part2"]) if v), "%", "percent", ""


def _bare(match: re.Match[str]) -> _Made:
    return (number(match["bare"]),), "", "", ""


_MAKERS = {"amount": _amount, "date": _date, "clock": _clock, "money": _money, "share": _share, "bare": _bare}


def _role(text: str, start: int, end: int) -> Role:
    before = text[max(0, start - 8) : start]
    for role, pattern in _BEFORE:
        if pattern.search(before):
            return role
    return next((role for role, pattern in _BEHIND if pattern.match(text, end)), "")
