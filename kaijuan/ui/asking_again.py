"""Under the last answer: the same question once more, edited, or without what came before it.

A question asked again takes the last turn's place in the conversation; the records keep both answers.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kaijuan.errors import KaijuanError
from kaijuan.ui.conversation import Turn, edit, is_edited, last_turn, stop_editing, wait_for
from kaijuan.ui.faults import show_error
from kaijuan.ui.messages import say
from kaijuan.wiring import Services

_BLANK = "again.blank"


def show_again(services: Services, place_below: DeltaGenerator) -> None:
    """The buttons for the last turn; nothing while its question is being edited."""
    last = last_turn()
    if last is None or is_edited(last[0]):
        return
    place, turn = last
    with place_below.container(horizontal=True):
        if may_come_out_otherwise(services, turn):
            st.button(
                say("again.same"),
                key=f"again.same.{place}",
                icon=":material/refresh:",
                on_click=wait_for,
                args=(turn.question, turn.alone, place),
            )
        st.button(say("again.edit"), key=f"again.edit.{place}", icon=":material/edit:", on_click=edit, args=(place,))
        if turn.asked != turn.question:
            st.button(say("chat.ask_alone"), key=f"chat.alone.{place}", on_click=wait_for, args=(turn.question, True))


def may_come_out_otherwise(services: Services, turn: Turn) -> bool:
    """Whether the same question could be answered otherwise now: sentences quoted from the same index never are."""
    if turn.record is None or turn.record.incomplete or services.chat is not None:
        return True
    try:
        return services.version(turn.collection) != turn.record.version
    except KaijuanError:  # the engine is away, which the page says elsewhere
        return False


def show_editor(place: int, turn: Turn) -> None:
    """The question of the last turn to be edited in its place."""
    key = f"again.text.{place}"
    st.session_state.setdefault(key, turn.question)
    with st.form(f"again.form.{place}", border=False):
        st.text_area(say("again.text"), key=key, max_chars=4000)
        with st.container(horizontal=True):
            st.form_submit_button(say("again.ask"), type="primary", on_click=_ask_edited, args=(place, turn, key))
            st.form_submit_button(say("again.cancel"), on_click=stop_editing)
    if st.session_state.pop(_BLANK, False):
        show_error(say("again.blank"))


def _ask_edited(place: int, turn: Turn, key: str) -> None:
    question = str(st.session_state.get(key) or "").strip()
    if question:
        stop_editing()
        wait_for(question, turn.alone, place)
    else:
        st.session_state[_BLANK] = True
