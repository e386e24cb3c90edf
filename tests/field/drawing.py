"""`ui.*`: what a reader sees of a text or a source, read from the HTML that the pages show; two cases work the chat page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kaijuan.answering.types import Answer, Source
from kaijuan.settings import ROOT
from kaijuan.types import Candidate, Chunk, Trace
from kaijuan.ui.answer import answer_html
from kaijuan.ui.markdown import to_html
from tests.field import browsing
from tests.field.cases import Case
from tests.field.outcome import Check, Mismatch, compare, equal, lacks
from tests.field.staging import Workshop

_ACTIVE = frozenset({"script", "img", "iframe", "object", "embed", "svg", "form", "input", "style", "link", "meta"})


@dataclass(slots=True)
class _Seen:
    """What of a piece of HTML can be seen and clicked."""

    text: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    handlers: int = 0

    @property
    def visible(self) -> str:
        return "".join(self.text)

    def outside(self) -> list[dict[str, str]]:
        """Links that lead out of the product."""
        return [{"href": href} for href in self.links if not href.startswith("/")]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen = _Seen()
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.tags.append(tag)
        self._inside.append(tag)
        for name, value in attrs:
            self.seen.handlers += name.startswith("on")
            if name == "href":
                self.seen.links.append(value or "")
        if tag in ("strong", "b"):
            self.seen.bold.append("")
        elif tag == "code":
            self.seen.code.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.seen.text.append(data)
        for names, kept in ((("strong", "b"), self.seen.bold), (("code",), self.seen.code)):
            if kept and any(name in self._inside for name in names):
                kept[-1] += data


def run(case: Case, workshop: Workshop) -> None:
    """Draw the case's text or source, or put its questions to the page."""
    if "markdown" in case.input:
        case.only_inputs("markdown")
        _compare(case, _read(str(to_html(str(case.input["markdown"])))))
    elif "source" in case.input:
        case.only_inputs("source")
        _compare(case, _read(str(answer_html(_answer(case.input["source"])))))
    elif case.kind == "ui.session":
        _session(case)
    else:
        browsing.run(case, workshop)


def _read(html: str) -> _Seen:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.seen


def _compare(case: Case, seen: _Seen) -> None:
    def visible(wanted: Any) -> None:
        if missing := [words for words in wanted if words not in seen.visible]:
            raise Mismatch("not visible", missing, seen.visible)

    opened = [parse_qs(urlsplit(href).query).get("d", [""])[0] for href in seen.links if href.startswith("/source")]
    checks: dict[str, Check] = {
        "visible": visible,
        "visible_lacks": lacks(seen.visible),
        "math": equal(sum(tag in ("math", "katex") for tag in seen.tags)),
        "strike": equal(sum(tag in ("s", "del", "strike") for tag in seen.tags)),
        "bold": equal(seen.bold),
        "code": equal(seen.code),
        "links": equal(seen.outside()),
        "active": equal(sum(tag in _ACTIVE for tag in seen.tags) + seen.handlers),
        "opens": equal(opened[0] if opened else ""),
        "raw_markdown_visible": equal("](" in seen.visible),
    }
    compare(case.exact, checks)


def _answer(source: dict[str, Any]) -> Answer:
    """An answer that cites this source; what else it says of itself is no address of ours."""
    id_ = str(source.get("path", "d1"))
    chunk = Chunk(f"{id_}#0", id_, str(source["title"]), "七天内可以退货。")
    cited = Candidate(chunk, 1, 1.0, 1, 1.0, 0.01, 0.01, 0.02, 1, final_rank=1, context_number=1)
    trace = Trace("能退吗", "能退吗", ("能退",), "shop", "v0001", candidates=(cited,), context=(cited,))
    return Answer("能退吗", "七天内可以退货[1]。", (Source(1, cited),), trace)


def _session(case: Case) -> None:
    """Ask, then work widgets: nothing is asked again and no message is added."""
    case.only_inputs("events")
    with _page() as (app, services):
        app.chat_input[0].set_value("能退吗").run()
        for _ in range(3):  # opening a source and any other widget is one more run of the script
            app.run()
        checks: dict[str, Check] = {
            "messages": equal(len(app.chat_message)),
            "llm_calls": equal(len(services.asked)),
        }
        compare(case.exact, checks)


@contextmanager
def _page() -> Iterator[tuple[Any, Any]]:
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    import kaijuan.ui.shared as shared
    from tests.ui.stand_in import StandIn

    services, before = StandIn(), shared.load_services
    shared.load_services = lambda: services  # type: ignore[assignment,return-value]
    st.cache_resource.clear()
    try:
        app = AppTest.from_file(ROOT / "app.py", default_timeout=30)
        yield app.run(), services
    finally:
        shared.load_services = before
        st.cache_resource.clear()
