"""Statements: an answer's sentences, list items and table rows, with the sources each cites and where one would be added.

Places are indices into the answer as it is. What a statement says is held without markup and without markers, and every
character of it knows its place.

>>> [(s.words, s.cited) for s in statements("**七天**内可退。[1]十五天内可换[2]。")]
[('七天内可退。', (1,)), ('十五天内可换。', (2,))]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kaijuan.answering.markers import Marker, marker_at
from kaijuan.text import sentences

StatementKind = Literal["sentence", "item", "row", "lead", "heading", "header", "code"]

_FENCE = re.compile(r"[ \t>]*(?P<marker>`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]+")
_BREAK = re.compile(r"[ \t>]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\Z")
_RULE = frozenset(" \t>:|-")
_ROW = re.compile(r"[ \t>]*\|")
_ITEM = re.compile(
    r"[ \t>]*(?:[-*+•·][ \t]+|[•·]|\d{1,3}(?:[、)）][ \t]*(?!\d)|\.(?!\d)[ \t]*)|[（(]\d{1,2}[）)][ \t]*|[①-⑳][ \t]*)"
)
_QUOTED = re.compile(r"[ \t>]*")
#: What is no word of a line: code ticks, emphasis in pairs, tags, and of a link all but its words.
_MARKUP = (
    ("`", re.compile(r"(?P<open>`+)[^`\n]*(?P<close>`+)")),
    ("**", re.compile(r"(?P<open>\*\*)(?=\S).{1,400}?(?<=\S)(?P<close>\*\*)")),
    ("__", re.compile(r"(?P<open>(?<![A-Za-z0-9_])__)(?=\S).{1,400}?(?<=\S)(?P<close>__(?![A-Za-z0-9_]))")),
    ("*", re.compile(r"(?P<open>(?<![*\w])\*)(?=[^\s*.])[^*]+?(?<=[^\s*])(?P<close>\*(?![*\w.]))")),
    ("](", re.compile(r"(?P<open>!?\[)(?!\d{1,3}\])[^\[\]\n]*(?P<close>\]\([^()\s]*\))")),
    ("<", re.compile(r"(?P<open></?[A-Za-z][^<>\n]{0,80}>)(?P<close>)")),
)
_KEPT = re.compile(b"\0+")
_CODE_SPAN = re.compile(r"(`+)[^`].{0,400}?(?<!`)\1(?!`)")
#: Characters of a sentence that are checked together.
LONGEST = 400
_STOPS = " \t。；;.：:，,、！!？?…"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing an answer says: half-open span in the answer, its words, and for each of their characters its place.

    `cited` are the numbers at it, or else those of the line that opens its list. `insert` is where a citation would be
    put. A table row's words name their columns; such a character's place is -1. `lead` is the line it stands under.
    """

    start: int
    end: int
    words: str
    places: tuple[int, ...]
    cited: tuple[int, ...] = ()
    insert: int = 0
    kind: StatementKind = "sentence"
    lead: str = ""


def statements(answer: str) -> list[Statement]:
    """Statements of a finished answer in reading order; code blocks are one statement each, markup lines none."""
    found: list[Statement] = []
    for statement in _Reader(answer).read():
        if statement.words or statement.kind == "code":
            found.append(statement)
        elif found and not found[-1].cited:  # a line of nothing but markers speaks for the one before it
            found[-1] = replace(found[-1], cited=statement.cited)
    return found


@dataclass(slots=True)
class _Line:
    """Words of a stretch of the answer with their places, its markers as (start, end, numbers), and closing markup."""

    words: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    markers: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    closing: set[int] = field(default_factory=set)

    def cited(self, start: int, end: int) -> tuple[int, ...]:
        """Numbers of the markers that begin in a stretch."""
        return tuple(dict.fromkeys(n for at, _, numbers in self.markers if start <= at < end for n in numbers))

    def behind(self, place: int) -> int:
        """The place behind a character and the markup that closes there."""
        place += 1
        while place in self.closing:
            place += 1
        return place


class _Reader:
    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._lead, self._lead_cited = "", tuple[int, ...]()
        self._header: list[str] = []

    def read(self) -> Iterator[Statement]:
        fence: tuple[str, int] | None = None
        start = 0
        lines = self._answer.split("\n")
        for at, line in enumerate(lines):
            end = start + len(line)
            opened = _FENCE.match(line)
            if fence is not None:
                if opened and opened["marker"].startswith(fence[0]) and not line[opened.end() :].strip():
                    yield Statement(fence[1], end, "", (), kind="code")
                    fence = None
            elif opened:
                fence = (opened["marker"], start)
            else:
                yield from self._line(start, end, lines[at + 1] if at + 1 < len(lines) else "")
            start = end + 1
        if fence is not None:
            yield Statement(fence[1], len(self._answer), "", (), kind="code")

    def _line(self, start: int, end: int, following: str) -> Iterator[Statement]:
        line = self._answer[start:end]
        if not line.strip():
            self._header = []
        elif heading := _HEADING.match(line):
            self._lead, self._lead_cited = "", ()
            yield from self._sentences(start + heading.end(), end, "heading")
        elif _ROW.match(line) or (self._header and "|" in line):
            yield from self._row(start, end, _is_rule(following))
        elif not _BREAK.match(line) and not _is_rule(line):
            item = _ITEM.match(line)
            mark = item or _QUOTED.match(line)
            if item is None:
                self._lead, self._lead_cited = "", ()
            yield from self._sentences(start + (mark.end() if mark else 0), end, "item" if item else "sentence")

    def _sentences(self, start: int, end: int, kind: StatementKind) -> Iterator[Statement]:
        line = _words(self._answer, start, end)
        text = "".join(line.words)
        lead, lead_cited = self._lead, self._lead_cited
        spans = _joined(sentences(text), text, line)
        if not spans and line.markers:
            yield Statement(start, end, "", (), line.cited(start, end))
        for at, (first, last) in enumerate(spans):
            # Markers between two sentences belong to the one that they stand behind.
            opens = line.places[first] if at else start
            closes = line.places[spans[at + 1][0]] if at + 1 < len(spans) else end
            own = line.cited(opens, closes)
            words = text[first:last]
            said = words.rstrip(_STOPS)
            is_lead = kind != "heading" and at + 1 == len(spans) and words.rstrip().endswith(("：", ":"))
            if is_lead:
                self._lead, self._lead_cited = words, own or lead_cited
            yield Statement(
                start=line.places[first],
                end=line.behind(
                    max([line.places[last - 1], *(e - 1 for m, e, _ in line.markers if opens <= m < closes)])
                ),
                words=words,
                places=tuple(line.places[first:last]),
                cited=own or lead_cited,
                insert=line.behind(line.places[first + len(said) - 1 if said else last - 1]),
                kind="lead" if is_lead else kind,
                lead=lead,
            )

    def _row(self, start: int, end: int, is_header: bool) -> Iterator[Statement]:
        line = self._answer[start:end]
        if _is_rule(line):
            return
        cells = list(_cells(line, start))
        names = ["".join(_words(self._answer, *cell).words).strip() for cell in cells]
        if is_header:
            self._header = names
            yield Statement(start, end, "；".join(filter(None, names)), (), kind="header")
            return
        row = _Line()
        for at, cell in enumerate(cells):
            own = _words(self._answer, *cell)
            row.markers += own.markers
            row.closing |= own.closing
            if not "".join(own.words).strip():
                continue
            name = self._header[at] if at < len(self._header) else ""
            before = ("；" if row.words else "") + (f"{name}：" if name else "")
            row.words += [*before, *own.words]
            row.places += [*([-1] * len(before)), *own.places]
        if not row.words:
            return
        words = "".join(row.words)
        first = next(p for p, w in zip(row.places, row.words, strict=True) if p >= 0 and not w.isspace())
        last = max((p for p, w in zip(row.places, row.words, strict=True) if p >= 0 and w not in _STOPS), default=first)
        yield Statement(
            start=first,
            end=max([row.behind(last), *(e for _, e, _ in row.markers)]),
            words=words,
            places=tuple(row.places),
            cited=row.cited(start, end) or self._lead_cited,
            insert=row.behind(last),
            kind="row",
            lead=self._lead,
        )


def _words(answer: str, start: int, end: int) -> _Line:
    """The words of a stretch: characters that are neither markup nor part of a marker."""
    text = answer[start:end]
    line = _Line()
    gone = bytearray(len(text))
    in_code = bytearray(len(text))
    if "`" in text:
        for span in _CODE_SPAN.finditer(text):
            in_code[span.start() : span.end()] = b"\1" * (span.end() - span.start())
    for trigger, markup in _MARKUP:
        for match in markup.finditer(text) if trigger in text else ():
            for part in ("open", "close"):
                gone[match.start(part) : match.end(part)] = b"\1" * (match.end(part) - match.start(part))
            line.closing.update(range(start + match.start("close"), start + match.end("close")))
    at = text.find("[")
    while at >= 0:
        found = "text" if in_code[at] else marker_at(text, at, text[max(0, at - 64) : at], final=True)
        if isinstance(found, Marker):
            line.markers.append((start + at, start + found.end, found.numbers))
            gone[at : found.end] = b"\1" * (found.end - at)
        at = text.find("[", found.end if isinstance(found, Marker) else at + 1)
    for kept in _KEPT.finditer(gone):
        line.words += text[kept.start() : kept.end()]
        line.places += range(start + kept.start(), start + kept.end())
    return line


def _joined(spans: Sequence[tuple[int, int]], text: str, line: _Line) -> list[tuple[int, int]]:
    """Sentences without a cut behind a semicolon, unless a marker stands there: 甲；乙[1]。 rests on [1] as a whole."""
    joined: list[tuple[int, int]] = []
    for first, last in spans:
        before = joined[-1] if joined else None
        if before and text[before[1] - 1] in "；;" and "\n" not in text[before[1] : first]:
            stop, following = line.places[before[1] - 1], line.places[first]
            said = line.places[max(before[0], before[1] - 2)]
            if not any(said < place < following and place != stop for place, *_ in line.markers):
                joined[-1] = (before[0], last)
                continue
        joined.append((first, last))
    return [part for span in joined for part in _short(*span, text)]


def _short(first: int, last: int, text: str) -> Iterator[tuple[int, int]]:
    """A sentence in parts of bounded length, cut behind a comma where there is one."""
    while last - first > LONGEST:
        comma = max(text.rfind(mark, first + LONGEST // 2, first + LONGEST) for mark in "，,；;、 ")
        cut = comma + 1 if comma > 0 else first + LONGEST
        if text[first:cut].strip():
            yield first, cut
        first = cut
    if text[first:last].strip():
        yield first, last


def _is_rule(line: str) -> bool:
    """Whether a line is the rule under a table's header."""
    return "-" in line and _RULE.issuperset(line)


def _cells(line: str, start: int) -> Iterator[tuple[int, int]]:
    edges = [match.start() for match in re.finditer(r"(?<!\\)\|", line)]
    opens = [edge + 1 for edge in edges] if line[: edges[0]].strip(" \t>") == "" else [0, *(e + 1 for e in edges)]
    closes = [*edges[len(edges) + 1 - len(opens) :], len(line)]
    for first, last in zip(opens, closes, strict=True):
        if last < len(line) or line[first:].strip():
            yield start + first, start + last
