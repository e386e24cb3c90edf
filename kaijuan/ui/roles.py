"""Roles that show permissions without a login: anybody may take one in the sidebar, and the page says so."""

from __future__ import annotations

import streamlit as st

from kaijuan.errors import SettingsError
from kaijuan.records.visitors import parse_roles
from kaijuan.types import Viewer
from kaijuan.ui.conversation import start_over
from kaijuan.ui.elements import tag
from kaijuan.ui.login import login_settings
from kaijuan.ui.messages import say

_ROLE, _SHOWN, _PARAM = "roles.chosen", "roles.shown", "role"


def demo_roles() -> tuple[Viewer, ...]:
    """The roles that the settings offer; none where people log in or the settings cannot be read, which the pages say."""
    try:
        settings = login_settings()
    except SettingsError:
        return ()
    return () if settings.login == "oidc" else parse_roles(settings.demo_roles)


def chosen_role() -> Viewer:
    """The role of this session, the first one until another is taken; a visitor where none are offered."""
    roles = demo_roles()
    wanted = st.session_state.get(_ROLE)
    return next((role for role in roles if role.name == wanted), roles[0] if roles else Viewer())


def role_param() -> dict[str, str]:
    """What an address says of the role, since a new tab is a session of its own; nothing where none are offered."""
    return {_PARAM: chosen_role().name} if demo_roles() else {}


def take_role(role: Viewer) -> None:
    """Go on as this role with a conversation of its own; for callbacks, which come before the switch is drawn."""
    st.session_state[_ROLE] = role.name
    st.session_state[_SHOWN] = role
    start_over()


def role_switch() -> None:
    """The choice in the sidebar, where roles are offered; whoever takes another one sees nothing of the last one's."""
    roles = demo_roles()
    if roles:
        linked = st.query_params.pop(_PARAM, None)
        if any(role.name == linked for role in roles):
            st.session_state[_ROLE] = linked
        with st.sidebar:
            st.selectbox(say("roles.choose"), [role.name for role in roles], key=_ROLE)
            st.html(tag("p", _sees(chosen_role()), class_="kj-description"))
            st.html(tag("p", say("roles.demo"), class_="kj-description"))
    now = chosen_role()
    if st.session_state.setdefault(_SHOWN, now) != now:
        st.session_state[_SHOWN] = now
        start_over()


def _sees(viewer: Viewer) -> str:
    if viewer.sees_all:
        return say("roles.everything")
    return say("roles.groups", groups="、".join(sorted(viewer.groups))) if viewer.groups else say("roles.nothing")
