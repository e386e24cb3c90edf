"""The evaluation page: run the frozen set, its tiers, what was won and lost, and the history of runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.evaluation.history import Run, compared, keep_run, load_runs, new_run, outcomes
from kaijuan.evaluation.questions import Question, load_questions
from kaijuan.evaluation.run import FIGURES, TIERS, evaluate
from kaijuan.ui.access import closed_sentence, may_administer
from kaijuan.ui.elements import tag
from kaijuan.ui.evaluation_answers import show_answers
from kaijuan.ui.evaluation_tables import (
    NAMES,
    bars_html,
    comparisons_html,
    history_html,
    outcomes_html,
    short,
    steps_html,
    tier_name,
    tiers_html,
    why_not,
)
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.wiring import Services

_LAST = TIERS[-1]
_PAIRS = tuple(pairwise(TIERS))


def show_evaluation(services: Services, collection: Collection) -> None:
    """The whole page below the choice of the collection; raises KaijuanError."""
    st.html(tag("p", say("evaluation.lead"), class_="kj-detail"))
    questions = load_questions(collection.questions_file) if collection.questions_file.is_file() else ()
    scored = sum(bool(question.gold) for question in questions)
    folder = services.settings.data_dir / "evaluations"
    if scored:
        st.html(tag("p", say("evaluation.counts", scored=scored, skipped=len(questions) - scored)))
        if not may_administer():
            st.html(tag("p", closed_sentence(), class_="kj-detail"))
        elif st.button(say("evaluation.run"), type="primary", key="evaluation.run"):
            _run(services, collection, questions, folder)
    else:
        st.info(escape(say("evaluation.no_questions", name=collection.name)))
    runs = load_runs(folder, collection.name)[::-1]
    if runs:
        _show_runs(services, collection, runs)
    elif scored:
        st.info(say("evaluation.no_runs"))
    # A model's answers cost money: not for everybody who opens the page.
    if questions and (services.chat is None or may_administer()):
        show_answers(services, collection, questions)


def _run(services: Services, collection: Collection, questions: Sequence[Question], folder: Path) -> None:
    """Ask every question, say how far it is, and keep the result."""
    done, total = 0, len(questions)
    bar = st.progress(0.0, say("evaluation.running", done=0, total=total))

    def step(count: int) -> None:
        nonlocal done
        done += count
        bar.progress(done / total, say("evaluation.running", done=done, total=total))

    settings = services.settings_hash(collection.name)
    result = evaluate(
        collection.name, collection.name, questions, services.stages, services.options(collection), progress=step
    )
    keep_run(folder, new_run(result, questions, settings))
    bar.empty()
    st.session_state.pop("evaluation.chosen", None)  # the new one is what is wanted now
    st.success(say("evaluation.finished"))


def _show_runs(services: Services, collection: Collection, runs: Sequence[Run]) -> None:
    """The chosen run (the newest first), the history, and the chosen one against another."""
    chosen = st.selectbox(
        say("evaluation.choose"),
        range(len(runs)),
        format_func=lambda number: _label(runs[number]),
        key="evaluation.chosen",
    )
    run = runs[chosen]
    now = services.settings_hash(collection.name)
    if run.settings != now:
        st.warning(say("evaluation.other_settings", then=short(run.settings), now=short(now)))
    _heading("evaluation.tiers")
    if run.result.scored:
        st.html(bars_html(run.result))
        st.html(tiers_html(run.result))
        _heading("evaluation.steps")
        st.html(steps_html(run.result))
        st.html(tag("p", say("evaluation.interval_note"), class_="kj-detail"))
        _show_questions(run)
    else:
        st.info(say("evaluation.unscored"))
    _heading("evaluation.history")
    st.html(history_html(runs, run))
    st.html(tag("p", say("evaluation.history_note"), class_="kj-detail"))
    others = [other for other in runs if other is not run]
    if others and run.result.scored:
        _show_against(run, others)


def _show_questions(run: Run) -> None:
    _heading("evaluation.questions")
    first, second = st.columns(2)
    before, after = first.selectbox(
        say("evaluation.pair"),
        _PAIRS,
        index=len(_PAIRS) - 1,
        format_func=lambda pair: say("evaluation.step", after=tier_name(pair[1]), before=tier_name(pair[0])),
        key="evaluation.pair",
    )
    figure = second.selectbox(
        say("evaluation.figure"),
        FIGURES,
        index=FIGURES.index("rr"),
        format_func=NAMES.__getitem__,
        key="evaluation.figure",
    )
    found = outcomes(run.result, before, run.result, after, figure)
    st.html(outcomes_html(say("evaluation.questions"), found))


def _show_against(run: Run, others: Sequence[Run]) -> None:
    """The chosen run against another, which is said to be incomparable before any figure where it is."""
    _heading("evaluation.runs")
    number = st.selectbox(
        say("evaluation.against"),
        range(len(others)),
        format_func=lambda other: _label(others[other]),
        key="evaluation.against",
    )
    other = others[number]
    # Gains stand for the newer of the two.
    before, after = sorted((run, other), key=lambda one: one.at)
    found = {figure: outcomes(before.result, _LAST, after.result, _LAST, figure) for figure in FIGURES}
    common = len(found["rr"])
    if not common:
        st.info(say("evaluation.nothing_in_common"))
        return
    if why := why_not(before, after):
        st.warning(say("evaluation.incomparable", why=why, count=common))
    rows = [one for figure in FIGURES if (one := compared(found[figure], figure))]
    st.html(comparisons_html(say("evaluation.runs"), rows))
    changed = [one for one in found["rr"] if one.change]
    if changed:
        st.html(outcomes_html(say("evaluation.runs"), changed))


def _label(run: Run) -> str:
    at = run.at[:19].replace("T", " ")
    return say("evaluation.run_label", at=at, version=run.result.version or "—", settings=short(run.settings))


def _heading(key: str) -> None:
    st.html(tag("h2", say(key), class_="kj-heading"))
