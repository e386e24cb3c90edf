"""The diagnosis page: a question asked before or typed, the passage that should have answered, and where it was lost."""

from __future__ import annotations

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.diagnosis.diagnose import Examining, diagnose
from kaijuan.diagnosis.types import Diagnosis
from kaijuan.errors import KaijuanError
from kaijuan.records.read import answer, answers
from kaijuan.records.types import AnswerRecord, Filter
from kaijuan.types import Chunk, Viewer
from kaijuan.ui.access import may_administer
from kaijuan.ui.diagnose_strip import diagnosis_html, every_stage_html
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded, show_error
from kaijuan.ui.login import login_is_on
from kaijuan.ui.messages import say
from kaijuan.wiring import Services

_FOUND = "diagnose.found"
#: Answers to choose from, and documents up to which their titles are shown beside their ids.
_ANSWERS, _TITLED = 50, 2000
_SNIPPET = 40


def show_diagnose(services: Services, collection: Collection, viewer: Viewer) -> None:
    """The whole page below the choice of the collection; `q` and `w` in the address are question and passage."""
    st.html(tag("p", say("diagnose.lead"), class_="kj-detail"))
    left, right = st.columns(2)
    with left:
        question, recorded = _question(services, collection, viewer)
    with right:
        wanted = _wanted(services, collection, viewer)
    key = (collection.name, question, wanted, recorded.id if recorded else "")
    linked = bool(st.query_params.get("w")) and _FOUND not in st.session_state
    if st.button(say("diagnose.run"), type="primary", key="diagnose.run") or linked:
        if not question.strip() or not wanted.strip():
            show_error(say("diagnose.incomplete"))
            return
        with guarded(), st.spinner(say("diagnose.working")):
            st.session_state[_FOUND] = (key, _diagnose(services, collection, viewer, question, wanted, recorded))
    # What was found for another choice is no answer to this one.
    stored = st.session_state.get(_FOUND)
    if stored and stored[0] == key:
        _show(stored[1])


def _diagnose(
    services: Services,
    collection: Collection,
    viewer: Viewer,
    question: str,
    wanted: str,
    recorded: AnswerRecord | None,
) -> Diagnosis:
    """The page shows only what its viewer may read."""
    answering = services.answering(services.options(collection))
    examining = Examining(answering, viewer, services.ingesting().read_cache)
    return diagnose(question, wanted, collection, examining, viewer, recorded)


def _show(found: Diagnosis) -> None:
    st.html(diagnosis_html(found))
    if found.command:
        st.code(found.command, language=None, wrap_lines=True)
    with st.expander(say("diagnose.all")):
        st.html(every_stage_html(found))


def _question(services: Services, collection: Collection, viewer: Viewer) -> tuple[str, AnswerRecord | None]:
    """The question, and the answer on record that it comes from."""
    ways = {"typed": say("diagnose.typed"), "recorded": say("diagnose.recorded")}
    way = st.radio(say("diagnose.from"), list(ways), format_func=ways.__getitem__, key="diagnose.from")
    if way == "typed":
        linked = st.query_params.get("q", "")
        return st.text_area(say("diagnose.question"), value=linked, key="diagnose.question", height=100), None
    recorded = _recorded(services, collection, viewer)
    return (recorded.asked if recorded else ""), recorded


def _recorded(services: Services, collection: Collection, viewer: Viewer) -> AnswerRecord | None:
    """An answer on record, whole; a viewer's own unless he may see all: with a login, administrators may."""
    down = st.checkbox(say("diagnose.only_down"), key="diagnose.down")
    if services.records is None:
        return None
    anybodys = may_administer() if login_is_on() else viewer.sees_all
    meant = Filter(collection=collection.name, thumb="down" if down else None, viewer=None if anybodys else viewer.name)
    try:
        found = {record.id: record for record in answers(services.records, meant, limit=_ANSWERS).items}
        if not found:
            st.html(tag("p", say("diagnose.no_answers"), class_="kj-detail"))
            return None
        labels = {id_: f"{r.at:%m-%d %H:%M} {r.asked}" for id_, r in found.items()}
        chosen = st.selectbox(
            say("diagnose.answer"), list(found), format_func=lambda i: labels.get(i, i), key="diagnose.answer"
        )
        return answer(services.records, chosen) if chosen else None
    except KaijuanError as error:
        show_error(str(error))
        return None


def _wanted(services: Services, collection: Collection, viewer: Viewer) -> str:
    """A chunk's or a document's id, or a text."""
    linked = st.query_params.get("w", "")
    ways = {"pasted": say("diagnose.pasted"), "picked": say("diagnose.picked")}
    way = st.radio(say("diagnose.wanted_from"), list(ways), format_func=ways.__getitem__, key="diagnose.wanted_from")
    if way == "pasted":
        return st.text_area(say("diagnose.text"), value=linked, key="diagnose.text", height=100)
    try:
        titles = _titles(services, collection, viewer)
        source = st.selectbox(
            say("diagnose.document"), list(titles), format_func=lambda i: titles.get(i, i), key="diagnose.document"
        )
        return _picked(services.document(collection.name, source, viewer)) if source else ""
    except KaijuanError as error:
        show_error(str(error))
        return ""


def _titles(services: Services, collection: Collection, viewer: Viewer) -> dict[str, str]:
    """What each document is called in the list."""
    ids = services.engine.source_ids(collection.name, viewer)
    firsts = services.engine.fetch(collection.name, [f"{id_}#0" for id_ in ids[:_TITLED]], viewer)
    known = {first.source_id: f"{first.title} · {first.source_id}" for first in firsts}
    return {id_: known.get(id_, id_) for id_ in ids}


def _picked(chunks: list[Chunk]) -> str:
    """The chosen chunk's id, or the document's own."""
    source = chunks[0].source_id
    labels = {source: say("diagnose.whole"), **{chunk.id: _label(chunk) for chunk in chunks}}
    chosen = st.selectbox(
        say("diagnose.chunk"), list(labels), format_func=lambda i: labels.get(i, i), key=f"diagnose.chunk.{source}"
    )
    return chosen or source


def _label(chunk: Chunk) -> str:
    text = " ".join(chunk.text.split())
    return f"{chunk.id} · {text[:_SNIPPET]}{'…' if len(text) > _SNIPPET else ''}"
