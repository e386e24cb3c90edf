"""The conversation of one browser session: its turns, and the question that waits to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from kaijuan.answering.types import Answer
from kaijuan.records.moments import new_id, utc_now
from kaijuan.records.types import AnswerRecord
from kaijuan.ui.elements import Safe

_TURNS, _PENDING, _ID = "conversation.turns", "conversation.pending", "conversation.id"
_PLACES = "conversation.places"
#: The parameter by which an address names a conversation.
LINKED = "t"


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with what became of it: an answer, an error sentence, or the text at which it broke off.

    `drawn` is the answer as HTML; kept, because every question draws the whole conversation again. `alone` says that the
    question was asked as it stands, whatever came before it. `record` is what the records make of the answer, and `kept`
    whether they have it.
    """

    question: str
    collection: str
    answer: Answer | None = None
    drawn: Safe | None = None
    error: str | None = None
    partial: str = ""
    alone: bool = False
    record: AnswerRecord | None = None
    kept: bool = False

    @property
    def asked(self) -> str:
        """The question as it was completed."""
        completed = self.answer.completed if self.answer else self.record.asked if self.record else ""
        return completed or self.question

    @property
    def said(self) -> str:
        """What was said to it: the answer, the error, or the text at which it broke off."""
        return self.answer.text if self.answer else self.record.text if self.record else self.error or self.partial


def turns() -> list[Turn]:
    """The turns so far, oldest first."""
    return list(_stored().values())


def _stored() -> dict[int, Turn]:
    """The turns by their places, oldest first."""
    stored: dict[int, Turn] = st.session_state.setdefault(_TURNS, {})
    return stored


def start_over() -> None:
    """Forget the conversation, as for another person; a run that is still answering finds its place gone."""
    for key in (_TURNS, _PENDING, _ID):
        st.session_state.pop(key, None)
    st.query_params.pop(LINKED, None)


def take_up(conversation: str, kept: Sequence[Turn]) -> None:
    """Go on with a conversation that the records kept, in place of the one that is open."""
    start_over()
    st.session_state[_ID] = conversation
    for turn in kept:
        _stored()[_next_place()] = turn
    st.query_params[LINKED] = conversation


def conversation_id() -> str:
    """Id of this session's conversation in the records."""
    stored: str = st.session_state.setdefault(_ID, new_id(utc_now()))
    return stored


def earlier_questions(collection: str) -> list[str]:
    """The questions asked of a collection so far, as they were completed, oldest first."""
    return [turn.asked for turn in turns() if turn.collection == collection]


def open_turn(question: str, collection: str, alone: bool = False) -> int:
    """Add a turn and return its place; it counts as broken off until it is settled."""
    place = _next_place()
    _stored()[place] = Turn(question, collection, alone=alone)
    return place


def _next_place() -> int:
    """A place that was never used before."""
    place: int = st.session_state.get(_PLACES, 0)
    st.session_state[_PLACES] = place + 1
    return place


def settle(
    place: int,
    answer: Answer | None = None,
    drawn: Safe | None = None,
    error: str | None = None,
    partial: str = "",
) -> Turn:
    """Write down what became of a turn; nothing where its conversation is over by now."""
    opened = _stored().get(place)
    turn = replace(opened or Turn("", ""), answer=answer, drawn=drawn, error=error, partial=partial)
    if opened is not None:
        _stored()[place] = turn
    return turn


def note_record(place: int, record: AnswerRecord, kept: bool) -> Turn:
    """Note the record of a turn's answer; once it is kept, the address leads back to the conversation."""
    opened = _stored().get(place)
    turn = replace(opened or Turn("", ""), record=record, kept=kept)
    if opened is None:
        return turn
    _stored()[place] = turn
    if kept:
        # The question would be asked again by a reload otherwise.
        st.query_params.pop("q", None)
        st.query_params.update({"c": record.collection, LINKED: conversation_id()})
    return turn


def wait_for(question: str, alone: bool = False) -> None:
    """Let the next run of the page ask this question (for buttons, whose callbacks come before the page)."""
    st.session_state[_PENDING] = (question, alone)


def take_waiting() -> tuple[str, bool] | None:
    """The question that waits and whether it is asked alone, once."""
    waiting: tuple[str, bool] | None = st.session_state.pop(_PENDING, None)
    return waiting
