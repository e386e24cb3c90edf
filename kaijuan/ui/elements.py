"""HTML elements from plain text: whatever is not already an element is escaped, so no source can add markup.

>>> tag("p", "a < b", tag("b", "c"), class_="note")
'<p class="note">a &lt; b<b>c</b></p>'
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = frozenset({"br", "hr"})


class Safe(str):
    """HTML that was built here; every other string is text."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | None) -> Safe:
    """One element; attributes that are None are left out, `class_` is written class, `data_x` data-x."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Safe(f"<{name}{written}>")
    return Safe(f"<{name}{written}>{join(children)}</{name}>")


def join(parts: Iterable[str], between: str = "") -> Safe:
    """Parts one after the other, texts escaped."""
    return Safe(_text(between).join(_text(part) for part in parts))


def _text(part: str) -> str:
    return part if isinstance(part, Safe) else escape(part)
