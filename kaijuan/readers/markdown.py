"""Markdown files: front matter, then text whose first heading is the title where the front matter names none."""

from __future__ import annotations

from kaijuan.readers.document import document_of
from kaijuan.readers.front_matter import FrontMatter
from kaijuan.text.markdown import events, heading_level, heading_text
from kaijuan.types import Document

#: A heading longer than this is a paragraph that happens to be underlined.
LONGEST_TITLE = 200


def markdown_document(text: str, matter: FrontMatter, path: str) -> Document:
    """Document of a Markdown text; `path` is relative to the folder and is the id unless the front matter has one."""
    return document_of(text, matter, path, first_heading(text))


#: A heading further down, in characters, is no title of the document.
TITLE_WITHIN = 8_000
#: Characters that are looked at first, since most files begin with their title.
_AT_FIRST = 400


def first_heading(text: str) -> str | None:
    """Text of the first heading, inline markup left out; None without one. Lines in fences are no headings.

    >>> first_heading("```\\n# 注释\\n```\\n\\n# **退货** 指引")
    '退货 指引'
    """
    # Blocks are told from the top down: a heading among whole lines stays one, whatever comes below.
    start = text[: text.rfind("\n", 0, _AT_FIRST) + 1] if len(text) > _AT_FIRST else ""
    return _heading_in(start) or _heading_in(text[:TITLE_WITHIN])


def _heading_in(text: str) -> str | None:
    parsed = events(text)
    depth = 0
    for event in parsed:
        if depth == 0 and heading_level(event):
            title = heading_text(parsed)
            if title and "\n" not in title and len(title) <= LONGEST_TITLE:
                return title
        elif isinstance(event, dict):
            depth += ("Start" in event) - ("End" in event)
    return None
