"""Who may administer: with a login the groups of the settings, without one whoever sits at the server itself."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from ipaddress import ip_address

import streamlit as st

from kaijuan.errors import KaijuanError
from kaijuan.ui.login import logged_in, login_is_on, login_settings
from kaijuan.ui.messages import say

_log = logging.getLogger("kaijuan.ui")

#: Headers by which a proxy says that it asks for somebody else.
_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")
#: Names of this machine in an address; any other name that leads here may be a stranger's page.
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})


def may_administer() -> bool:
    """Whether the person of this session may do what concerns everybody; nobody where that cannot be told."""
    try:
        return logged_in().admin if login_is_on() else sits_at_the_server()
    except KaijuanError:
        return False


def may_oversee() -> bool:
    """Whether he may see what others asked and how well it was answered: with a login administrators, else everybody."""
    try:
        return not login_is_on() or logged_in().admin
    except KaijuanError:
        return False


def closed_sentence() -> str:
    """The sentence for whoever may not; raises SettingsError."""
    if not login_is_on():
        return say("admin.only_admins")
    return say("login.only_admins" if login_settings().admin_groups.strip() else "login.no_admins")


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


@st.cache_resource(show_spinner=False)
def warn_if_open_to_others() -> None:
    """Say in the log, once, that nobody logs in although the server listens to more than its own machine."""
    address = str(st.get_option("server.address") or "")
    if not login_is_on() and address != "localhost" and not _loops_back(address):
        _log.warning(say("login.open_to_others", address=address or "0.0.0.0"))


def _loops_back(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
