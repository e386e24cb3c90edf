"""Pages opened without a browser, over services that a test has made, and what stands on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import kaijuan.ui.access
import kaijuan.ui.shared
from kaijuan.settings import ROOT


@contextmanager
def served(services: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The pages get these services, and are asked from the machine of the server."""
    monkeypatch.setattr(kaijuan.ui.shared, "load_services", lambda: services)
    # An AppTest has no connection; what is made of one is tested in test_admin.
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: (None, {"host": "127.0.0.1:8501"}))
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def opened(path: str = "", **params: str) -> AppTest:
    """The page at this address, drawn."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=30)
    for key, value in params.items():
        app.query_params[key] = value
    if path:
        app.run()
        app.switch_page(path)
    return app.run()


def html(app: AppTest) -> str:
    """All HTML of a page that ran through, the style sheet left out."""
    assert not app.exception
    return "\n".join(body for element in app.get("html") if "<style" not in (body := element.proto.body))


def words(app: AppTest) -> str:
    """What is read there."""
    return unescape(re.sub("<[^>]+>", " ", html(app)))
