"""转人工: hand a question over to a person, with all that is known of it, also before anything was asked."""

from __future__ import annotations

import streamlit as st

from kaijuan.errors import SettingsError
from kaijuan.records.record import ticket_about, ticket_of
from kaijuan.records.store import Records
from kaijuan.records.tickets import hand_over
from kaijuan.records.types import Said, Ticket
from kaijuan.types import Viewer
from kaijuan.ui.conversation import conversation_id, last_turn, turns
from kaijuan.ui.deliveries import show_state, state_of_new, tell_of_new
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded, sentence_for, show_error
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.shared import choose_language

_HANDED, _ERROR, _NOTICE = "handover.tickets", "handover.error", "handover.notice"


@st.fragment
def show_handover(records: Records | None, collection: str, viewer: Viewer) -> None:
    """The form for the last question, or for one that was not asked here; then the ticket's number.

    A fragment: nothing that is done in it breaks off an answer.
    """
    if records is None:
        return
    choose_language()  # a run of the fragment alone has no page before it
    last = last_turn()
    about = f"{conversation_id()}.{last[0] if last else ''}"
    if ticket := _handed().get(about):
        st.success(escape(say("handover.done", ticket=ticket)))
        if notice := st.session_state.get(_NOTICE):
            st.warning(escape(notice))
        with guarded():
            show_state(records, ticket)
        return
    with st.popover(say("handover.label"), icon=":material/support_agent:", key=f"handover.{about}"):
        _form(records, collection, viewer, about)


def _form(records: Records, collection: str, viewer: Viewer, about: str) -> None:
    with st.form(f"handover.form.{about}", border=False):
        said = turns()
        if said:
            st.html(tag("p", say("handover.about", question=said[-1].question), class_="kj-question"))
        else:
            st.text_area(say("handover.question"), key=f"handover.question.{about}", max_chars=2000)
        st.text_area(say("handover.reason"), key=f"handover.reason.{about}", max_chars=2000)
        st.html(tag("p", say("handover.sends"), class_="kj-detail"))
        st.form_submit_button(
            say("handover.send"), type="primary", on_click=_open, args=(records, collection, viewer, about)
        )
    if error := st.session_state.pop(_ERROR, None):
        show_error(error)


def _open(records: Records, collection: str, viewer: Viewer, about: str) -> None:
    """Open the ticket, once however often the button is pressed."""
    if about in _handed():
        return
    st.session_state[_NOTICE] = None
    try:
        ticket = _ticket(collection, viewer, about)
        if ticket is None:
            st.session_state[_ERROR] = say("handover.blank")
            return
        notice = hand_over(records, ticket)
        said = notice.text if notice else _told()
    except Exception as error:  # a callback has no place of its own on the page
        st.session_state[_ERROR] = sentence_for(error)
        return
    _handed()[about] = ticket.id
    st.session_state[_NOTICE] = said


def _told() -> str | None:
    """Have another system told, where there is one; the sentence to show when the settings are wrong."""
    try:
        tell_of_new()
    except SettingsError as error:
        return str(error)
    return None


def _ticket(collection: str, viewer: Viewer, about: str) -> Ticket | None:
    """The ticket of the last turn, or of the question written down; None where that is blank."""
    reason = str(st.session_state.get(f"handover.reason.{about}") or "").strip()
    said = turns()
    transcript = [Said(turn.question, turn.said) for turn in said]
    if said and said[-1].record is not None:
        return ticket_of(said[-1].record, reason, transcript, state_of_new())
    question = said[-1].question if said else str(st.session_state.get(f"handover.question.{about}") or "").strip()
    if not question.strip():
        return None
    where = said[-1].collection if said else collection
    conversation = conversation_id() if said else None
    return ticket_about(question, reason, viewer, where, conversation, transcript, state_of_new())


def _handed() -> dict[str, str]:
    """Tickets of this session by what they are about."""
    handed: dict[str, str] = st.session_state.setdefault(_HANDED, {})
    return handed
