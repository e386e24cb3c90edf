"""Pieces of a section: blocks whole where they fit, else split where their kind allows it.

Paragraphs are split at sentence ends, lists between items, tables between rows, fences between lines. What stands
over a piece (the parent of a list item, a table's header, the opening of a fence) is repeated at its head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from kaijuan.chunking.blocks import Block
from kaijuan.chunking.sections import Section
from kaijuan.chunking.tables import table_units
from kaijuan.chunking.units import Unit, cut, lines, running_units, whole_unit, with_head
from kaijuan.text import sentences

_FENCE = re.compile(r"[\s>]*(?:[-+*]\s+|\d{1,9}[.)]\s+)*(?P<mark>`{3,}|~{3,})")
_INDENT = re.compile(r"[\s>]*")


def section_units(text: str, section: Section, room: int) -> list[Unit]:
    """Units of a section in order, none longer than `room` with its lead and tail.

    The heading, and a sentence that introduces a list, table or fence, go with what they stand over.
    """
    units: list[Unit] = []
    head = Unit(section.start, section.opening[-1].end) if section.opening else None
    lead = ""
    following: Block | None
    for block, following in zip_longest(section.body, section.body[1:]):
        if introduction := _introduction(text, block, following, room):
            head = Unit(head.start if head else block.start, block.end)
            # Without it the items of a list may say the opposite ("以下情况不予退货："), so later pieces repeat it.
            lead = introduction + "\n\n" if following and following.kind == "list" else ""
        else:
            units += _units_with_head(text, head, block, room, lead)
            head, lead = None, ""
    return units if section.body else _head_alone(text, section.start, section.end, room)


def block_units(text: str, block: Block, room: int, lead: str = "") -> list[Unit]:
    """One unit where the block fits with its lead, else its parts."""
    if len(lead) + block.end - block.start <= room:
        return [whole_unit(text, block.start, block.end, lead, running=block.kind == "paragraph")]
    if block.kind == "table":
        return table_units(text, block.start, block.end, room, lead)
    if block.kind == "fence":
        return _fence_units(text, block.start, block.end, room, lead)
    if block.kind == "item" and block.children:
        return _item_units(text, block, room, lead)
    if block.children:
        return [unit for child in block.children for unit in block_units(text, child, room, lead)]
    return running_units(text, block.start, block.end, room, lead)


def _introduction(text: str, block: Block, following: Block | None, room: int) -> str:
    """The last sentence of a short paragraph that ends in a colon over a list, table or fence, else nothing."""
    if block.kind != "paragraph" or following is None or following.kind not in ("list", "table", "fence"):
        return ""
    words = text[block.start : block.end]
    if not words.endswith(("：", ":")) or len(words) > room // 3:
        return ""
    first, last = sentences(words)[-1]
    return words[first:last]


def _units_with_head(text: str, head: Unit | None, block: Block, room: int, lead: str) -> list[Unit]:
    if head is None:
        return block_units(text, block, room, lead)
    distance = block.start - head.start
    if distance > room // 2:
        return _head_alone(text, head.start, head.end, room) + block_units(text, block, room, lead)
    return with_head(head, block_units(text, block, room - distance, lead), room)


def _head_alone(text: str, start: int, end: int, room: int) -> list[Unit]:
    return [replace(unit, sentences=()) for unit in running_units(text, start, end, room)]


def _item_units(text: str, item: Block, room: int, lead: str) -> list[Unit]:
    """Units of a list item: its own words go with the first child and are repeated over the later ones."""
    own, *nested = item.children
    if own.kind != "paragraph" or not nested:
        return [unit for child in item.children for unit in block_units(text, child, room, lead)]
    line = text[own.start : own.end].split("\n", 1)[0] + "\n"
    over_children = next((words for words in (lead + line, line) if len(words) <= room // 3), "")
    distance = nested[0].start - own.start
    if len(lead) + distance <= room // 2:
        first = block_units(text, nested[0], room - distance, over_children)
        units = with_head(Unit(own.start, own.end, lead), first, room)
    else:
        units = block_units(text, own, room, lead) + block_units(text, nested[0], room, over_children)
    return units + _units_under(text, nested[1:], room, over_children)


def _units_under(text: str, blocks: Sequence[Block], room: int, lead: str) -> list[Unit]:
    return [unit for block in blocks for unit in block_units(text, block, room, lead)]


def _fence_units(text: str, start: int, end: int, room: int, lead: str) -> list[Unit]:
    """Lines of a fence, each able to begin or end a chunk as a fence of its own."""
    opening, *inner = lines(text, start, end)
    fence = _FENCE.match(text, *opening)
    if fence is None or not inner:
        return running_units(text, start, end, room, lead)
    margin = _INDENT.match(text, *opening)
    reopened = text[opening[0] : opening[1]] + "\n"
    closed = "\n" + (margin.group() if margin else "") + fence["mark"]
    if len(lead) + len(reopened) + len(closed) > room // 2:
        return running_units(text, start, end, room, lead)

    closing = inner.pop() if _closes(text[inner[-1][0] : inner[-1][1]], fence["mark"]) else None
    space = room - len(reopened) - len(closed)
    units = [Unit(a, b, reopened, closed) for line in inner for a, b in cut(text, *line, space)]
    units = with_head(Unit(*opening, lead, closed), units, room)
    if closing is None:
        return units
    last = units[-1]
    if len(last.lead) + closing[1] - last.start <= room:
        return [*units[:-1], replace(last, end=closing[1], tail="")]
    return [*units, Unit(*closing, reopened)]


def _closes(line: str, mark: str) -> bool:
    bare = line.strip(" \t>")
    return len(bare) >= len(mark) and not bare.strip(mark[0])
