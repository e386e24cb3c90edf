"""A button that asks once more before it does something."""

from __future__ import annotations

import streamlit as st

from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say

_ASKED, _SURE = "asked", "sure"


def confirmed(label: str, question: str, key: str, disabled: bool = False) -> bool:
    """Draw the button, then the question under it with yes and no; True in the one run in which yes was pressed."""
    state = f"{key}.state"
    st.button(label, key=key, disabled=disabled, on_click=_set, args=(state, _ASKED))
    if st.session_state.get(state) == _SURE:
        _set(state, "")
        return not disabled
    if disabled or st.session_state.get(state) != _ASKED:
        return False
    st.warning(escape(question))
    with st.container(horizontal=True):
        st.button(say("confirm.yes"), type="primary", key=f"{key}.yes", on_click=_set, args=(state, _SURE))
        st.button(say("confirm.no"), key=f"{key}.no", on_click=_set, args=(state, ""))
    return False


def _set(state: str, value: str) -> None:
    st.session_state[state] = value
