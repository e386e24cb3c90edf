"""Drawing the chat page: the collection, the welcome, the turns so far, and an answer as it streams."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kaijuan.answering.types import Answer, Event, Finished, Piece, Retrieved
from kaijuan.collection import Collection
from kaijuan.records.store import Records
from kaijuan.types import Viewer
from kaijuan.ui.answer import answer_html, text_html
from kaijuan.ui.conversation import (
    Turn,
    conversation_id,
    earlier_questions,
    note_record,
    open_turn,
    settle,
    take_waiting,
    wait_for,
)
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.faults import guarded, sentence_for, show_error
from kaijuan.ui.ledger import ledger_html, stages_line
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.thumbs import show_toolbar
from kaijuan.wiring import Services

_CHOICE, _LINKED = "chat.collection", "chat.linked_question"
# Text that comes faster than this is drawn together: the browser needs as long for one character as for a paragraph.
_REDRAW_SECONDS = 0.05
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


def new_question(collection: Collection) -> tuple[str, bool] | None:
    """The question to ask in this run and whether it is asked alone: typed, clicked, or from the address (`q`), once."""
    typed = st.chat_input(say("chat.placeholder", title=collection.title))
    clicked = take_waiting()
    linked = st.query_params.get("q")
    if typed or clicked:
        st.query_params.pop("q", None)
        return (typed, False) if typed else clicked
    if not linked or st.query_params.get("c", collection.name) != collection.name:
        return None
    seen = (collection.name, linked)
    if st.session_state.get(_LINKED) == seen:
        return None
    st.session_state[_LINKED] = seen
    return linked, False


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


def show_turns(shown: Sequence[Turn], records: Records | None) -> None:
    """Turns that are over."""
    for turn in shown:
        _show_question(turn.question)
        message = st.chat_message("assistant", avatar=_ASSISTANT)
        with message:
            _show_outcome(message, turn)
            show_toolbar(records, turn)


def ask(services: Services, question: str, alone: bool, collection: Collection, viewer: Viewer) -> None:
    """Ask and show the answer as it comes; what is shown is kept also when the run is broken off.

    A question that leans on the one before is completed from it, unless it is asked `alone`.
    """
    earlier = [] if alone else earlier_questions(collection.name)
    place = open_turn(question, collection.name, alone)
    _show_question(question)
    with st.chat_message("assistant", avatar=_ASSISTANT):
        slot = st.empty()
        stream = _Stream(place, slot)
        try:
            stream.follow(services, question, collection.name, viewer, earlier)
        except Exception as error:  # no traceback may reach the page
            stream.fail(sentence_for(error))
        finally:
            # A second question ends this run with an exception of Streamlit's own, which passes through here.
            turn = stream.settle()
        _show_outcome(slot, turn)
        if turn.answer is not None:
            # After it is drawn: a locked file may be waited for.
            turn = _keep(services, place, turn.answer, viewer)
            show_toolbar(services.records, turn)
    if turn.answer is not None and turn.answer.completed:
        st.button(say("chat.ask_alone"), key=f"chat.alone.{place}", on_click=wait_for, args=(question, True))


def _keep(services: Services, place: int, answer: Answer, viewer: Viewer) -> Turn:
    """Record the answer of a turn and say what could not be kept."""
    record, notice = services.keep(answer, viewer, conversation_id())
    if notice is not None:
        st.warning(escape(notice.text))
    kept = notice is None and services.records is not None and services.records.days > 0
    return note_record(place, record, kept)


class _Stream:
    """An answer on its way: one line of progress, the text so far, and in the end the turn."""

    def __init__(self, place: int, slot: DeltaGenerator) -> None:
        self._place = place
        self._slot = slot
        self._answer: Answer | None = None
        self._drawn: Safe | None = None
        self._error: str | None = None
        self._progress = say("chat.searching")
        self._said = ""
        self._shown_at = 0.0

    def follow(
        self, services: Services, question: str, collection: str, viewer: Viewer, earlier: Sequence[str]
    ) -> None:
        """Show events as they come."""
        self._show()
        for event in services.ask(question, collection, viewer, earlier):
            self._take(event)

    def fail(self, sentence: str) -> None:
        """End with an error's sentence."""
        self._error = sentence

    def settle(self) -> Turn:
        """Write the turn down as far as it came."""
        return settle(self._place, self._answer, self._drawn, self._error, "" if self._drawn else self._said)

    def _take(self, event: Event) -> None:
        if isinstance(event, Finished):
            self._drawn = join([answer_html(event.answer), ledger_html(event.answer)])
            self._answer = event.answer
            return
        if isinstance(event, Retrieved):
            self._progress = say("chat.stages", stages=stages_line(event.trace))
        elif isinstance(event, Piece):
            first = not self._said
            self._said += event.text
            if not first and time.monotonic() - self._shown_at < _REDRAW_SECONDS:
                return
        self._show()

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        progress = tag("div", self._progress, class_="kj-progress", role="status")
        self._slot.html(join([progress, text_html(self._said)]) if self._said else progress)


def _show_question(question: str) -> None:
    with st.chat_message("user", avatar=_USER):
        st.html(tag("div", question, class_="kj-question"))


def _show_outcome(slot: DeltaGenerator, turn: Turn) -> None:
    """What was said as the first element of the message, for a fresh turn and for one of the history.

    Were they different, the elements left over would stay on the page until the next answer is done.
    """
    if turn.drawn is not None:
        slot.html(turn.drawn)
    elif turn.error is None:
        note = tag("p", say("chat.broken_off"), class_="kj-note kj-notice")
        slot.html(join([text_html(turn.partial), note]))
    else:
        slot.html(text_html(turn.partial))
        show_error(turn.error)
