"""Drawing the chat page: the collection, the welcome, the turns so far, and an answer as it streams."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kaijuan.collection import Collection
from kaijuan.types import Notice, Viewer
from kaijuan.ui.answer import text_html
from kaijuan.ui.asking_again import show_again, show_editor
from kaijuan.ui.conversation import (
    Asking,
    Turn,
    begin,
    earlier_questions,
    finish,
    is_edited,
    open_turn,
    take_waiting,
    turns_by_place,
    wait_for,
)
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded, sentence_for, show_error
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.stream import Stream
from kaijuan.ui.thumbs import show_toolbar
from kaijuan.wiring import Services

_CHOICE, _LINKED = "chat.collection", "chat.linked_question"
_USER, _ASSISTANT = ":material/person:", ":material/menu_book:"


def choose_collection(services: Services) -> Collection:
    """The collection to ask, from the sidebar or the address (`c`); stops the page when there is none."""
    collections: Sequence[Collection] = ()
    with guarded():
        collections = services.collections()
        if not collections:
            show_error(say("collection.none"))
    if not collections:
        st.stop()
    by_name = {collection.name: collection for collection in collections}
    wanted = st.query_params.get("c") or st.session_state.get(_CHOICE)
    # Set before the widget: the address decides, and callbacks keep it up to date.
    st.session_state[_CHOICE] = wanted if wanted in by_name else collections[0].name
    with st.sidebar:
        st.selectbox(
            say("collection.choose"),
            list(by_name),
            format_func=lambda name: by_name[name].title,
            key=_CHOICE,
            on_change=_write_choice,
        )
        chosen = by_name[st.session_state[_CHOICE]]
        st.html(tag("p", chosen.description, class_="kj-description"))
        with guarded():
            for notice in services.status(chosen.name):
                st.warning(escape(notice.text))
    if wanted and wanted not in by_name:
        with guarded():
            services.collection(wanted)
    return chosen


def _write_choice() -> None:
    st.query_params["c"] = st.session_state[_CHOICE]
    st.query_params.pop("q", None)


def new_question(collection: Collection) -> Asking | None:
    """The question to ask in this run: typed, clicked, or from the address (`q`), once."""
    typed = st.chat_input(say("chat.placeholder", title=collection.title))
    clicked = take_waiting()
    linked = st.query_params.get("q")
    if typed or clicked:
        st.query_params.pop("q", None)
        return Asking(typed) if typed else clicked
    if not linked or st.query_params.get("c", collection.name) != collection.name:
        return None
    seen = (collection.name, linked)
    if st.session_state.get(_LINKED) == seen:
        return None
    st.session_state[_LINKED] = seen
    return Asking(linked)


def show_welcome(collection: Collection) -> None:
    """The empty page: what the collection holds and questions to begin with."""
    st.html(
        tag(
            "div",
            tag("h1", collection.title),
            tag("p", collection.description),
            tag("p", say("tagline"), class_="kj-detail"),
            class_="kj-welcome",
        )
    )
    if collection.examples:
        st.html(tag("div", say("collection.examples"), class_="kj-label"))
    with st.container(horizontal=True):
        for number, example in enumerate(collection.examples):
            st.button(escape(example), key=f"chat.example.{number}", on_click=wait_for, args=(example,))


def show_turns(services: Services, asking: Asking | None) -> None:
    """Turns that are over, without the one that the question to be asked replaces; buttons under the last of them."""
    shown = turns_by_place()
    if asking is not None and asking.replaces is not None:
        shown = [(place, turn) for place, turn in shown if place != asking.replaces]
    for place, turn in shown:
        with st.chat_message("user", avatar=_USER):
            if asking is None and is_edited(place):
                show_editor(place, turn)
            else:
                st.html(tag("div", turn.question, class_="kj-question"))
        message = st.chat_message("assistant", avatar=_ASSISTANT)
        _show_outcome(message, turn)
        with message, st.empty().container():
            _show_under(services, turn)
    if asking is None:
        show_again(services, st.empty())


def ask(services: Services, asking: Asking, collection: Collection, viewer: Viewer) -> None:
    """Ask and show the answer as it comes; what has come is shown and kept also when the run is broken off.

    A question that leans on the one before is completed from it, unless it is asked `alone`.
    """
    opened = open_turn(asking, collection.name)
    earlier = [] if asking.alone else earlier_questions(opened.turn.collection, opened.place)
    with st.chat_message("user", avatar=_USER):
        st.html(tag("div", asking.question, class_="kj-question"))
    with st.chat_message("assistant", avatar=_ASSISTANT):
        slot, tools = st.empty(), st.empty()
    below = st.empty()
    stream = Stream(services, viewer, opened, slot)
    begin(stream)
    try:
        # A press ends this run, as that of any other button does, and the next run shows what came.
        below.button(say("chat.stop"), key=f"chat.stop.{opened.place}", icon=":material/stop_circle:")
        try:
            stream.follow(earlier)
        except Exception as error:  # no traceback may reach the page
            stream.fail(sentence_for(error))
        _show_outcome(slot, stream.done())
    finally:
        # A run that is ended passes through here with an exception of Streamlit's own, and so does a page that is closed.
        # After it is drawn: a locked file may be waited for.
        turn = stream.settle()
    finish()
    with tools.container():
        _show_under(services, turn, stream.notice)
    show_again(services, below)


def _show_outcome(slot: DeltaGenerator, turn: Turn) -> None:
    """What was said as the first element of the message, for a fresh turn and for one of the history.

    Were they different, the elements left over would stay on the page until the next answer is done.
    """
    if turn.drawn is not None:
        slot.html(turn.drawn)
    elif turn.error is None:
        slot.html(tag("p", say("chat.stopped"), class_="kj-note kj-notice"))
    else:
        slot.html(text_html(turn.partial))


def _show_under(services: Services, turn: Turn, notice: Notice | None = None) -> None:
    """What stands below an outcome: an error, what could not be kept, and what can be done with the answer."""
    if turn.error is not None:
        show_error(turn.error)
    if notice is not None:
        st.warning(escape(notice.text))
    show_toolbar(services.records, turn)
