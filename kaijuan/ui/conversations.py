"""The conversations of this visitor in the sidebar: taken up again, also after a reload, renamed, deleted."""

from __future__ import annotations

import streamlit as st

from kaijuan.errors import ViewError
from kaijuan.records.conversations import conversations, delete, rename
from kaijuan.records.conversations import turns as turns_of
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Conversation
from kaijuan.types import Viewer
from kaijuan.ui.confirm import confirmed
from kaijuan.ui.conversation import LINKED, Turn, conversation_id, start_over, take_up
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded
from kaijuan.ui.kept import record_html
from kaijuan.ui.login import login_is_on
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say

#: Conversations in the sidebar, those last spoken in.
_LISTED = 20


def take_up_linked(records: Records | None, viewer: Viewer) -> None:
    """Take up the conversation that the address names (`t`), unless it is open already.

    Raises ViewError when it is not the viewer's, RecordsError; the address no longer names it then.
    """
    linked = st.query_params.get(LINKED)
    if linked is None or linked == conversation_id():
        return
    st.query_params.pop(LINKED)
    kept = turns_of(records, linked, viewer.name) if records else ()
    if not kept:
        raise ViewError(f"没有编号为“{linked[:40]}”的对话，或它不是你的；请从对话列表里选择。")
    take_up(linked, [_turn(record) for record in kept])


def show_conversations(records: Records | None, viewer: Viewer) -> None:
    """The list in the sidebar, the one last spoken in first; nothing where no answers are kept."""
    if records is None or records.days == 0:
        return
    with st.sidebar:
        st.html(tag("h2", say("talks.title"), class_="kj-label"))
        st.button(say("talks.new"), key="talks.new", icon=":material/add:", on_click=start_over, width="stretch")
        with guarded():
            listed = conversations(records, viewer.name, _LISTED)
            if not listed:
                st.html(tag("p", say("talks.none"), class_="kj-description"))
                return
            for conversation in listed:
                _show_one(conversation)
            _manage(records, viewer, listed)
        if not login_is_on():
            st.html(tag("p", say("talks.address"), class_="kj-description"))


def _turn(record: AnswerRecord) -> Turn:
    return Turn(record.question, record.collection, drawn=record_html(record), record=record, kept=True)


def _show_one(conversation: Conversation) -> None:
    is_open = conversation.id == conversation_id()
    st.button(
        escape(conversation.title),
        key=f"talks.open.{conversation.id}",
        type="tertiary",
        icon=":material/chevron_right:" if is_open else ":material/chat_bubble:",
        help=f"{conversation.last:%Y-%m-%d %H:%M} UTC",
        on_click=_open,
        args=(conversation,),
    )


def _open(conversation: Conversation) -> None:
    st.query_params.pop("q", None)
    st.query_params.update({"c": conversation.collection, LINKED: conversation.id})


def _manage(records: Records, viewer: Viewer, listed: tuple[Conversation, ...]) -> None:
    """Rename and delete, for the open one."""
    shown = next((c for c in listed if c.id == conversation_id()), None)
    if shown is None:
        return
    with st.popover(say("talks.manage"), key="talks.manage", icon=":material/edit:", width="stretch"):
        name = f"talks.name.{shown.id}"
        st.session_state.setdefault(name, shown.title)
        st.text_input(say("talks.name"), key=name, max_chars=80)
        st.button(say("talks.rename"), key="talks.rename", on_click=_rename, args=(records, shown.id, viewer, name))
        if confirmed(say("talks.delete"), say("talks.delete_sure"), f"talks.delete.{shown.id}"):
            delete(records, shown.id, viewer.name)
            start_over()
            st.rerun()


def _rename(records: Records, conversation: str, viewer: Viewer, name: str) -> None:
    with guarded():
        rename(records, conversation, viewer.name, st.session_state.pop(name))
