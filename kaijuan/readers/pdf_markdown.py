"""A PDF's paragraphs and tables as Markdown: which paragraphs are headings, which are items, where pages begin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kaijuan.readers.grid import body_blocks, column_names, header_depth, is_caption
from kaijuan.readers.markup import heading, plain_lines
from kaijuan.readers.pdf_paragraphs import MARKER, NUMBERED, Item, Paragraph
from kaijuan.readers.pdf_tables import Table

#: A heading is larger than the running text by this, and no longer than so many characters.
_LARGER, _LONGEST_HEADING = 1.12, 80
_DEEPEST_LEVEL = 6
_NO_HEADING_END = "。；，、;,"

#: A bookmark's level (from 1) by its page (from 0) and its title without blanks.
Bookmarks = Mapping[tuple[int, str], int]
Style = tuple[float, bool, int]


@dataclass(slots=True)
class _Writing:
    """Markdown as it grows, and the offsets at which pages begin."""

    blocks: list[str] = field(default_factory=list)
    length: int = 0
    begins: dict[int, int] = field(default_factory=dict)

    def add(self, block: str, pages: Sequence[tuple[int, int]], gap: str) -> None:
        """Append a block; `pages` are (page, offset in the block)."""
        if self.blocks:
            block, pages = gap + block, [(page, offset + len(gap)) for page, offset in pages]
        for page, offset in pages:
            self.begins.setdefault(page, self.length + offset)
        self.blocks.append(block)
        self.length += len(block)


def to_markdown(items: Sequence[Item], pages: int, bookmarks: Bookmarks) -> tuple[str, tuple[int, ...]]:
    """Markdown of all items, and the offset at which each page begins (an empty one where the next does)."""
    levels = _levels([item for item in items if isinstance(item, Paragraph)], bookmarks)
    writing = _Writing()
    listing = _List()
    for item in items:
        if isinstance(item, Table):
            listing = _List()
            writing.add(*_table(item), "\n\n")
            continue
        text, begins = item.pieces()
        level = levels.get(id(item))
        marker = MARKER.match(text) if level is None else None
        gap = "\n" if marker and listing.items else "\n\n"
        if marker is None:
            listing = _List()
            block = heading(level, text) if level else "".join(plain_lines(text))
        else:
            block = listing.item(item, text, marker)
        shift = len(block) - len(text)  # what was put before the text
        writing.add(block, [(page, max(0, offset + shift) if offset else 0) for page, offset in begins], gap)
    return "".join(writing.blocks), _page_starts(writing, pages)


@dataclass(slots=True)
class _List:
    """A list being written: where the markers of its open items stand, and how far their words are indented."""

    items: list[tuple[float, int]] = field(default_factory=list)

    def item(self, paragraph: Paragraph, text: str, marker: re.Match[str]) -> str:
        """One item, nested as far as its marker stands in."""
        part = paragraph.first.part
        while self.items and self.items[-1][0] > part.x0 + 0.5 * part.size:
            self.items.pop()
        nested = bool(self.items) and part.x0 > self.items[-1][0] + 0.7 * part.size
        if self.items and not nested:
            self.items.pop()
        indent = self.items[-1][1] if self.items else 0
        sign = f"{marker['number']}. " if marker["number"] else "- "
        words = text if marker["other"] else text[marker.end() :]
        self.items.append((part.x0, indent + len(sign)))
        return " " * indent + sign + words


def _page_starts(writing: _Writing, pages: int) -> tuple[int, ...]:
    starts: list[int] = []
    following = writing.length
    for page in range(pages - 1, -1, -1):
        following = min(following, writing.begins.get(page, following))
        starts.append(following)
    return (0, *starts[::-1][1:]) if starts else ()


def _levels(texts: Sequence[Paragraph], bookmarks: Bookmarks) -> dict[int, int]:
    """Heading level of each paragraph that is one, by its id(): as the bookmarks have it, else by size and weight."""
    body, bold = _body(texts)
    styles: dict[int, Style] = {}
    told: dict[Style, Counter[int]] = {}
    for paragraph in texts:
        text, part = paragraph.text, paragraph.first.part
        marked = bookmarks.get((paragraph.first.page, "".join(text.split())))
        if marked is None and not _is_heading(paragraph, text, body, bold):
            continue
        style = (round(2 * part.size) / 2, part.bold and not bold, _numbering(text))
        styles[id(paragraph)] = style
        told.setdefault(style, Counter()).update([marked] if marked else [])
    by_style: dict[Style, int] = {}
    below_title = level = 0
    for style in sorted(told, key=lambda style: (-style[0], not style[1], style[2])):
        if told[style]:
            level = told[style].most_common(1)[0][0] + below_title
        else:
            level += 1
            below_title = below_title or int(not by_style)  # a title over everything that has bookmarks
        by_style[style] = min(level, _DEEPEST_LEVEL)
    return {key: by_style[style] for key, style in styles.items()}


def _body(texts: Sequence[Paragraph]) -> tuple[float, bool]:
    """Size of most characters, and whether most of those are bold."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    for paragraph in texts:
        for line in paragraph.lines:
            sizes[round(2 * line.part.size) / 2] += len(line.part.text)
    body = max(sizes, key=lambda size: (sizes[size], -size), default=0.0)
    for paragraph in texts:
        for line in paragraph.lines:
            if round(2 * line.part.size) / 2 == body:
                bold[line.part.bold] += len(line.part.text)
    return body, bold[True] > bold[False]


def _is_heading(paragraph: Paragraph, text: str, body: float, bold: bool) -> bool:
    if len(text) > _LONGEST_HEADING or text[-1] in _NO_HEADING_END or not any(c.isalnum() for c in text):
        return False
    part = paragraph.first.part
    if part.size >= _LARGER * body:
        return True
    if part.size < 0.97 * body or len(paragraph.lines) > 2:
        return False
    if part.bold and not bold and not (MARKER.match(text) and not NUMBERED.match(text)) and text[-1] not in "：:":
        return True
    numbered = NUMBERED.match(text)
    return (
        numbered is not None
        and numbered["decimal"] is None
        and len(text) <= 30
        and len(paragraph.lines) == 1
        and text[-1] not in "：:！？"
    )


def _numbering(text: str) -> int:
    """How deep a heading's number is: 0 for a chapter or none, 1 for a section or "一、", 2 on for "1.1"."""
    match = NUMBERED.match(text)
    if match is None or match["large"]:
        return 0
    return 1 + match["decimal"].count(".") if match["decimal"] else 1


def _table(table: Table) -> tuple[str, list[tuple[int, int]]]:
    """Markdown of a table, and for every page on which it goes on the offset of its first row there."""
    captions = 0
    while captions < len(table.rows) - 1 and is_caption(table.rows[captions]):
        captions += 1
    rows, pages = table.rows[captions:], table.pages[captions:]
    depth = header_depth(rows)
    blocks = [row[0].text for row in table.rows[:captions]]
    blocks += body_blocks(column_names(rows[:depth]), rows[depth:])
    text = "\n\n".join(blocks)
    begins = [(table.pages[0], 0)]
    lines = blocks[-1].split("\n") if blocks else []
    # Only where every row is one line of one table is it known which line begins the page.
    if len(blocks) == captions + 1 and len(lines) == 2 + len(rows) - depth:
        for number in range(depth, len(rows)):
            if pages[number] != begins[-1][0]:
                rest = len("\n".join(lines[2 + number - depth :]))
                begins.append((pages[number], len(text) - rest))
    return text, begins
