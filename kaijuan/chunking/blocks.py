"""Blocks: what a document is built of (headings, paragraphs, lists, tables, fences), each with its place in the text.

Plain text falls into paragraphs at blank lines.

>>> [(b.kind, b.title) for b in markdown_blocks("# 退货\\n\\n七天内可退。\\n\\n- 原包装\\n- 凭证")]
[('heading', '退货'), ('paragraph', ''), ('list', '')]
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from typing import Literal

from kaijuan.text.markdown import Event, Range, events_with_places, heading_level, heading_text, utf8

BlockKind = Literal["heading", "paragraph", "rule", "list", "item", "quote", "table", "fence"]

#: A heading longer than this is a paragraph that happens to be underlined or to begin with "#".
LONGEST_HEADING = 200
#: Blocks that lie deeper are paragraphs of the last container: nobody writes them on purpose.
_DEEPEST = 12

_CONTAINERS: dict[str, BlockKind] = {"List": "list", "Item": "item", "BlockQuote": "quote"}
_LEAVES: dict[str, BlockKind] = {
    "Heading": "heading",
    "Paragraph": "paragraph",
    "HtmlBlock": "paragraph",
    "CodeBlock": "fence",
    "Table": "table",
}
_LINE_END = re.compile(rb"\r\n?|\n")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


@dataclass(frozen=True, slots=True)
class Block:
    """One block; `start`/`end` are character offsets, from the start of its first line to its last visible character.

    `level` and `title` are filled for headings, `children` for lists (items), items and quotes.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    children: tuple[Block, ...] = ()


def markdown_blocks(text: str) -> list[Block]:
    """Top-level blocks of a Markdown text in order; together they hold every visible character."""
    lines = _Lines(text)
    stack = [_Open("item", 0, len(text))]
    parsed = events_with_places(text)
    for event, place in parsed:
        if event.__class__ is str:
            if event == "Rule":
                stack[-1].children.append(Block("rule", *lines.whole(text, place)))
            continue
        name = _name(event, "Start")
        if name is None:
            if _name(event, "End") in _CONTAINERS:
                container = stack.pop()
                stack[-1].children.append(container.block(text))
        elif name in _LEAVES:
            whole = lines.whole(text, place)
            stack[-1].children.append(_leaf(whole, name, event, parsed, top=len(stack) == 1))
        elif name in _CONTAINERS and len(stack) <= _DEEPEST:
            stack.append(_Open(_CONTAINERS[name], *lines.around(place)))
        elif name in _CONTAINERS:
            _skip(parsed, name)
    return _joined_lists(text, _without_gaps(text, stack[0].children, 0, len(text)))


def plain_blocks(text: str) -> list[Block]:
    """Paragraphs of a plain text, parted by blank lines."""
    blocks: list[Block] = []
    start = 0
    for match in _BLANK_LINES.finditer(text):
        blocks += _paragraph(text, start, match.start())
        start = match.end()
    return [*blocks, *_paragraph(text, start, len(text))]


@dataclass(slots=True)
class _Open:
    """A container whose closing token has not come yet."""

    kind: BlockKind
    start: int
    end: int
    children: list[Block] = field(default_factory=list)

    def block(self, text: str) -> Block:
        end = _trimmed(text, self.start, self.end)
        return Block(self.kind, self.start, end, children=tuple(_without_gaps(text, self.children, self.start, end)))


class _Lines:
    """Where the lines of a text begin, in its bytes and in its characters."""

    def __init__(self, text: str) -> None:
        self._data = data = utf8(text)
        self._bytes = [0, *(match.end() for match in _LINE_END.finditer(data))]
        if len(data) == len(text):
            self._characters = [*self._bytes, len(text)]
        else:
            spans = pairwise([*self._bytes, len(data)])
            self._characters = [0, *accumulate(len(data[start:end].decode("utf-8")) for start, end in spans)]

    def around(self, place: Range, blank: bytes = b" \t\r\n>") -> tuple[int, int]:
        """Start and end, in characters, of the whole lines of a place in bytes."""
        first = bisect_right(self._bytes, place["start"]) - 1
        # A list may reach into the line behind it, up to the marker of the next one.
        visible = place["start"] + len(self._data[place["start"] : place["end"]].rstrip(blank))
        last = max(first, bisect_left(self._bytes, visible) - 1)
        return self._characters[first], self._characters[last + 1]

    def whole(self, text: str, place: Range) -> tuple[int, int]:
        """The same without blanks at the end."""
        start, end = self.around(place, b" \t\r\n")
        return start, _trimmed(text, start, end)


def _name(event: Event, side: str) -> str | None:
    """Name of the element that an event starts or ends; None for any other event."""
    tag = event.get(side)
    return tag if tag is None or tag.__class__ is str else next(iter(tag))


def _skip(parsed: Iterator[tuple[Event, object]], name: str) -> None:
    """Pass over what a container holds."""
    depth = 1
    for event, _ in parsed:
        if event.__class__ is not str:
            depth += (_name(event, "Start") == name) - (_name(event, "End") == name)
        if depth == 0:
            return


def _leaf(place: tuple[int, int], name: str, event: Event, parsed: Iterator[tuple[Event, object]], top: bool) -> Block:
    kind = _LEAVES[name]
    if kind == "fence" and event["Start"]["CodeBlock"] == "Indented":
        kind = "paragraph"
    if kind != "heading":
        _skip(parsed, name)
        return Block(kind, *place)
    title = heading_text(event for event, _ in parsed)
    # Headings inside lists and quotes do not part the document; neither do underlined paragraphs.
    if not top or "\n" in title or len(title) > LONGEST_HEADING:
        return Block("paragraph", *place)
    return Block("heading", *place, level=heading_level(event), title=title)


def _without_gaps(text: str, blocks: Iterable[Block], start: int, end: int) -> Iterable[Block]:
    """Give what lies between the blocks (a lone list marker, what was nested too deep) as paragraphs."""
    for block in blocks:
        if block.end <= max(start, block.start):  # a line of ideographic blanks is a paragraph to Markdown
            continue
        yield from _paragraph(text, start, max(start, block.start))
        yield block
        start = block.end
    yield from _paragraph(text, start, end)


def _joined_lists(text: str, blocks: Iterable[Block]) -> list[Block]:
    """Lists that follow each other as one: two blanks under "1." nest nothing in Markdown, yet people mean it so."""
    joined: list[Block] = []
    for are_lists, grouped in groupby(blocks, key=lambda block: block.kind == "list"):
        group = list(grouped)
        joined += [_one_list(text, group)] if are_lists else group
    return joined


def _one_list(text: str, lists: Sequence[Block]) -> Block:
    first, *others = lists
    items = list(first.children)
    for block in others:
        if _indent(text, block) > _indent(text, first):
            parent = items[-1]
            own = parent.children or (replace(parent, kind="paragraph"),)
            items[-1] = replace(parent, end=block.end, children=(*own, block))
        else:
            items += block.children
    return replace(first, end=lists[-1].end, children=tuple(items))


def _indent(text: str, block: Block) -> int:
    line = text[block.start : block.start + 80]
    return len(line) - len(line.lstrip(" "))


def _paragraph(text: str, start: int, end: int) -> list[Block]:
    piece = text[start:end]
    visible = piece.lstrip()
    if not visible:
        return []
    first = start + len(piece) - len(visible)
    line_start = max(start, text.rfind("\n", start, first) + 1)
    return [Block("paragraph", line_start, _trimmed(text, start, end))]


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())
