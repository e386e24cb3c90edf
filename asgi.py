"""The pages with the service beside them, in one process over one set of services; run by `streamlit run asgi.py`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import streamlit as st

from kaijuan.errors import KaijuanError
from kaijuan.service.routes import service_routes
from kaijuan.ui.access import warn_if_open_to_others
from kaijuan.ui.deliveries import shared_deliveries
from kaijuan.ui.shared import process_services

#: Seconds after which a thread that computes lets another go on. With Python's own 5 ms, a question that waits for the
#: search engine's reply loses as much at every read whenever an answer is being composed.
_TURN = 0.0005


@asynccontextmanager
async def lifespan(server: st.App) -> AsyncIterator[dict[str, Any]]:
    """Make the turns short, and say before anybody comes when whoever can connect may ask."""
    sys.setswitchinterval(_TURN)
    with suppress(KaijuanError):  # a setting that is wrong is named by whatever needs it
        warn_if_open_to_others()
        shared_deliveries()  # tickets that wait since the last time are told without waiting for somebody to come
    yield {}


app = st.App(Path(__file__).with_name("app.py"), routes=service_routes(process_services), lifespan=lifespan)
