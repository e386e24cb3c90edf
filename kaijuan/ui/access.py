"""Who may administer: without a login, whoever sits at the server itself."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address

import streamlit as st

#: Headers by which a proxy says that it asks for somebody else.
_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")
#: Names of this machine in an address; any other name that leads here may be a stranger's page.
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})


def sits_at_the_server() -> bool:
    """Whether the browser of this session runs on the machine of the server."""
    return is_local(*connection())


def connection() -> tuple[str | None, Mapping[str, str]]:
    """Address (None for the loop-back) and headers, names in lower case, of this session's connection."""
    return st.context.ip_address, {name.lower(): value for name, value in st.context.headers.items()}


def is_local(address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a connection comes from this machine by one of its own names and is not passed on by a proxy.

    `address` is None for the loop-back itself (or where there is no connection at all), header names are lower-case.
    """
    if any(name in headers for name in _FORWARDED):
        return False
    host = headers.get("host", "localhost")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return (address is None or _loops_back(address)) and name.lower() in _HERE


def _loops_back(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
