"""What all pages share: the services, built once for the whole server, who asks, and the style sheet."""

from __future__ import annotations

import runpy
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

from kaijuan.settings import ROOT
from kaijuan.types import Viewer
from kaijuan.ui.login import logged_in, login_is_on
from kaijuan.ui.messages import LANGUAGES, say, use_language
from kaijuan.ui.roles import chosen_role
from kaijuan.wiring import Services, load_services

_STYLE = Path(__file__).with_name("style.css")
_LANGUAGE = "language"
#: Whether app.py has begun in this run; every run is a thread of its own.
_app_runs: ContextVar[bool] = ContextVar("app_runs", default=False)


@st.cache_resource(show_spinner=False)
def process_services() -> Services:
    """The services of this process, for whoever asks outside of a page too; raises KaijuanError."""
    return load_services()


@st.cache_resource(show_spinner=say("loading"))
def shared_services() -> Services:
    """The same services for a page, which says that they are loading; raises KaijuanError when they cannot be built."""
    return process_services()


def current_viewer() -> Viewer:
    """Who asks: whoever is logged in, else the role taken in the sidebar where roles are offered, else a visitor.

    Raises ViewError where people log in and nobody is, SettingsError.
    """
    return logged_in().viewer if login_is_on() else chosen_role()


def apply_style() -> None:
    """Put the style sheet on the page; every page calls this first.

    The first request to a fresh server may run a page's script without app.py, as long as Streamlit takes the folder
    pages/ for its own older list of pages; app.py then runs from here, and this page inside of it.
    """
    if not _app_runs.get():
        runpy.run_path(str(ROOT / "app.py"))
        st.stop()
    st.html(_STYLE)


def choose_language() -> None:
    """The reader's language: of the address (`lang`), else as chosen in the sidebar before; called before any page."""
    _app_runs.set(True)
    wanted = st.query_params.get("lang")
    if wanted in LANGUAGES:
        st.session_state[_LANGUAGE] = wanted
    use_language(st.session_state.setdefault(_LANGUAGE, "zh"))


def language_switch() -> None:
    """The choice at the foot of the sidebar; takes effect with the run that it starts."""
    with st.sidebar:
        st.segmented_control(
            say("language"),
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            key=_LANGUAGE,
            label_visibility="collapsed",
        )
