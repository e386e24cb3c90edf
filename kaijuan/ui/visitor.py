"""A browser's own name where nobody logs in: a random token in the address (`s`), so that a reload is the same visitor.

Whoever has the address has the token: the page says so. The records hold only a hash of it.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

import streamlit as st

from kaijuan.records.visitors import DEMO_TOKEN, visitor_name
from kaijuan.types import Viewer
from kaijuan.ui.conversation import start_over
from kaijuan.ui.login import login_is_on, login_settings

_PARAM, _TOKEN = "s", "visitor.token"
#: 128 random bits; what else stands in the address is not taken for a token.
_BYTES = 16
_FORM = re.compile(r"[A-Za-z0-9_-]{22}")


def known_visitor(viewer: Viewer) -> Viewer:
    """The viewer under a name of this browser's own; groups stay, and another role is another name.

    Whoever is logged in has a name of his own already, and a token in the address opens nothing. Raises SettingsError.
    """
    if login_is_on():
        st.query_params.pop(_PARAM, None)
        return viewer
    return replace(viewer, name=visitor_name(viewer.name, _token()))


def _token() -> str:
    linked = st.query_params.get(_PARAM, "")
    own: str = st.session_state.get(_TOKEN) or ""
    token = linked if _FORM.fullmatch(linked) else own or _new_token()
    if own and token != own:
        start_over()
    st.session_state[_TOKEN] = token
    if linked != token:
        st.query_params[_PARAM] = token
    return token


def _new_token() -> str:
    return DEMO_TOKEN if login_settings().demo else secrets.token_urlsafe(_BYTES)
