"""Web pages: the content proper as Markdown, with title and date where the page says them clearly."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kaijuan.readers.converted import Converted
from kaijuan.readers.dates import parse_date
from kaijuan.readers.html_charset import page_text
from kaijuan.readers.html_flow import blocks_of
from kaijuan.readers.html_hidden import LeftOut, Setting, children, visible_text
from kaijuan.readers.limits import Limits
from kaijuan.readers.markdown import LONGEST_TITLE
from kaijuan.readers.result import ReadError

__all__ = ["page_text", "read_html"]

#: Code and remarks, which hold no tags; and tags that stay open until they are closed, as paragraphs and cells do not.
_NESTING = re.compile(
    r"<(?P<code>script|style|textarea|title)\b.*?(?:</(?P=code)|\Z)|<!--.*?(?:-->|\Z)|"
    r"<(?P<closing>/?)(?P<tag>(?!(?:a|p|li|dt|dd|t[rdh]|thead|tbody|tfoot|option|br|img|hr|input|meta|link|col|wbr|source)\b)[a-z])",
    re.IGNORECASE | re.DOTALL,
)
_DEEPEST = 3_000
#: Names of meta elements that tell when a page was last changed, the clearest first.
_MODIFIED = (
    "article:modified_time", "last-modified", "datemodified", "dcterms.modified", "og:updated_time", "revised",
    "date", "dcterms.date", "dc.date", "pubdate", "article:published_time", "datepublished",
)  # fmt: skip


def read_html(text: str, name: str, limits: Limits | None = None) -> Converted:
    """The text of a page as Markdown; navigation, headers, footers and what is hidden are left out and said.

    Raises ReadError when its tables have more cells than the limits allow, or its tags are nested too deep.
    """
    _check_depth(text, name)
    parser = LexborHTMLParser(text)
    body = parser.body
    left_out = LeftOut()
    if body is None:
        return Converted("", None, None, ())
    content = _content(body)
    setting = Setting(left_out, limits or Limits(), name, in_content=content is not body)
    blocks = blocks_of(content, setting)
    if content is not body:
        _count_around(body, content, left_out)
    said = left_out.sentence(name)
    return Converted("\n\n".join(blocks), _title(parser), _updated(parser, content), (said,) if said else ())


def _content(body: LexborNode) -> LexborNode:
    """The element marked as the content proper when there is just one and it has text, else the body."""
    for tag in ("main", "article"):
        marked = [node for node in _outermost(body, tag) if visible_text(node).strip()]
        if len(marked) == 1:
            return marked[0]
        if marked:
            return body
    return body


def _outermost(body: LexborNode, tag: str) -> list[LexborNode]:
    """Elements of a tag or role that stand in no other of them: an article inside another is a comment on it."""
    found: list[LexborNode] = []
    stack = [body]
    while stack:
        node = stack.pop()
        if node.tag == tag or (node.attributes.get("role") or "").strip().lower() == tag:
            found.append(node)
        else:
            stack += [child for child in children(node) if child.is_element_node]
    return found


def _check_depth(text: str, name: str) -> None:
    """Raise ReadError for tags nested so deep that parsing, whose time grows with the square of it, would not end."""
    depth = deepest = 0
    for match in _NESTING.finditer(text):
        if match["tag"]:
            depth = max(0, depth - 1) if match["closing"] else depth + 1
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise ReadError(
            f"{name} 的标签嵌套了 {deepest} 层，超过上限 {_DEEPEST} 层，未读入；请检查页面是否完整。", "too large"
        )


def _count_around(body: LexborNode, content: LexborNode, left_out: LeftOut) -> None:
    """Note how much text stands around the content proper; what kind of furniture it is does not matter."""
    around = len("".join(visible_text(body).split())) - len("".join(visible_text(content).split()))
    if around > 0:
        left_out.characters["正文区以外"] += around


def _title(parser: LexborHTMLParser) -> str | None:
    head = parser.css_first("head > title")
    social = parser.css_first('meta[property="og:title"]')
    first = parser.css_first("h1")
    found = (
        head.text() if head else "",
        social.attributes.get("content") if social else "",
        visible_text(first) if first else "",
    )
    titles = (" ".join((text or "").split()) for text in found)
    return next((title for title in titles if title and len(title) <= LONGEST_TITLE), None)


def _updated(parser: LexborHTMLParser, content: LexborNode) -> str | None:
    """Day of the last change: by meta elements, else by a <time> when the content has a single one."""
    said: dict[str, str] = {}
    for meta in parser.css("meta[content]"):
        attributes = meta.attributes
        key = next((attributes[k] for k in ("name", "property", "itemprop", "http-equiv") if attributes.get(k)), "")
        day = parse_date(attributes["content"] or "")
        if key and day:
            said.setdefault(key.strip().lower(), day)
    if named := next((said[key] for key in _MODIFIED if key in said), None):
        return named
    times = content.css("time[datetime]")
    marked = [time for time in times if (time.attributes.get("itemprop") or "").lower() == "datemodified"]
    days = {parse_date(time.attributes["datetime"] or "") for time in marked or times}
    return days.pop() if len(days) == 1 else None
