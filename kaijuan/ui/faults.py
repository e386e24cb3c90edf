"""What a page says when something goes wrong: a known error's own sentence, an apology with a trace id for any other."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from kaijuan.errors import KaijuanError
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say

_log = logging.getLogger("kaijuan.ui")


def sentence_for(error: Exception) -> str:
    """The sentence to show for an error; an unexpected one goes to the log with its traceback and a trace id."""
    if isinstance(error, KaijuanError):
        return str(error)
    trace_id = secrets.token_hex(4)
    _log.error("trace %s: %s", trace_id, type(error).__name__, exc_info=error)
    return say("fault.unexpected", trace=trace_id)


def show_error(sentence: str) -> None:
    """Show one sentence as an error."""
    st.error(escape(sentence))


@contextmanager
def guarded() -> Iterator[None]:
    """Show what goes wrong inside as one sentence and go on behind the block."""
    try:
        yield
    except Exception as error:  # everything: no traceback may reach the page
        show_error(sentence_for(error))
