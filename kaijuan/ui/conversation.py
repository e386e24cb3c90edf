"""The conversation of one browser session: its turns, and the question that waits to be asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from kaijuan.answering.types import Answer
from kaijuan.ui.elements import Safe

_TURNS, _PENDING = "conversation.turns", "conversation.pending"


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with what became of it: an answer, an error sentence, or the text at which it broke off.

    `drawn` is the answer as HTML; kept, because every question draws the whole conversation again.
    """

    question: str
    collection: str
    answer: Answer | None = None
    drawn: Safe | None = None
    error: str | None = None
    partial: str = ""


def turns() -> list[Turn]:
    """The turns so far, oldest first."""
    stored: list[Turn] = st.session_state.setdefault(_TURNS, [])
    return stored


def open_turn(question: str, collection: str) -> int:
    """Add a turn and return its place; it counts as broken off until it is settled."""
    turns().append(Turn(question, collection))
    return len(turns()) - 1


def settle(
    place: int,
    answer: Answer | None = None,
    drawn: Safe | None = None,
    error: str | None = None,
    partial: str = "",
) -> Turn:
    """Write down what became of a turn."""
    turns()[place] = replace(turns()[place], answer=answer, drawn=drawn, error=error, partial=partial)
    return turns()[place]


def wait_for(question: str) -> None:
    """Let the next run of the page ask this question (for buttons, whose callbacks come before the page)."""
    st.session_state[_PENDING] = question


def take_waiting() -> str | None:
    """The question that waits, once."""
    waiting: str | None = st.session_state.pop(_PENDING, None)
    return waiting
