"""Markdown to harmless HTML, for answers and sources: structure is kept, everything else is text.

No raw HTML, no images, no formulas, no strike-through; links only to web and mail addresses. So `$`, `~`, `<` and
`->` of a source are shown as written.

>>> to_html("标准版 $12/月，**年付** $99[1]", cite=lambda n: Link("/source?d=s1", "价目表"))
'<p>标准版 $12/月，<strong>年付</strong> $99<a href="/source?d=s1" class="kj-cite" data-tip="价目表" aria-label="[1] 价目表" target="_blank" rel="noopener noreferrer">[1]</a></p>\\n'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kaijuan.ui.elements import Safe
from kaijuan.ui.messages import say

_ALLOWED_LINK = re.compile(r"https?://|mailto:", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]*:|//", re.IGNORECASE)
_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_CITATION_BEFORE_BRACKET = re.compile(r"\[\d{1,3}\](?=\((?!https?:|mailto:))")
_CITATION = re.compile(r"\[(\d{1,3})\]")
# A bare address ends before Chinese punctuation and before a closing mark of the sentence around it.
_ADDRESS = re.compile(r"https?://[\w.\-]+(?::\d+)?(?:[/?#][A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*)?", re.ASCII)
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*`\n]*[^\s*`])\*\*(?!\*)")
_STREAMLIT = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=@^\"'/])")


@dataclass(frozen=True, slots=True)
class Link:
    """Where a citation leads, and what is shown when the pointer rests on it or the keyboard comes to it."""

    href: str
    title: str = ""
    sentence: str = ""


Cite = Callable[[int], Link | None]


def to_html(text: str, cite: Cite | None = None) -> Safe:
    """HTML of a Markdown text; with `cite`, [n] becomes its link, or a plain mark where `cite` has none."""
    return Safe(_parser().render(text, {"cite": cite}))


def to_text(text: str) -> str:
    """What a reader sees of a Markdown text, without its markup, on one line."""
    words: list[str] = []
    for token in _parser().parse(text):
        if token.type in ("fence", "code_block"):
            words.append(token.content)
        elif token.type == "inline":
            words.append("".join(_visible(child) for child in token.children or ()))
    return re.sub(r"\s+", " ", " ".join(words)).strip()


def escape(text: str) -> str:
    """Text for a label or message that Streamlit reads as Markdown: shown as written, on one line."""
    return _STREAMLIT.sub(r"\\\1", re.sub(r"\s+", " ", text))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return make_parser()


def make_parser() -> MarkdownIt:
    """A parser for what is shown; `env` may hold `cite`. Rules may be added to it."""
    markdown = (
        MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 200})
        .enable("table")
        .disable(["reference", "image"])
    )
    markdown.validateLink = lambda url: bool(_ALLOWED_LINK.match(url) or not _SCHEME.match(url))  # type: ignore[method-assign]
    markdown.inline.ruler.before("emphasis", "cjk_bold", _cjk_bold)
    markdown.inline.ruler.before("link", "image_words", _image_words)
    markdown.inline.ruler.before("link", "bare_citation", _bare_citation)
    markdown.core.ruler.push("relative_links", _relative_links)
    markdown.core.ruler.push("citations", _citations)
    markdown.core.ruler.push("addresses", _addresses)
    markdown.add_render_rule("link_open", _link_open)
    return markdown


def _cjk_bold(state: StateInline, silent: bool) -> bool:
    """Bold that begins or ends with Chinese punctuation (`**注意：**拆封`), which CommonMark leaves as asterisks."""
    match = _BOLD.match(state.src, state.pos, state.posMax)
    if match is None or state.src[max(state.pos - 1, 0) : state.pos] == "*":
        return False
    if not silent:
        end = state.posMax
        state.push("strong_open", "strong", 1).markup = "**"
        state.pos, state.posMax = match.span(1)
        state.md.inline.tokenize(state)
        state.push("strong_close", "strong", -1).markup = "**"
        state.posMax = end
    state.pos = match.end()
    return True


def _image_words(state: StateInline, silent: bool) -> bool:
    """An image would be fetched from wherever the source says; its words are shown instead."""
    match = _IMAGE.match(state.src, state.pos, state.posMax)
    return match is not None and _push_text(state, match, say("source.image", words=match[1]), silent)


def _bare_citation(state: StateInline, silent: bool) -> bool:
    """A citation before a bracket of the sentence, `[1](含税)`, is no link."""
    match = _CITATION_BEFORE_BRACKET.match(state.src, state.pos, state.posMax)
    return match is not None and _push_text(state, match, match[0], silent)


def _push_text(state: StateInline, match: re.Match[str], text: str, silent: bool) -> bool:
    if not silent:
        state.push("text", "", 0).content = text
    state.pos = match.end()
    return True


def _relative_links(state: StateCore) -> None:
    """Links to other files of a corpus lead nowhere from a page: their words stay."""
    for inline in state.tokens:
        relative = False
        for child in inline.children or ():
            if child.type == "link_open":
                relative = not _ALLOWED_LINK.match(str(child.attrs.get("href", "")))
            if relative and child.type in ("link_open", "link_close"):
                child.type, child.tag, child.attrs = child.type.replace("link", "words"), "span", {}


def _citations(state: StateCore) -> None:
    if (cite := state.env.get("cite")) is not None:
        _split_texts(state.tokens, lambda text: _parts(text, _CITATION, lambda match: _cited(match, cite)))


def _addresses(state: StateCore) -> None:
    _split_texts(state.tokens, lambda text: _parts(text, _ADDRESS, _address))


def _split_texts(tokens: Iterable[Token], split: Callable[[str], list[Token] | None]) -> None:
    """Replace texts outside links by the tokens that `split` makes of them (None: stays)."""
    for inline in tokens:
        if inline.type != "inline":
            continue
        children: list[Token] = []
        depth = 0
        for child in inline.children or ():
            depth += (child.type == "link_open") - (child.type == "link_close")
            parts = split(child.content) if child.type == "text" and depth == 0 else None
            children += [child] if parts is None else parts
        inline.children = children


def _text_token(text: str) -> Token:
    return Token("text", "", 0, content=text)


def _parts(text: str, pattern: re.Pattern[str], made: Callable[[re.Match[str]], list[Token]]) -> list[Token] | None:
    tokens: list[Token] = []
    at = 0
    for match in pattern.finditer(text):
        new = made(match)
        shown = sum(len(token.content) for token in new)
        tokens += [_text_token(text[at : match.start()]), *new]
        at = match.start() + shown
    return [*tokens, _text_token(text[at:])] if tokens else None


def _cited(match: re.Match[str], cite: Cite) -> list[Token]:
    link = cite(int(match[1]))
    if link is None:
        return [
            Token("mark_open", "span", 1, attrs={"class": "kj-cite"}),
            _text_token(match[0]),
            Token("mark_close", "span", -1),
        ]
    # Not a title: that is shown to pointers only. The style sheet shows data-tip, and a screen reader reads the label.
    shown = "\n".join(part for part in (link.title, link.sentence) if part)
    attributes: dict[str, str | int | float] = {"href": link.href, "class": "kj-cite"}
    if shown:
        attributes |= {"data-tip": shown, "aria-label": f"{match[0]} {shown}"}
    return [Token("link_open", "a", 1, attrs=attributes), _text_token(match[0]), Token("link_close", "a", -1)]


def _address(match: re.Match[str]) -> list[Token]:
    address = match[0].rstrip(".,;:!?'\"")
    while address.endswith((")", "]")) and address.count(address[-1]) > address.count(
        "(" if address[-1] == ")" else "["
    ):
        address = address[:-1].rstrip(".,;:!?'\"")
    return [Token("link_open", "a", 1, attrs={"href": address}), _text_token(address), Token("link_close", "a", -1)]


def _link_open(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    token.attrs.update({"target": "_blank", "rel": "noopener noreferrer"})
    return self.renderToken(tokens, index, options, env)


def _visible(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content
