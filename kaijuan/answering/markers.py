"""Markers: what in a text is written as a citation, and what only looks like one.

A marker is a number in square brackets, in any of their widths, doubled or not; with a naming word (资料, 来源, source …)
or around bracketed numbers round brackets do too. Left alone, because a support text means something else by it:

- ① and 1️⃣ count the points of a list, also in the sources;
- (1) and （1） count points or stand for themselves, unless a naming word says what they number;
- [2024] and [01] are years and parts of dates, a[0] and rows_2[1] are indices, [1](https://…) is a link.

>>> marker_at("（资料1、资料3）可退", 0, "", final=True)
Marker(end=9, numbers=(1, 3), keep='')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

#: Longest marker waited for in a stream; a longer one is text.
MAX_MARKER = 40
_MAX_RANGE = 50

_NAMING = "参考资料|资料来源|资料|来源|材料|文档|参考|出处|引用|source|ref|doc"
_WORDS = rf"(?i:{_NAMING}|sources|refs|docs|引自|依据|详见|参见|见)"
_MARKS = r"\d\s,，、;；~～\-–—至到和及与:：#^"
_SINGLE = rf"(?:\[(?:{_WORDS}|[{_MARKS}])*+\]|［(?:{_WORDS}|[{_MARKS}])*+］|【(?:{_WORDS}|[{_MARKS}])*+】)"
_BODY = rf"(?:{_WORDS}|[{_MARKS}]|{_SINGLE})*+"
_MARKER = re.compile(rf"\[{_BODY}\]|［{_BODY}］|【{_BODY}】|[(（]{_BODY}[)）]")
_COULD_BE = re.compile(
    rf"[\[［【(（][{_MARKS}\[\]［］【】{''.join(sorted(set(_WORDS) - set('()|?:')))}]*\Z", re.IGNORECASE
)
_ROUND_NEEDS = re.compile(rf"[\[［【]|(?i:{_NAMING})")
_NUMBERS = re.compile(r"(\d+)\s*(?:[~～\-–—至到]\s*(?:资料\s*)?(\d+))?")
_CLOCK = re.compile(r"\d[:：]\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LINK = re.compile(r"\((?:https?:|mailto:|[/#.])", re.IGNORECASE)
#: As many characters as tell whether a bracket behind a marker holds an address.
_LINK_CHARS = 8
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9_])[a-z_][A-Za-z0-9_]*\Z")
_INDEX_NAME = re.compile(r".\Z|.*[_\d]")
_CLOSES_CLAUSE = "。，、；：！？,.;:!?)）」』”\n[［【"
_BETWEEN = re.compile(r"[ \t]{0,4}(?P<mark>[、,]?)[ \t]{0,4}")
# 根据资料3，…: the number of a source as a word of the sentence. 补充资料3份 and 资料 3 天内补齐 are none.
_MENTIONED = r"资料[ \t]?\d{1,3}(?:[ \t]?[、和与及~～\-–—至到][ \t]?(?:资料[ \t]?)?\d{1,3}){0,6}"
_COUNTED = "份天个项条张页小工年月日元次件本类种号位名人分周时套册段句章节部点"
_MENTION = re.compile(rf"(?P<named>{_MENTIONED})(?![\d.%A-Za-z~～\-–—至到]|[ \t]?[{_COUNTED}])")
_MENTION_START = re.compile(
    rf"资(?:料(?:[ \t]?|{_MENTIONED[2:]}[ \t]?(?:[、和与及~～\-–—至到][ \t]?(?:资料?[ \t]?)?)?))?\Z"
)
_BEFORE_MENTION = re.compile(r"(?:\A|[\s，,。；;：:、！!？?（(“「『《*]|[据照见考自按与和及从在由])\Z")


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker: where it ends, the source numbers it names, and what of it stays in the text before them."""

    end: int
    numbers: tuple[int, ...]
    keep: str = ""


Found = Marker | Literal["text", "wait"]


def marker_at(text: str, at: int, before: str, final: bool) -> Found:
    """What stands at a bracket or at 资: a marker with the separator up to the next one, text, or more is needed to tell.

    `before` is what stands before it, the last characters are enough; `final` says that no more text follows.
    """
    if text[at] == "资":
        return _mention_at(text, at, before, final)
    found = _bracket_at(text, at, before, final)
    if not isinstance(found, Marker):
        return found
    between = _BETWEEN.match(text, found.end)
    if between is None or (between.end() == len(text) and final):
        return found
    if between.end() == len(text):
        return "wait"
    if not between["mark"] or text[between.end()] not in "[［【(（":
        return found
    following = _bracket_at(text, between.end(), between["mark"], final)
    if following == "wait":
        return "wait"
    return Marker(between.end(), found.numbers) if isinstance(following, Marker) else found


def _bracket_at(text: str, at: int, before: str, final: bool) -> Found:
    match = _MARKER.match(text, at, at + MAX_MARKER)
    if match is None:
        incomplete = len(text) - at < MAX_MARKER and _COULD_BE.match(text, at)
        return "wait" if incomplete and not final else "text"
    body, end = match.group()[1:-1], match.end()
    numbers = _numbers(body)
    if not numbers or (text[at] in "(（" and not _ROUND_NEEDS.search(body)):
        return "text"
    if text[at] == "[":
        if end == len(text) and not final:
            return "wait"
        if text.startswith("(", end):
            if len(text) - end < _LINK_CHARS and not final:
                return "wait"
            if _LINK.match(text, end):
                return "text"
        if _is_index(before, numbers, text[end : end + 1]):
            return "text"
    return Marker(end, numbers)


def _is_index(before: str, numbers: tuple[int, ...], after: str) -> bool:
    """Whether a bracket belongs to the lower-case identifier before it; 导出为 pdf[1]。 is a word with a citation."""
    name = _IDENTIFIER.search(before)
    if name is None:
        return False
    closes = not after or after in _CLOSES_CLAUSE
    return bool(_INDEX_NAME.match(name.group())) or 0 in numbers or not closes


def _mention_at(text: str, at: int, before: str, final: bool) -> Found:
    if not _BEFORE_MENTION.search(before):
        return "text"
    end = min(len(text), at + MAX_MARKER)
    if not final and end < at + MAX_MARKER and _MENTION_START.match(text, at):
        return "wait"
    match = _MENTION.match(text, at, end)
    numbers = _numbers(match["named"]) if match else ()
    return Marker(match.end(), numbers, "资料") if match and numbers else "text"


def _numbers(body: str) -> tuple[int, ...]:
    found: list[int] = []
    if _CLOCK.search(body):
        return ()
    for match in _NUMBERS.finditer(body):
        ends = [end for end in match.groups() if end]
        if any(_YEAR.fullmatch(end) or (len(end) > 1 and end.startswith("0")) for end in ends):
            return ()  # a year or a date, not the number of a source
        first, last = int(ends[0][:9]), int(ends[-1][:9])
        if last < first or last - first > _MAX_RANGE:
            found += [first, last] if match[2] else [first]
        else:
            found += range(first, last + 1)
    return tuple(found)
