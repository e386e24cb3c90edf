"""Addresses of the pages: everything that is needed to show a passage stands in its address."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import streamlit as st

from kaijuan.ui.roles import role_param


def source_params(collection: str, source_id: str, chunk_id: str | None = None) -> dict[str, str]:
    """Query parameters of the source page."""
    params = {"c": collection, "d": source_id}
    return params if chunk_id is None else {**params, "k": chunk_id}


def source_url(collection: str, source_id: str, chunk_id: str | None = None) -> str:
    """Address of a document, or of one passage in it, percent-encoded, below the app's base path."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    query = urlencode({**source_params(collection, source_id, chunk_id), **role_param()}, quote_via=quote, safe="")
    return f"{'/' + base if base else ''}/source?{query}"
