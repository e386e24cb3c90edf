"""The login: who is logged in at the identity provider, the entrance where nobody is, and the way out.

Streamlit keeps the person in a signed cookie and comes back from the provider to the start page, without path and query.
The wanted address waits in the session storage of the browser's tab, and the first page after the login goes there.
"""

from __future__ import annotations

import json
import logging
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import streamlit as st

from kaijuan.errors import KaijuanError, ViewError
from kaijuan.settings import Settings, read_settings
from kaijuan.ui.claims import Claims, Person, is_fresh, login_key, person_of
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import show_error
from kaijuan.ui.messages import say

_log = logging.getLogger("kaijuan.ui")

#: What the section [auth] has to hold, and what a provider's own description.
_SECRETS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_METADATA = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
_LEAST_SECRET = 32
_PROVIDER_SECONDS, _PROVIDER_BYTES = 5.0, 1_000_000
_ENTER = "login-enter"
# A login that was begun in this tab and did not come to its end is told, and keeps the address that was wanted first.
_REMEMBER = f"""<p id="kj-unfinished" class="kj-note kj-notice" hidden>{{unfinished}}</p><script>{{{{
const begun = sessionStorage.getItem("kaijuan.begun");
if (begun) document.getElementById("kj-unfinished").hidden = false;
else sessionStorage.setItem("kaijuan.target", location.pathname + location.search);
document.addEventListener("click", (event) => {{{{
  if (event.target.closest(".st-key-{_ENTER} button")) sessionStorage.setItem("kaijuan.begun", "1");
}}}});
}}}}</script>"""
# Always on this origin, whatever the path looks like.
_RETURN = """<script>{
const begun = sessionStorage.getItem("kaijuan.begun"), target = sessionStorage.getItem("kaijuan.target");
sessionStorage.removeItem("kaijuan.begun");
sessionStorage.removeItem("kaijuan.target");
if (begun && target && target !== location.pathname + location.search) location.replace(location.origin + target);
}</script>"""


@dataclass(frozen=True, slots=True)
class Entrance:
    """Whether this run may show the product, else the sentence that stands in its place.

    `may_enter` says whether logging in helps, `may_leave` whether somebody is logged in.
    """

    is_open: bool
    sentence: str = ""
    may_enter: bool = False
    may_leave: bool = False


@st.cache_resource(show_spinner=False)
def login_settings() -> Settings:
    """The settings, read once; raises SettingsError."""
    return read_settings()


def login_is_on() -> bool:
    """Whether people log in; raises SettingsError."""
    return login_settings().login == "oidc"


def claims() -> Claims | None:
    """What the provider said of the person of this session, None where nobody is logged in."""
    said = st.user.to_dict()
    return said if said.get("is_logged_in") is True else None


def logged_in() -> Person:
    """Who is logged in; raises ViewError when nobody is, SettingsError."""
    said = claims()
    settings = login_settings()
    if said is None:
        raise ViewError(say("login.lead"))
    if not is_fresh(said, settings.login_hours, datetime.now(UTC)) or login_key(said) in _ended_logins():
        raise ViewError(say("login.expired"))
    return person_of(said, settings)


def entrance() -> Entrance:
    """What stands at the entrance in this run; closed wherever it cannot be told who asks."""
    try:
        if not login_is_on():
            return Entrance(True)
        if fault := _setup_fault():
            return Entrance(False, fault)
        if claims() is None:
            return Entrance(False, say("login.lead"), may_enter=True)
        person = logged_in()
    except ViewError as error:
        return Entrance(False, str(error), may_enter=True, may_leave=True)
    except KaijuanError as error:
        return Entrance(False, str(error))
    if person.staff:
        return Entrance(True)
    return Entrance(False, say("login.stranger", name=person.shown), may_leave=True)


def show_entrance(closed: Entrance) -> None:
    """The product's name, the sentence, and the ways in or out."""
    st.html(tag("h1", say("product"), class_="kj-entrance"))
    if not (closed.may_enter or closed.may_leave):
        show_error(closed.sentence)
        return
    st.html(tag("p", closed.sentence))
    if closed.may_enter and st.button(say("login.enter"), key=_ENTER, type="primary"):
        _go_to_provider()
    if closed.may_leave:
        st.button(say("login.leave"), key="login-leave", on_click=_leave)
    if closed.may_enter:
        st.html(_REMEMBER.format(unfinished=tag("span", say("login.unfinished"))), unsafe_allow_javascript=True)


def show_person() -> None:
    """Who is logged in and the way out, in the sidebar; nothing where nobody logs in."""
    if not login_is_on():
        return
    person = logged_in()
    with st.sidebar:
        role = f" · {say('login.admin')}" if person.admin else ""
        st.html(tag("p", tag("b", person.shown), role, class_="kj-person"))
        st.html(tag("p", _groups(person), class_="kj-description kj-person-groups"))
        st.button(say("login.leave"), key="login-leave", on_click=_leave)
        st.html(_RETURN, unsafe_allow_javascript=True)


def _groups(person: Person) -> str:
    if person.viewer.sees_all:
        return say("login.everything")
    groups = "、".join(sorted(person.viewer.groups))
    return say("login.groups", groups=groups) if groups else say("login.no_groups")


@st.cache_resource(show_spinner=False)
def _ended_logins() -> set[str]:
    """Logins that somebody has ended: the sessions of other tabs, which keep what the cookie said, end with it."""
    return set()


def _leave() -> None:
    """Log out; nothing of the person stays in this session."""
    if said := claims():
        _ended_logins().add(login_key(said))
    st.session_state.clear()
    st.logout()


def _go_to_provider() -> None:
    address = str(st.secrets["auth"]["server_metadata_url"])
    with st.spinner(say("login.checking")):
        answers = _provider_answers(address)
    if answers:
        st.login()
    else:
        show_error(say("login.unreachable", address=address))


def _provider_answers(address: str) -> bool:
    """Whether the provider describes itself; streamlit would only say "Authentication error" where it does not."""
    try:
        with urlopen(address, timeout=_PROVIDER_SECONDS) as answer:
            said = json.loads(answer.read(_PROVIDER_BYTES))
    except (OSError, ValueError) as error:
        _log.warning("identity provider %s: %r", address, error)
        # The library that logs in may know certificates that the system does not.
        return isinstance(error, URLError) and isinstance(error.reason, ssl.SSLCertVerificationError)
    missing = [name for name in _METADATA if not isinstance(said, dict) or not said.get(name)]
    if missing:
        _log.warning("identity provider %s does not say %s", address, ", ".join(missing))
    return not missing


def _setup_fault() -> str:
    """Why nobody can log in, as a sentence; empty where the set-up is whole."""
    if find_spec("authlib") is None:
        return say("login.no_authlib")
    section = st.secrets.get("auth") if st.secrets.load_if_toml_exists() else None
    if section is None or not hasattr(section, "get"):
        return say("login.no_secrets")
    values = {name: str(section.get(name) or "") for name in _SECRETS}
    if missing := [name for name, value in values.items() if not value.strip()]:
        return say("login.missing", names="、".join(missing))
    if not _is_address(values["redirect_uri"]) or not values["redirect_uri"].endswith("/oauth2callback"):
        return say("login.bad_redirect", value=values["redirect_uri"])
    if not _is_address(values["server_metadata_url"]):
        return say("login.bad_metadata", value=values["server_metadata_url"])
    if len(values["cookie_secret"]) < _LEAST_SECRET:
        return say("login.short_secret", least=_LEAST_SECRET)
    return ""


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
