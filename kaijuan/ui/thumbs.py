"""Under an answer: thumbs with a reason, and the answer to copy with or without its citations."""

from __future__ import annotations

import streamlit as st

from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Thumb
from kaijuan.ui.conversation import Turn
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import sentence_for, show_error
from kaijuan.ui.kept import bare_text, cited_text
from kaijuan.ui.messages import say
from kaijuan.ui.shared import choose_language

#: The values of st.feedback("thumbs") by their place.
_VALUES: tuple[Thumb, Thumb] = ("down", "up")
_REASONS = ("wrong", "beside", "citation", "outdated", "partial")
#: What this session gave, beyond the widgets, which are forgotten when another page is opened.
_GIVEN, _ERRORS = "thumbs.given", "thumbs.errors"


@st.fragment
def show_toolbar(records: Records | None, turn: Turn) -> None:
    """Thumbs where the answer is kept, and copying; a fragment, so that using it breaks off no answer on its way."""
    record = turn.record
    if record is None:
        return
    choose_language()  # a run of the fragment alone has no page before it
    rated = records is not None and turn.kept
    with st.container(horizontal=True, vertical_alignment="center"):
        if records is not None and rated:
            _thumbs(records, record)
        with st.popover(say("copy.label"), icon=":material/content_copy:", key=f"copy.{record.id}", type="tertiary"):
            _copy(record)
    if records is not None and rated and _given(record)[0] == "down":
        _why(records, record)
    if error := _errors().pop(record.id, None):
        show_error(error)


def _thumbs(records: Records, record: AnswerRecord) -> None:
    key = f"thumbs.{record.id}"
    value, _ = _given(record)
    if value is not None:
        st.session_state.setdefault(key, _VALUES.index(value))
    st.feedback("thumbs", key=key, on_change=_rate, args=(records, record, key))


def _rate(records: Records, record: AnswerRecord, key: str) -> None:
    """Keep the thumb that was pressed, or take it back; one that could not be kept is not shown as given."""
    pressed = st.session_state[key]
    before, _ = _given(record)
    value = None if pressed is None else _VALUES[pressed]
    try:
        if value is None:
            records.unrate(record.id)
        else:
            records.rate(record.id, value)
    except Exception as error:  # a callback has no place of its own on the page
        _errors()[record.id] = sentence_for(error)
        st.session_state[key] = None if before is None else _VALUES.index(before)
        return
    _all_given()[record.id] = (value, "")


def _why(records: Records, record: AnswerRecord) -> None:
    if _given(record)[1]:
        st.html(tag("p", say("thumbs.noted"), class_="kj-detail", role="status"))
        return
    with st.form(f"why.{record.id}"):
        st.pills(
            say("thumbs.why"),
            _REASONS,
            format_func=lambda name: say(f"thumbs.{name}"),
            selection_mode="multi",
            key=f"why.choice.{record.id}",
        )
        st.text_input(say("thumbs.more"), key=f"why.more.{record.id}", max_chars=500)
        st.form_submit_button(say("thumbs.send"), on_click=_explain, args=(records, record))


def _explain(records: Records, record: AnswerRecord) -> None:
    chosen = [say(f"thumbs.{name}") for name in st.session_state.get(f"why.choice.{record.id}") or ()]
    more = str(st.session_state.get(f"why.more.{record.id}") or "").strip()
    reason = "；".join([*chosen, *([more] if more else [])])
    if not reason:
        return
    try:
        records.rate(record.id, "down", reason)
    except Exception as error:  # a callback has no place of its own on the page
        _errors()[record.id] = sentence_for(error)
        return
    _all_given()[record.id] = ("down", reason)


def _copy(record: AnswerRecord) -> None:
    st.html(tag("p", say("copy.how"), class_="kj-detail"))
    st.html(tag("div", say("copy.cited"), class_="kj-label"))
    st.code(cited_text(record), language=None, wrap_lines=True)
    st.html(tag("div", say("copy.bare"), class_="kj-label"))
    st.code(bare_text(record), language=None, wrap_lines=True)


def _given(record: AnswerRecord) -> tuple[Thumb | None, str]:
    """The thumb and its reason as of now."""
    kept = record.feedback
    return _all_given().get(record.id, (kept.value, kept.reason) if kept else (None, ""))


def _all_given() -> dict[str, tuple[Thumb | None, str]]:
    given: dict[str, tuple[Thumb | None, str]] = st.session_state.setdefault(_GIVEN, {})
    return given


def _errors() -> dict[str, str]:
    errors: dict[str, str] = st.session_state.setdefault(_ERRORS, {})
    return errors
