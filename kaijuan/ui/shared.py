"""What all pages share: the services, built once for the whole server, who asks, and the style sheet."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from kaijuan.types import Viewer
from kaijuan.ui.messages import say
from kaijuan.wiring import Services, load_services

_STYLE = Path(__file__).with_name("style.css")


@st.cache_resource(show_spinner=say("loading"))
def shared_services() -> Services:
    """The services; raises KaijuanError when they cannot be built."""
    return load_services()


def current_viewer() -> Viewer:
    """Who asks; everybody is a visitor until there is a login."""
    return Viewer()


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_STYLE)
