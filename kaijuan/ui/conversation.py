"""The conversation of one browser session: its turns, and the question that waits to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import streamlit as st

from kaijuan.answering.types import Answer
from kaijuan.records.moments import new_id, utc_now
from kaijuan.records.types import AnswerRecord
from kaijuan.ui.elements import Safe

_TURNS, _PENDING, _ID = "conversation.turns", "conversation.pending", "conversation.id"
_PLACES, _EDITED, _GOING = "conversation.places", "conversation.edited", "conversation.going"
#: The parameter by which an address names a conversation.
LINKED = "t"


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with what became of it: an answer, an error sentence, or the text at which it broke off.

    `drawn` is the answer as HTML; kept, because every question draws the whole conversation again. `alone` says that the
    question was asked as it stands, whatever came before it. `record` is what the records make of the answer, and `kept`
    whether they have it. `replaces` is the kept answer in whose place this turn stands, `instead_of` the turn's place.
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
    replaces: str | None = None
    instead_of: int | None = None

    @property
    def asked(self) -> str:
        """The question as it was completed."""
        completed = self.answer.completed if self.answer else self.record.asked if self.record else ""
        return completed or self.question

    @property
    def said(self) -> str:
        """What was said to it: the answer, the error, or the text at which it broke off."""
        return self.answer.text if self.answer else self.record.text if self.record else self.error or self.partial


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to be asked: `alone` leaves out what came before it, `replaces` is the place of the turn that it replaces."""

    question: str
    alone: bool = False
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A turn that was added; it can be written from any thread, also after the run that added it has ended."""

    place: int
    turn: Turn
    conversation: str
    among: dict[int, Turn]

    def write(self, turn: Turn) -> None:
        """Write down what became of it; nothing where another turn has taken its place."""
        if self.place in self.among:
            self.among[self.place] = turn


class Going(Protocol):
    """An answer on its way."""

    def settle(self) -> Turn:
        """Write it down, once, as far as it came; what became of it. Safe to call from any thread."""
        ...


def turns() -> list[Turn]:
    """The turns so far, oldest first."""
    return list(_stored().values())


def turns_by_place() -> list[tuple[int, Turn]]:
    """The turns so far with their places, oldest first."""
    return list(_stored().items())


def last_turn() -> tuple[int, Turn] | None:
    """The last turn and its place."""
    return next(reversed(_stored().items()), None)


def _stored() -> dict[int, Turn]:
    """The turns by their places, oldest first."""
    stored: dict[int, Turn] = st.session_state.setdefault(_TURNS, {})
    return stored


def start_over() -> None:
    """Forget the conversation, as for another person; a run that is still answering finds its place gone."""
    for key in (_TURNS, _PENDING, _ID, _EDITED, _GOING):
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


def earlier_questions(collection: str, place: int) -> list[str]:
    """The questions asked of a collection before the turn at a place, as they were completed, oldest first."""
    return [turn.asked for at, turn in _stored().items() if turn.collection == collection and at < place]


def open_turn(asking: Asking, collection: str) -> Opened:
    """Add a turn, in the place of another where that is meant; it counts as stopped until something is written.

    What it replaces keeps its record and that record's feedback; the new record will name it.
    """
    place = _next_place()
    turn = Turn(asking.question, collection, alone=asking.alone)
    before = None if asking.replaces is None else _stored().pop(asking.replaces, None)
    if before is not None:
        # An answer that never came has no record; what its question stood in place of is replaced then.
        record = before.record.id if before.record and before.kept else before.replaces
        turn = replace(turn, collection=before.collection, replaces=record, instead_of=asking.replaces)
    _stored()[place] = turn
    stop_editing()
    return Opened(place, turn, conversation_id(), _stored())


def _next_place() -> int:
    """A place that was never used before."""
    place: int = st.session_state.get(_PLACES, 0)
    st.session_state[_PLACES] = place + 1
    return place


def begin(going: Going) -> None:
    """Note the answer that is on its way in this run."""
    st.session_state[_GOING] = going


def finish() -> None:
    """Write down the answer on its way; its address leads back to the conversation once it is kept.

    Called when an answer is done, and first of all in every run: the run before may still be ending in its own thread,
    where Streamlit no longer lets it touch the session.
    """
    going: Going | None = st.session_state.pop(_GOING, None)
    if going is None:
        return
    turn = going.settle()
    if turn.record is not None and turn.kept:
        # The question would be asked again by a reload otherwise.
        st.query_params.pop("q", None)
        st.query_params.update({"c": turn.record.collection, LINKED: conversation_id()})


def wait_for(question: str, alone: bool = False, replaces: int | None = None) -> None:
    """Let the next run of the page ask this question (for buttons, whose callbacks come before the page)."""
    st.session_state[_PENDING] = Asking(question, alone, replaces)


def take_waiting() -> Asking | None:
    """The question that waits, once; only the last turn can be replaced, any other is left as it is and nothing asked."""
    waiting: Asking | None = st.session_state.pop(_PENDING, None)
    if waiting is None or waiting.replaces is None:
        return waiting
    last = last_turn()
    # A second press of the same button means the turn that the first press has begun.
    if last is None or waiting.replaces not in (last[0], last[1].instead_of):
        return None
    return replace(waiting, replaces=last[0])


def edit(place: int) -> None:
    """Show the question at a place for editing from the next run on."""
    st.session_state[_EDITED] = place


def stop_editing() -> None:
    """Show the question as it is again."""
    st.session_state.pop(_EDITED, None)


def is_edited(place: int) -> bool:
    """Whether the question at a place is being edited."""
    return bool(st.session_state.get(_EDITED) == place)
