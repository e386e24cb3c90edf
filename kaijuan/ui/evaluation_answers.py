"""Answers held against the labels on the evaluation page: every question is answered, nothing is kept but in the session."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.evaluation.answers import AnswerFigures, Share, evaluate_answers
from kaijuan.evaluation.questions import Question
from kaijuan.ui.elements import tag
from kaijuan.ui.evaluation_tables import points
from kaijuan.ui.messages import say
from kaijuan.ui.tables import table_html
from kaijuan.wiring import Services

#: The figures in the order shown; whether more of it is better stands in their sentences.
_SHOWN = (
    "refusal_recall",
    "false_refusals",
    "precision",
    "coverage",
    "empty",
    "invented",
    "wrong",
    "uncited",
    "disputed",
    "incomplete",
)


def show_answers(services: Services, collection: Collection, questions: Sequence[Question]) -> None:
    """The button and the figures of this session; every question counts, those without gold are to be refused."""
    st.html(tag("h2", say("evaluation.answers"), class_="kj-heading"))
    st.html(tag("p", say("evaluation.answers_note"), class_="kj-detail"))
    key = f"evaluation.answers.{collection.name}"
    if st.button(say("evaluation.answers_run"), key="evaluation.answers_run"):
        st.session_state[key] = (services.settings.answerer, _run(services, collection, questions))
    if key not in st.session_state:
        return
    answerer, figures = st.session_state[key]
    st.html(tag("p", say("evaluation.answers_done", answered=figures.answered, total=len(figures.rows), by=answerer)))
    head = (say("evaluation.figure"), say("evaluation.share"), say("evaluation.counted"))
    rows = [(say(f"evaluation.answers_{name}"), *_share(getattr(figures, name))) for name in _SHOWN]
    st.html(table_html(say("evaluation.answers"), head, rows, wide=0))


def _run(services: Services, collection: Collection, questions: Sequence[Question]) -> AnswerFigures:
    done, total = 0, len(questions)
    bar = st.progress(0.0, say("evaluation.running", done=0, total=total))

    def step(count: int) -> None:
        nonlocal done
        done += count
        bar.progress(done / total, say("evaluation.running", done=done, total=total))

    answering = services.answering(services.options(collection))
    figures = evaluate_answers(questions, collection.name, answering, step)
    bar.empty()
    return figures


def _share(share: Share) -> tuple[str, str]:
    return points(share.rate), f"{share.part} / {share.whole}"
