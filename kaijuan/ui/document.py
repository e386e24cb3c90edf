"""A document as HTML with one passage marked; the first mark carries the anchor `cited`.

>>> document_html("七天内可退。十五天内可换。", (6, 13))
'<p>七天内可退。<mark class="kj-cited" id="cited">十五天内可换。</mark></p>\\n'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from kaijuan.ui.elements import Safe
from kaijuan.ui.markdown import make_parser

Span = tuple[int, int]
# Private-use characters that stand for the ends of the passage while the text around them is parsed.
_OPEN, _CLOSE = "\ue0f0", "\ue0f1"
_SENTINELS = str.maketrans("", "", _OPEN + _CLOSE)
_MARK = '<mark class="kj-cited">'


def document_html(text: str, span: Span | None) -> Safe:
    """HTML of a Markdown document; `span` are the character offsets of the passage to mark."""
    text = text.translate({ord(_OPEN): "\ufffd", ord(_CLOSE): "\ufffd"})
    html = _parser().render(text, {"span": span}).translate(_SENTINELS)
    return Safe(re.sub(r'class="kj-cited"', 'class="kj-cited" id="cited"', html, count=1))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    markdown = make_parser()
    markdown.core.ruler.before("inline", "passage_ends", _passage_ends)
    markdown.core.ruler.push("passage_marks", _passage_marks)
    return markdown


def _passage_ends(state: StateCore) -> None:
    """Put the ends of the passage into the inline texts, and mark rows and code, which have no inline text of their own."""
    span = state.env.get("span")
    if span is None:
        return
    starts = _line_starts(state.src)
    in_row = False
    for token in state.tokens:
        in_row = token.type == "tr_open" or (in_row and token.type != "tr_close")
        if token.map is None:
            continue
        first, last = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if last <= span[0] or first >= span[1]:
            continue
        if token.type == "tr_open":
            token.attrSet("class", "kj-cited")
        elif token.type in ("fence", "code_block"):
            token.meta["marked"] = _marked_lines(token, starts, span)
        elif token.type == "inline" and not in_row:
            token.content = _with_ends(token.content, state.src, first, last, span)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text)), len(text)]


def _marked_lines(token: Token, starts: Sequence[int], span: Span) -> list[bool]:
    assert token.map is not None
    first = token.map[0] + (token.type == "fence")
    count = token.content.count("\n")
    return [starts[n] < span[1] and starts[n + 1] > span[0] for n in range(first, min(first + count, len(starts) - 1))]


def _with_ends(content: str, source: str, first: int, last: int, span: Span) -> str:
    """The inline text with the ends of the passage in it; a block that begins inside the passage gets the opening first."""
    places = [_place(content, source, first, last, offset) for offset in span]
    opening = 0 if span[0] <= first else places[0]
    closing = len(content) if span[1] >= last else places[1]
    return content[:opening] + _OPEN + content[opening:closing] + _CLOSE + content[closing:]


def _place(content: str, source: str, first: int, last: int, offset: int) -> int:
    """Where an offset of the source falls in the content of its block, whose lines may have lost indents and markers."""
    at = 0
    line_start = first
    for line in content.split("\n"):
        line_end = source.find("\n", line_start, last)
        line_end = last if line_end < 0 else line_end
        shift = max(source.rfind(line, line_start, line_end), line_start)
        if offset <= line_end:
            return at + min(max(offset - shift, 0), len(line))
        at += len(line) + 1
        line_start = line_end + 1
    return len(content)


def _passage_marks(state: StateCore) -> None:
    if state.env.get("span") is None:
        return
    for token in state.tokens:
        if token.type == "inline":
            token.children = _marked(token.children or [])
        elif marked := token.meta.get("marked"):
            token.type, token.content = "html_block", _marked_code(token.content, marked)


def _marked(children: Sequence[Token]) -> list[Token]:
    """Every text between the ends in a mark of its own, so that marks never cross other markup."""
    inside = False
    marked: list[Token] = []
    for child in children:
        if child.type not in ("text", "code_inline"):
            marked.append(child)
            continue
        for part in re.split(f"([{_OPEN}{_CLOSE}])", child.content):
            if part in (_OPEN, _CLOSE):
                inside = part == _OPEN
            elif part:
                piece = child.copy(content=part)
                marked += _in_mark(piece) if inside else [piece]
    return marked


def _in_mark(piece: Token) -> list[Token]:
    return [Token("mark_open", "mark", 1, attrs={"class": "kj-cited"}), piece, Token("mark_close", "mark", -1)]


def _marked_code(content: str, marked: Sequence[bool]) -> str:
    lines = content.split("\n")
    written = [
        f"{_MARK}{escape(line)}</mark>" if number < len(marked) and marked[number] and line else escape(line)
        for number, line in enumerate(lines)
    ]
    return "<pre><code>" + "\n".join(written) + "</code></pre>\n"
