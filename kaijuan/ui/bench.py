"""The bench: one question through keyword leg, vector leg, fusion, reranking and context, under settings of this page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.errors import KaijuanError
from kaijuan.evaluation.add_question import add_question
from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Trace, Viewer
from kaijuan.ui.access import may_administer
from kaijuan.ui.bench_columns import columns_html
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import show_error
from kaijuan.ui.ledger import stages_line
from kaijuan.ui.messages import say
from kaijuan.ui.synonyms_tables import synonyms_line
from kaijuan.wiring import Services

_SEEN = "bench.seen"
#: Traces kept in a session, so that moving one slider does not search again for what is shown already.
_KEPT = 8


def show_bench(services: Services, collection: Collection, viewer: Viewer) -> None:
    """The whole page below the choice of the collection."""
    st.html(tag("p", say("bench.lead"), class_="kj-detail"))
    question = st.text_input(say("bench.question"), value=st.query_params.get("q", ""), key="bench.question")
    compare = st.toggle(say("bench.compare"), key="bench.compare")
    names = ("A", "B") if compare else ("A",)
    chosen: list[Options] = []
    for column, name in zip(st.columns(len(names)), names, strict=True):
        with column:
            chosen.append(_settings(services.options(collection), name, labelled=compare))
    if not question.strip():
        return
    traces = []
    for options in chosen:
        try:
            traces.append((options, _trace(services, question, collection, viewer, options)))
        except KaijuanError as error:
            show_error(str(error))
            return
    for name, (options, trace) in zip(names, traces, strict=True):
        if compare:
            st.html(tag("div", say("bench.setting", name=name), class_="kj-label"))
        st.html(tag("p", f"{say('bench.stages')}: {stages_line(trace)}", class_="kj-detail"))
        if trace.synonyms:
            st.html(tag("p", f"{say('ledger.synonyms')}: {synonyms_line(trace.synonyms)}", class_="kj-detail"))
        st.html(columns_html(trace, options))
        _wire(services, trace, options, viewer, name)
    if may_administer():
        _add(collection, question, traces[0][1])


def _settings(base: Options, name: str, labelled: bool) -> Options:
    """The options that the sliders say; those of the product until one is moved."""
    if labelled:
        st.html(tag("div", say("bench.setting", name=name), class_="kj-label"))
    first, second, third, fourth = st.columns(4)
    key = f"bench.{name}"
    k1 = first.slider(say("bench.k1"), 0.0, 5.0, 1.2, 0.1, key=f"{key}.k1")
    b = second.slider(say("bench.b"), 0.0, 1.0, 0.75, 0.05, key=f"{key}.b")
    rrf_k = third.slider(say("bench.rrf_k"), 1, 200, base.rrf_k, key=f"{key}.rrf_k")
    chunks = fourth.slider(say("bench.context_chunks"), 1, 20, base.context_chunks, key=f"{key}.context_chunks")
    with st.container(horizontal=True):
        keyword = st.checkbox(say("bench.keyword_leg"), value=True, key=f"{key}.keyword_leg")
        vector = st.checkbox(say("bench.vector_leg"), value=True, key=f"{key}.vector_leg")
        rerank = st.checkbox(say("bench.rerank"), value=True, key=f"{key}.rerank")
    return replace(
        base,
        k1=None if k1 == 1.2 else k1,
        b=None if b == 0.75 else b,
        rrf_k=rrf_k,
        context_chunks=chunks,
        keyword_leg=keyword,
        vector_leg=vector,
        rerank=rerank,
    )


def _trace(services: Services, question: str, collection: Collection, viewer: Viewer, options: Options) -> Trace:
    """The trace; one that this session has seen under the same settings and index is shown again."""
    seen: dict[tuple[object, ...], Trace] = st.session_state.setdefault(_SEEN, {})
    version = services.engine.meta(collection.name).created
    key = (question, collection.name, viewer, options, version)
    if key not in seen:
        seen[key] = services.trace(question, collection, viewer, options)
        for old in list(seen)[:-_KEPT]:
            del seen[old]
    return seen[key]


def _wire(services: Services, trace: Trace, options: Options, viewer: Viewer, name: str) -> None:
    """What is sent: to the engine, and to a model when it words the answer."""
    with st.expander(say("bench.request")):
        st.code(services.request_text(trace, options, viewer), language="json", wrap_lines=True)
    with st.expander(say("bench.prompt")):
        for message in services.prompt(trace).messages:
            st.code(f"[{message.role}]\n{message.content}", language=None, wrap_lines=True)
    del name


def _add(collection: Collection, question: str, trace: Trace) -> None:
    """A labelled question out of what is shown, for everybody: the gate of a reindex asks it too."""
    with st.expander(say("bench.add")):
        labels = dict(_labels(trace))
        gold: Sequence[str] = st.multiselect(
            say("bench.add_gold"), list(labels), format_func=labels.__getitem__, key="bench.gold"
        )
        if not st.button(say("bench.add_save"), key="bench.save"):
            return
        if not gold:
            show_error(say("bench.add_none"))
            return
        try:
            added = add_question(collection, question, gold)
        except KaijuanError as error:
            show_error(str(error))
        else:
            st.success(say("bench.added", id=added.id, count=len(added.gold)))


def _labels(trace: Trace) -> Iterator[tuple[str, str]]:
    for candidate in sorted(trace.candidates, key=lambda c: c.final_rank):
        chunk = candidate.chunk
        yield chunk.id, f"{candidate.final_rank}. {chunk.title} · {chunk.id}"
