"""Sentences: the units an answer is composed of and citations stand behind.

>>> text = "七天内可退。运费3.5元！\\n第二行"
>>> [text[a:b] for a, b in sentences(text)]
['七天内可退。', '运费3.5元！', '第二行']
"""

from __future__ import annotations

import re

# A sentence ends at a full stop, question or exclamation mark or semicolon with the closing marks behind it, or at a
# line end; an ASCII full stop ends one only before a blank and behind a word of three letters or more, so not
# after a list number or an abbreviation such as St.
_END = re.compile(
    r"(?:(?:[。！？；]|[!?;](?=[\s”’」』）)\]】\"'!?;]|[^\x00-\x7f]|\Z))+|(?:(?<=[^\W\d_]{3})|(?<=\)))\.(?=\s))[”’」』）)\]】\"']*|\n+"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of `text`, blanks at their edges left out, none empty."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        _add(text, start, match.end(), spans)
        start = match.end()
    _add(text, start, len(text), spans)
    return spans


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        start += len(piece) - len(piece.lstrip())
        spans.append((start, start + len(stripped)))
