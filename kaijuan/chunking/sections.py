"""Sections: a document parted at its headings, each part knowing its heading path from the outside in.

>>> from kaijuan.chunking.blocks import markdown_blocks
>>> text = "# 售后\\n\\n## 手机\\n\\n屏幕不保。\\n\\n## 配件\\n\\n保修一年。"
>>> [s.headings for s in sections(markdown_blocks(text))]
[('售后', '手机'), ('售后', '配件')]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kaijuan.chunking.blocks import Block


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading: `opening` holds the heading lines, `body` what they stand over."""

    headings: tuple[str, ...]
    opening: tuple[Block, ...]
    body: tuple[Block, ...]

    @property
    def start(self) -> int:
        """Offset of the section's first line."""
        return (self.opening or self.body)[0].start

    @property
    def end(self) -> int:
        """Offset behind the section's last visible character."""
        return (self.body or self.opening)[-1].end


def sections(blocks: Iterable[Block]) -> list[Section]:
    """Part blocks at headings; a heading that stands directly over a deeper one opens the deeper one's section."""
    found: list[Section] = []
    path: list[Block] = []
    opening: list[Block] = []
    body: list[Block] = []

    def close() -> None:
        if opening or body:
            titles = tuple(heading.title for heading in path if heading.title)
            found.append(Section(titles, tuple(opening), tuple(body)))
        opening.clear()
        body.clear()

    for block in blocks:
        if block.kind == "heading":
            if body or any(above.level >= block.level for above in opening):
                close()
            path = [above for above in path if above.level < block.level] + [block]
            opening.append(block)
        elif block.kind == "rule" and not body:
            opening.append(block)
        else:
            body.append(block)
    close()
    return found
