"""Waiting for the engine: a page that cannot be asked yet says why, looks again by itself, and comes to life."""

from __future__ import annotations

import streamlit as st

from kaijuan.errors import KaijuanError
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.wiring import Services

#: Seconds between two looks.
EVERY = 3


def show_waiting(services: Services, collection_name: str) -> None:
    """Say why a collection cannot be asked now, where that is so, until it can."""
    seen = services.fault(collection_name)
    if seen is None:
        return
    seen_already = [seen]

    @st.fragment(run_every=EVERY)
    def look() -> None:
        fault = seen_already.pop() if seen_already else services.fault(collection_name)
        if fault is None:
            st.rerun()
        st.warning(escape(_sentence(fault)))

    look()


def _sentence(fault: KaijuanError) -> str:
    return say("chat.waiting", sentence=str(fault).removesuffix("。"), seconds=EVERY)
