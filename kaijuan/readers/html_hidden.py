"""What of a web page is no text of its own: code, what is not shown, and the furniture around the content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from kaijuan.readers.limits import Limits

#: Elements whose content nobody reads as text; nothing is said about them.
_NO_TEXT = frozenset(
    {"script", "style", "template", "noscript", "svg", "math", "canvas", "iframe", "object", "embed", "audio", "video"}
    | {
        "head",
        "title",
        "meta",
        "link",
        "select",
        "datalist",
        "textarea",
        "input",
        "rt",
        "rp",
        "map",
        "progress",
        "meter",
    }
)
_FURNITURE = {"nav": "导航", "header": "页眉", "footer": "页脚", "aside": "侧栏"}
_ROLES = {"navigation": "导航", "search": "导航", "banner": "页眉", "contentinfo": "页脚", "complementary": "侧栏"}
_NOT_SHOWN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_CONTENT = frozenset({"main", "article"})


@dataclass(slots=True)
class LeftOut:
    """How many visible characters of which part were left out."""

    characters: Counter[str] = field(default_factory=Counter)

    def add(self, part: str, node: LexborNode) -> None:
        """Count the text of an element that is left out."""
        if count := len(_BLANKS.sub("", visible_text(node))):
            self.characters[part] += count

    def sentence(self, name: str) -> str | None:
        """What was left out, None when nothing was."""
        if not self.characters:
            return None
        parts = "、".join(f"{part} {count} 字" for part, count in self.characters.items())
        return f"{name} 有{parts}未读入，若其中有正文，请把它移到页面的正文里。"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where in a page the reading is: how deep, inside the content proper or a table; and where to note what is left out."""

    left_out: LeftOut
    limits: Limits
    name: str
    in_content: bool = False
    in_table: bool = False
    depth: int = 0


def part_of_no_content(node: LexborNode, in_content: bool) -> str | None:
    """Name of the part when an element is to be left out, "" where nothing needs to be said, None for content.

    Inside the content proper a header or footer belongs to it, and a note at its side is kept unless it is all links.
    """
    tag = node.tag or ""
    if tag in _NO_TEXT:
        return ""
    attributes = node.attributes
    if _is_hidden(tag, attributes):
        return "隐藏内容"
    if tag in ("del", "s", "strike"):
        return "删除线文字"
    part = _ROLES.get((attributes.get("role") or "").strip().lower()) or _FURNITURE.get(tag)
    if part in ("页眉", "页脚"):
        return None if in_content else part
    if part == "侧栏" and in_content:
        return part if _is_all_links(node) else None
    return part


def is_content(node: LexborNode) -> bool:
    """Whether an element is marked as the content proper."""
    return node.tag in _CONTENT or (node.attributes.get("role") or "").strip().lower() in _CONTENT


def visible_text(node: LexborNode) -> str:
    """Text of an element without its scripts and styles."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if one.is_text_node:
            pieces.append(one.text_content or "")
        elif one is node or one.tag not in _NO_TEXT:
            child = one.last_child
            while child is not None:
                stack.append(child)
                child = child.prev
    return "".join(pieces)


def children(node: LexborNode) -> Iterator[LexborNode]:
    """Children of an element, text and comments included."""
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _is_hidden(tag: str, attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    return bool(_NOT_SHOWN.search(attributes.get("style") or ""))


def _is_all_links(node: LexborNode) -> bool:
    linked = sum(len(_BLANKS.sub("", visible_text(link))) for link in node.css("a"))
    return linked * 2 >= len(_BLANKS.sub("", visible_text(node)))
