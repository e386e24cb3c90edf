"""Blocks: what a document is built of (headings, paragraphs, lists, tables, fences), each with its place in the text.

Markdown is read by markdown-it-py; plain text falls into paragraphs at blank lines.

>>> [(b.kind, b.title) for b in markdown_blocks("# 退货\\n\\n七天内可退。\\n\\n- 原包装\\n- 凭证")]
[('heading', '退货'), ('paragraph', ''), ('list', '')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

BlockKind = Literal["heading", "paragraph", "rule", "list", "item", "quote", "table", "fence"]

#: A heading longer than this is a paragraph that happens to be underlined or to begin with "#".
LONGEST_HEADING = 200

_CONTAINERS: dict[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
}
_CLOSINGS = {name.replace("_open", "_close") for name in _CONTAINERS}
_LEAVES: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "code_block": "paragraph",
    "hr": "rule",
    "table_open": "table",
    "fence": "fence",
}
_LINE_END = re.compile(r"\r\n?|\n")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_INLINE_MARKUP = re.compile(r"[\\`*_\[\]<>&]")


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
    starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    outline = _Open("item", 0, len(text))
    stack = [outline]
    tokens = _block_parser().parse(text)
    for number, token in enumerate(tokens):
        if token.type in _CLOSINGS:
            container = stack.pop()
            stack[-1].children.append(container.block(text))
        elif token.map is None:
            continue
        else:
            start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
            if token.type in _CONTAINERS:
                stack.append(_Open(_CONTAINERS[token.type], start, end))
            elif token.type in _LEAVES:
                stack[-1].children.append(_leaf(text, start, end, token, tokens[number + 1 : number + 2]))
    return _joined_lists(text, _without_gaps(text, outline.children, 0, len(text)))


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


def _leaf(text: str, start: int, end: int, token: Token, following: Sequence[Token]) -> Block:
    end = _trimmed(text, start, end)
    kind = _LEAVES[token.type]
    if kind != "heading":
        return Block(kind, start, end)
    title = plain_title(following[0].content if following else "")
    # Headings inside lists and quotes do not part the document; neither do underlined paragraphs.
    if token.level > 0 or "\n" in title or len(title) > LONGEST_HEADING:
        return Block("paragraph", start, end)
    return Block("heading", start, end, level=int(token.tag[1:]), title=title)


def plain_title(markup: str) -> str:
    """Title of a heading without its inline markup ("**退货**" → "退货"); a line end stays one."""
    if not _INLINE_MARKUP.search(markup):
        return markup.strip()
    tokens = _inline_parser().parseInline(markup)[0].children or []
    shown = ("\n" if t.type in ("softbreak", "hardbreak") else t.content for t in tokens if t.type != "html_inline")
    return "".join(shown).strip()


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


@lru_cache(maxsize=1)
def _block_parser() -> MarkdownIt:
    # Link definitions are left as paragraphs: their rule rescans the paragraph for every line, and nothing here
    # follows links. Nesting is bounded because every level reads its lines again.
    parser = MarkdownIt("commonmark", {"maxNesting": 12}).enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")
