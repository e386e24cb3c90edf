"""The chunker: sections become chunks, whole where they fit, else packed from their pieces with some overlap.

>>> from kaijuan.types import Document
>>> text = "# 售后\\n\\n## 手机\\n\\n屏幕不保。\\n\\n## 配件\\n\\n保修一年。"
>>> for c in chunk(Document("s07", "售后政策", text)):
...     print(c.id, c.headings, text[c.start:c.end] == c.text)
s07#0 ('售后', '手机') True
s07#1 ('售后', '配件') True
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kaijuan.chunking.blocks import markdown_blocks, plain_blocks
from kaijuan.chunking.pieces import section_units
from kaijuan.chunking.sections import Section, sections
from kaijuan.chunking.units import Unit
from kaijuan.errors import CorpusError
from kaijuan.types import Chunk, Document

#: Recorded in the index: chunks of another version have to be made anew.
CHUNKING = "structure-2"
#: The smallest limit, in characters, at which a chunk still says something.
SMALLEST_LIMIT = 20


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str


def chunk(document: Document, limit: int = 512, overlap: int = 64) -> list[Chunk]:
    """Cut a document into chunks of at most `limit` characters, repeated header lines and overlap included.

    Every heading begins a new chunk. `overlap` is the most characters of whole sentences that a chunk takes over from
    the one before it in the same section. Raises CorpusError for settings that cannot work.
    """
    _check(limit, overlap)
    blocks = plain_blocks(document.text) if document.syntax == "plain" else markdown_blocks(document.text)
    pieces = ((s.headings, p) for s in sections(blocks) for p in _pieces(document.text, s, limit, overlap))
    return [_chunk(document, headings, n, piece) for n, (headings, piece) in enumerate(pieces)]


def whole(document: Document) -> Chunk:
    """A passage of a data set as one chunk, text unchanged, under the document's own id (data sets name those)."""
    piece = _Piece(0, len(document.text), document.text)
    return _chunk(document, (), 0, piece, document.id)


def _check(limit: int, overlap: int) -> None:
    if limit < SMALLEST_LIMIT:
        raise CorpusError(f"片段长度上限 {limit} 太小，请设为不少于 {SMALLEST_LIMIT} 个字符。")
    if overlap < 0:
        raise CorpusError(f"片段重叠 {overlap} 是负数，请设为 0 或更大的字符数。")
    if overlap >= limit:
        raise CorpusError(f"片段重叠 {overlap} 必须小于片段长度上限 {limit}，请调小重叠或调大上限。")


def _chunk(document: Document, headings: tuple[str, ...], position: int, piece: _Piece, id: str = "") -> Chunk:
    return Chunk(
        id=id or f"{document.id}#{position}",
        source_id=document.id,
        title=document.title,
        text=piece.text,
        headings=headings,
        position=position,
        start=piece.start,
        end=piece.end,
        updated=document.updated,
        department=document.department,
        kind=document.kind,
        audience=document.audience,
        standing=document.standing,
        page=bisect_right(document.pages, piece.start) or None,
        path="" if document.path == document.id else document.path,
    )


def _pieces(text: str, section: Section, limit: int, overlap: int) -> Iterator[_Piece]:
    if section.end - section.start <= limit:
        yield _Piece(section.start, section.end, text[section.start : section.end])
        return
    units = section_units(text, section, limit)
    first = previous = 0
    while first < len(units):
        start = _overlap_start(units[previous:first], units[first], limit, overlap)
        last = _last_that_fits(units, first, start, limit)
        end, lead, tail = units[last].end, units[first].lead, units[last].tail
        yield _Piece(start, end, lead + text[start:end] + tail)
        first, previous = last + 1, first


def _last_that_fits(units: Sequence[Unit], first: int, start: int, limit: int) -> int:
    """Index of the last unit that goes into a chunk beginning at `start` with the unit `first`."""
    last = first
    room = limit - len(units[first].lead)
    while last + 1 < len(units) and units[last + 1].end - start + len(units[last + 1].tail) <= room:
        last += 1
    return last


def _overlap_start(before: Sequence[Unit], unit: Unit, limit: int, overlap: int) -> int:
    """Offset at which a chunk begins so that it takes over whole trailing sentences of the chunk before it."""
    start = unit.start
    if unit.lead or not before:
        return start
    # Never the whole chunk before it: that one would say nothing of its own.
    earliest = max(unit.start - overlap, unit.end + len(unit.tail) - limit, before[0].start + 1)
    for earlier in reversed(before):
        for sentence in reversed(earlier.sentences):
            if sentence < earliest:
                return start
            start = sentence
        if not earlier.sentences:
            return start
    return start
