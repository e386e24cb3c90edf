"""The units an extractive answer is made of: sentences, list items and table rows of a passage.

>>> [u.text for u in units("| 码 | 处理 |\\n| --- | --- |\\n| E4032 | 稍后重试 |", 1)]
['码：E4032；处理：稍后重试']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kaijuan.text import sentences

UnitKind = Literal["sentence", "item", "row", "question", "heading", "code"]

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+?)\s*#*\Z")
_ITEM = re.compile(
    r"(?P<indent>\s*)(?P<mark>[-*+](?=\s)|[•·]|\d{1,3}(?:[、)）](?!\s*\d)|\.(?!\d))|[（(]\d{1,3}[）)])\s*(?P<text>\S.*)\Z"
)
_RULE_ROW = re.compile(r"\|?[\s:|-]*-[\s:|-]*\Z")
_ASKS = re.compile(r"\*{0,2}(?:问|Q|q)\s*[:：.]\s*")
_ANSWERS = re.compile(r"\*{0,2}(?:答|A|a)\s*[:：.]\s*\*{0,2}")
# Emphasis in pairs only: a lone asterisk is text (*86, *.jpg).
_MARKUP = (
    re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"),
    re.compile(r"(?<![A-Za-z0-9_])__(?=\S)(.+?)(?<=\S)__(?![A-Za-z0-9_])"),
    re.compile(r"(?<![*\w])\*(?=[^\s*.])([^*]+?)(?<=[^\s*])\*(?![*\w.])"),
)
_CELL_END = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"\s*(?P<marker>`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing an answer may say: its text without markup, the source number it comes from and its place there.

    `lead` is what it stands under: the question it answers, or the line that opens its list. `block` numbers the
    paragraph, list or table it belongs to.
    """

    text: str
    number: int
    place: int
    block: int
    kind: UnitKind = "sentence"
    lead: str = ""
    depth: int = 0


def units(text: str, number: int) -> list[Unit]:
    """Units of a passage in order; headings, questions and code are kept as such so that they are not answers."""
    return _Reader(number).read(text)


class _Reader:
    def __init__(self, number: int) -> None:
        self._number = number
        self._units: list[Unit] = []
        self._block = 0
        self._lead = ""
        self._header: list[str] = []
        self._fence: str | None = None

    def read(self, text: str) -> list[Unit]:
        lines = text.split("\n")
        for at, line in enumerate(lines):
            following = lines[at + 1] if at + 1 < len(lines) else ""
            self._line(line, following)
        return self._units

    def _line(self, line: str, following: str) -> None:
        fence = _FENCE.match(line)
        if self._fence is not None:
            if fence and fence["marker"].startswith(self._fence):
                self._fence = None
                self._block += 1
            else:
                self._add(line.strip(), "code")
        elif fence:
            self._fence = fence["marker"]
        elif not line.strip():
            self._block += 1
            self._header = []
        elif heading := _HEADING.match(line):
            self._block += 1
            self._lead = ""
            self._add(heading["text"], "heading")
        elif line.lstrip().startswith("|"):
            self._row(line, following)
        elif item := _ITEM.match(line):
            self._sentences(item["text"], "item", len(item["indent"]))
        else:
            self._paragraph(line)

    def _row(self, line: str, following: str) -> None:
        row = line.strip().removeprefix("|")
        row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
        cells = [plain(cell.replace("\\|", "|")) for cell in _CELL_END.split(row)]
        if _RULE_ROW.match(line.strip()):
            return
        if _RULE_ROW.match(following.strip()) and following.strip():
            self._header = cells
        elif self._header:
            pairs = [
                f"{name}：{cell}" if name else cell for name, cell in zip(self._header, cells, strict=False) if cell
            ]
            self._add("；".join(pairs), "row")
        else:
            self._add("；".join(cell for cell in cells if cell), "row")

    def _paragraph(self, line: str) -> None:
        if asked := _ASKS.match(line):
            self._lead = plain(line[asked.end() :].rstrip().removesuffix("**"))
            self._block += 1
            self._add(self._lead, "question")
        elif answered := _ANSWERS.match(line):
            self._sentences(line[answered.end() :], "sentence", 0)
        else:
            self._sentences(line, "sentence", 0)

    def _sentences(self, line: str, kind: UnitKind, depth: int) -> None:
        for start, end in sentences(line):
            sentence = plain(line[start:end])
            self._add(sentence, "question" if sentence.endswith(("？", "?")) else kind, depth)
        if kind == "sentence" and self._units and self._units[-1].text.endswith(("：", ":")):
            self._lead = self._units[-1].text

    def _add(self, text: str, kind: UnitKind, depth: int = 0) -> None:
        if text:
            self._units.append(Unit(text, self._number, len(self._units), self._block, kind, self._lead, depth))


def plain(text: str) -> str:
    """A line without Markdown emphasis and surrounding blanks."""
    for markup in _MARKUP:
        text = markup.sub(r"\1", text)
    return text.strip()
