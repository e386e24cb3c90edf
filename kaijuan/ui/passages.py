"""A document put together again from its chunks, and the place of one passage in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kaijuan.types import Chunk

_FENCE_END = re.compile(r"\n[ \t>]*(?:`{3,}|~{3,})\Z")
_ROW_END = " |"


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of a document with its neighbours; `number` counts from 1 in reading order."""

    chunk: Chunk
    number: int
    previous: Chunk | None
    following: Chunk | None


def document_text(chunks: Sequence[Chunk]) -> str:
    """The document's text by offsets, each overlap once; what no chunk holds (blanks) is shown as line ends."""
    text = ""
    for chunk in sorted(chunks, key=lambda c: (c.start, c.end)):
        if chunk.start > len(text):
            text += "\n" * (chunk.start - len(text))
        text += own_text(chunk)[len(text) - chunk.start :]
    return text


def own_text(chunk: Chunk) -> str:
    """The characters of the document that a chunk covers, without what was repeated at its head or closed at its end."""
    added = len(chunk.text) - (chunk.end - chunk.start)
    if added <= 0:
        return chunk.text
    for tail in _tails(chunk.text, added):
        lead = chunk.text[: added - tail]
        if lead == "" or lead.endswith(("\n", " ")):
            return chunk.text[added - tail : len(chunk.text) - tail]
    return chunk.text[added:]


def _tails(text: str, added: int) -> list[int]:
    """Lengths of what may have been put behind a chunk, likeliest first: all that was added, a part of it, nothing."""
    fence = _FENCE_END.search(text)
    tails = [len(fence[0])] if fence else []
    tails += [len(_ROW_END)] if text.endswith(_ROW_END) else []
    reopened = text.lstrip(" \t>").startswith(("```", "~~~"))
    whole = [tail for tail in tails if tail == added]
    part = [tail for tail in tails if tail < added]
    return [*whole, *part, 0] if reopened else [*whole, 0, *part]


def find_passage(chunks: Sequence[Chunk], chunk_id: str) -> Passage | None:
    """The passage of this id with its neighbours, None where the document has none of this id."""
    ordered = sorted(chunks, key=lambda c: c.position)
    for at, chunk in enumerate(ordered):
        if chunk.id == chunk_id:
            before = ordered[at - 1] if at else None
            after = ordered[at + 1] if at + 1 < len(ordered) else None
            return Passage(chunk, at + 1, before, after)
    return None
