"""Drawing the source page: a document with the cited passage marked, all from the page's address."""

from __future__ import annotations

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.errors import ViewError
from kaijuan.types import Chunk, Viewer
from kaijuan.ui.answer import page_of, standing_now
from kaijuan.ui.document import document_html
from kaijuan.ui.elements import Safe, tag
from kaijuan.ui.links import source_params, source_url
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.passages import Passage, document_text, find_passage
from kaijuan.ui.related import show_download, show_heir, show_same_figures
from kaijuan.wiring import Services

PAGE, CHAT = "pages/source.py", "pages/chat.py"
# Our own words, no text of a source: brings the marked passage into view once it is drawn. The number makes it another
# script for another passage; the same one would not run again.
_SCROLL = """<script>/* {number} */
requestAnimationFrame(() => document.getElementById("cited")?.scrollIntoView({{block: "center"}}));
</script>"""


def show_source(services: Services, viewer: Viewer) -> None:
    """The document of the address; raises ViewError, CollectionNotFound or IndexMissing for an address that shows nothing."""
    params = st.query_params
    name, source_id, chunk_id = (params.get(key, "").strip() for key in ("c", "d", "k"))
    if not (name or source_id or chunk_id):
        st.info(say("source.nothing_chosen"))
        return
    if not name:
        raise ViewError(say("source.no_collection"))
    collection = services.collection(name)
    if not source_id:
        raise ViewError(say("source.no_document"))
    chunks = services.document(name, source_id, viewer)
    passage = find_passage(chunks, chunk_id) if chunk_id else None
    # A link to a neighbour on this very page leaves the address bar behind.
    st.query_params.from_dict(source_params(name, source_id, chunk_id or None))
    st.html(_head(collection, chunks[0]))
    show_heir(name, chunks[0])
    if chunk_id and passage is None:
        st.warning(escape(say("source.no_passage", chunk=chunk_id[:60])))
    if passage is not None:
        _show_place(collection, passage, len(chunks))
    span = (passage.chunk.start, passage.chunk.end) if passage else None
    st.html(tag("article", document_html(document_text(chunks), span), class_="kj-document"))
    st.html(_permalink(collection, chunks[0], passage))
    show_download(services, name, chunks[0], viewer)
    if passage is not None:
        show_same_figures(services, name, passage.chunk, viewer)
        st.html(_SCROLL.format(number=passage.number), unsafe_allow_javascript=True)


def link_to_chat(collection_name: str | None) -> None:
    """The way back to the chat, with the collection where it is known."""
    params = {"c": collection_name} if collection_name else None
    st.page_link(CHAT, label=say("source.to_chat"), icon=":material/arrow_back:", query_params=params)


def _head(collection: Collection, chunk: Chunk) -> Safe:
    unknown = say("source.unknown")
    facts = {
        "updated": chunk.updated or unknown,
        "department": chunk.department or unknown,
        "kind": chunk.kind or unknown,
        "id": chunk.source_id,
        "collection": collection.title,
    }
    if held := standing_now(chunk):
        facts = {"standing": held, **facts}
    shown = (tag("span", tag("i", say(f"source.label_{key}")), value) for key, value in facts.items())
    return tag("header", tag("h1", chunk.title), tag("div", *shown, class_="kj-chips"), class_="kj-head")


def _show_place(collection: Collection, passage: Passage, total: int) -> None:
    path = " › ".join(passage.chunk.headings)
    place = say("source.passage", number=passage.number, total=total)
    if page := page_of(passage.chunk):
        place = f"{place} · {page}"
    st.html(tag("p", f"{place}{'：' + path if path else ''}。{say('source.cited')}", class_="kj-detail"))
    with st.container(horizontal=True):
        for neighbour, key in ((passage.previous, "previous"), (passage.following, "next")):
            if neighbour is not None:
                params = source_params(collection.name, neighbour.source_id, neighbour.id)
                icon = ":material/arrow_upward:" if key == "previous" else ":material/arrow_downward:"
                st.page_link(PAGE, label=say(f"source.{key}"), icon=icon, query_params=params)


def _permalink(collection: Collection, chunk: Chunk, passage: Passage | None) -> Safe:
    href = source_url(collection.name, chunk.source_id, passage.chunk.id if passage else None)
    label = say("source.permalink" if passage else "source.permalink_document")
    return tag("p", tag("a", label, href=href), " ", tag("code", href), class_="kj-permalink")
