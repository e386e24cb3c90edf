"""What belongs to a document besides its text: its file, what took its place, and who else gives its figures."""

from __future__ import annotations

import mimetypes
from pathlib import PurePosixPath

import streamlit as st

from kaijuan.errors import KaijuanError
from kaijuan.types import Chunk, Viewer
from kaijuan.ui.elements import join, tag
from kaijuan.ui.links import source_params, source_url
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.wiring import Services

PAGE = "pages/source.py"
_ASKED = "source.asked_file"


def show_heir(collection: str, chunk: Chunk) -> None:
    """A way to the document that took this one's place, where the reader may know it."""
    if chunk.standing and chunk.standing.by:
        label = say("source.heir", title=chunk.standing.by_title or chunk.standing.by)
        st.page_link(
            PAGE,
            label=escape(label),
            icon=":material/update:",
            query_params=source_params(collection, chunk.standing.by),
        )


def show_download(services: Services, collection: str, chunk: Chunk, viewer: Viewer) -> None:
    """A button that fetches the file; who may have it is decided when it is pressed, since the file is read for that."""
    name = PurePosixPath(chunk.path or chunk.source_id).name
    wanted = (collection, chunk.source_id)
    if st.session_state.get(_ASKED) != wanted:
        if st.button(say("source.download"), icon=":material/download:", key="source.fetch"):
            st.session_state[_ASKED] = wanted
            st.rerun()
        return
    try:
        data = services.original(collection, chunk, viewer)
    except KaijuanError as error:
        st.warning(escape(say("source.download_failed", sentence=str(error))))
        return
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    st.download_button(escape(name), data, name, kind, icon=":material/download:", key="source.file", on_click="ignore")


def show_same_figures(services: Services, collection: str, chunk: Chunk, viewer: Viewer) -> None:
    """Passages of other documents that give one of this passage's figures; nothing where there are none."""
    found = services.same_figures(collection, chunk, viewer)
    if not found:
        return
    with st.expander(say("source.same_figures")):
        for one in found:
            other = one.chunk
            said = say(
                "source.same_figure",
                title=other.title,
                day=other.updated or say("source.no_day"),
                figures="、".join(one.written),
            )
            link = tag("a", said, href=source_url(collection, other.source_id, other.id))
            st.html(join([tag("p", link, class_="kj-detail"), tag("blockquote", one.sentence, class_="kj-quote")]))
