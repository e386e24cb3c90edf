"""Claims of an identity provider → who may see and do what here, and an entrance that is closed where that is not known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from pydantic import ValidationError
from streamlit.config import set_option
from streamlit.testing.v1 import AppTest

import kaijuan.ui.access
import kaijuan.ui.login
import kaijuan.ui.shared
from kaijuan.errors import ViewError
from kaijuan.records.store import Records
from kaijuan.settings import ROOT, Settings
from kaijuan.ui.access import may_administer, may_oversee, warn_if_open_to_others
from kaijuan.ui.claims import group_map, is_fresh, login_key, person_of
from kaijuan.ui.messages import say
from tests.ui.stand_in import StandIn
from tests.ui.test_conversations import TOKEN, address
from tests.ui.test_pages import asked, opened, words

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
BASE: dict[str, object] = {"iss": "https://id.example", "sub": "u1", "name": "陈晨", "groups": ["cs-team"]}
MAPPED = "cs-team: 客服; fin: 财务，审计; urn:x:boss: *; cs-team: 仓储"
SECRETS = {
    "redirect_uri": "http://127.0.0.1:8501/oauth2callback",
    "cookie_secret": "0123456789abcdef" * 2,
    "client_id": "kaijuan",
    "client_secret": "s",
    "server_metadata_url": "https://id.example/.well-known/openid-configuration",
}


def settings(**values: Any) -> Settings:
    return Settings(login="oidc", _env_file=None, **values)


def groups(claims: dict[str, object], **values: Any) -> tuple[set[str], bool]:
    viewer = person_of({**BASE, **claims}, settings(**values)).viewer
    return set(viewer.groups), viewer.sees_all


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        (["客服", " 财务 "], {"客服", "财务"}),
        ("客服", {"客服"}),
        ("CN=a,OU=客服", {"CN=a,OU=客服"}),
        (["*"], {"*"}),
        (["客服", 7, None, ["财务"], ""], {"客服"}),
        ([], set()),
        (None, set()),
        ({"客服": True}, set()),
        (7, set()),
    ],
)
def test_values_of_the_claim_are_groups_as_they_are(claim: object, found: set[str]) -> None:
    assert groups({"groups": claim}) == (found, False)


@pytest.mark.parametrize(
    ("claim", "found", "sees_all"),
    [
        (["cs-team"], {"客服", "仓储"}, False),
        ("fin", {"财务", "审计"}, False),
        (["fin", "unknown"], {"财务", "审计"}, False),
        (["urn:x:boss"], set(), True),
        (["客服", "*", "cs"], set(), False),
        ([], set(), False),
    ],
)
def test_values_are_mapped_and_unknown_ones_are_nothing(claim: object, found: set[str], sees_all: bool) -> None:
    assert groups({"groups": claim}, login_groups=MAPPED) == (found, sees_all)


@pytest.mark.parametrize(
    ("path", "claims", "found"),
    [
        ("realm_access.roles", {"realm_access": {"roles": ["客服"]}}, {"客服"}),
        ("https://x.example/groups", {"https://x.example/groups": ["客服"]}, {"客服"}),
        ("realm_access.roles", {"realm_access": ["客服"]}, set()),
        ("realm_access.roles", {}, set()),
        ("realm_access", {"realm_access": {"roles": ["客服"]}}, set()),
    ],
)
def test_the_claim_may_lie_inside_another(path: str, claims: dict[str, object], found: set[str]) -> None:
    assert groups(claims, login_groups_claim=path) == (found, False)


@pytest.mark.parametrize(
    ("claims", "shown"),
    [
        ({}, "陈晨"),
        ({"name": "  陈\n晨 "}, "陈 晨"),
        ({"name": "", "email": "c@x.example"}, "c@x.example"),
        ({"name": None, "email": 7}, "u1"),
        ({"name": "长" * 400}, "长" * 60),
    ],
)
def test_a_person_has_a_name_to_show(claims: dict[str, object], shown: str) -> None:
    person = person_of({**BASE, **claims}, settings())
    assert person.shown == shown and person.viewer.name.startswith(f"{shown} ")


def test_people_of_one_name_are_two_viewers_and_one_person_is_the_same_again() -> None:
    first = person_of(BASE, settings()).viewer.name
    assert person_of({**BASE, "groups": []}, settings()).viewer.name == first
    for changed in ({"sub": "u2"}, {"iss": "https://other.example"}):
        assert person_of({**BASE, **changed}, settings()).viewer.name != first
    # Nobody takes another's name by calling himself so.
    assert person_of({**BASE, "sub": "u2", "name": first}, settings()).viewer.name != first


@pytest.mark.parametrize("claims", [{"sub": ""}, {"sub": None}, {"iss": None}])
def test_claims_that_do_not_say_who_it_is_are_nobody(claims: dict[str, object]) -> None:
    with pytest.raises(ViewError):
        person_of({**BASE, **claims}, settings())


@pytest.mark.parametrize(
    ("values", "staff", "admin"),
    [
        ({}, True, False),
        ({"admin_groups": "客服"}, True, True),
        ({"admin_groups": "*"}, True, False),
        ({"staff_groups": "财务"}, False, False),
        ({"staff_groups": "财务、客服"}, True, False),
        ({"staff_groups": "财务", "admin_groups": "客服"}, True, True),
    ],
)
def test_staff_and_administrators_are_groups(values: dict[str, str], staff: bool, admin: bool) -> None:
    person = person_of({**BASE, "groups": ["客服"]}, settings(**values))
    assert (person.staff, person.admin) == (staff, admin)


def test_who_sees_every_document_does_not_administer() -> None:
    person = person_of({**BASE, "groups": "urn:x:boss"}, settings(login_groups=MAPPED, admin_groups="*,管理"))
    assert person.viewer.sees_all and not person.admin


@pytest.mark.parametrize(
    ("issued", "fresh"),
    [(0, True), (11.9, True), (12, False), (13, False), (None, False), ("text", False), (True, False)],
)
def test_a_login_grows_old(issued: object, fresh: bool) -> None:
    hours_ago = isinstance(issued, int | float) and not isinstance(issued, bool)
    claim = (NOW - timedelta(hours=float(issued))).timestamp() if hours_ago else issued  # type: ignore[arg-type]
    assert is_fresh({"iat": claim}, 12, NOW) is fresh
    assert not is_fresh({}, 12, NOW)


def test_two_logins_of_one_person_are_told_apart() -> None:
    keys = {login_key({**BASE, "iat": iat, "nonce": nonce}) for iat in (1, 2) for nonce in ("a", "b")}
    assert len(keys) == 4 and login_key({**BASE, "iat": 1, "nonce": "a"}) in keys


def test_the_setting_of_groups_as_it_may_be_written() -> None:
    assert group_map("a： 客服；b:;; c d : * ;") == {"a": "客服", "b": "", "c d": "*"}
    assert group_map("") == group_map(" ; ") == {}
    for wrong in ("客服", ": 客服", "a: 客服; b"):
        with pytest.raises(ValidationError):
            settings(login_groups=wrong)


# The pages. An AppTest has no cookie; what becomes of a real one is tested in a browser.


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    stand_in = StandIn(records=Records(tmp_path / "records.sqlite", days=30))
    monkeypatch.setattr(kaijuan.ui.shared, "load_services", lambda: stand_in)
    monkeypatch.setenv("KAIJUAN_LOGIN", "oidc")
    monkeypatch.setenv("KAIJUAN_ADMIN_GROUPS", "管理")
    monkeypatch.setenv("KAIJUAN_DEMO_ROLES", "主管: *")
    # The machine itself, which administers where nobody logs in.
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: (None, {"host": "127.0.0.1:8501"}))
    monkeypatch.setattr(kaijuan.ui.login, "_setup_fault", lambda: "")
    st.cache_resource.clear()
    yield stand_in
    st.cache_resource.clear()


def plain(shown: str) -> str:
    """A sentence without what keeps its characters from being Markdown."""
    return shown.replace("\\", "")


def log_in(monkeypatch: pytest.MonkeyPatch, **claims: object) -> None:
    said = {**BASE, "iat": datetime.now(UTC).timestamp(), **claims}
    monkeypatch.setattr(kaijuan.ui.login, "claims", lambda: said)


@pytest.mark.parametrize("path", ["", *(f"pages/{name}.py" for name in ("source", "bench", "admin", "insights"))])
def test_nothing_is_shown_to_nobody(services: StandIn, path: str) -> None:
    app = opened(path, c="shop", d="s07", q="能退吗", role="主管")
    assert [button.key for button in app.button] == ["login-enter"]
    assert not (app.chat_input or app.error or app.selectbox or app.sidebar.children) and services.asked == []
    assert say("login.lead") in words(app) and "退货" not in words(app)


def test_a_person_is_shown_and_no_role_is_offered(services: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in(monkeypatch, name="<b>陈</b>", groups=["客服", "财务"])
    app = opened(role="主管")
    said = words(app)
    assert "<b>陈</b>" in said and say("login.groups", groups="客服、财务") in said
    assert "roles.chosen" not in [box.key for box in app.selectbox] and say("login.admin") not in said
    assert say("talks.address") not in said


def test_a_conversation_is_its_owners_whatever_the_address_says(
    services: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(monkeypatch)
    app = asked(opened(), "能退吗")
    assert "s" not in app.query_params
    talk = address(app)["t"]
    assert "七天内可退" in words(opened(t=talk))
    log_in(monkeypatch, sub="u2")
    for where in ({"t": talk}, {"t": talk, "s": TOKEN}):
        stranger = opened(**where)
        assert "不是你的" in stranger.error[0].value and "七天内" not in words(stranger)


def test_a_token_of_the_time_before_the_login_opens_nothing(services: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setenv("KAIJUAN_LOGIN", "off")
        st.cache_resource.clear()
        app = asked(opened(), "能退吗")
        where = address(app)
        assert "七天内可退" in words(opened(**where))
    st.cache_resource.clear()
    assert "七天内" not in words(opened(**where))
    log_in(monkeypatch)
    later = opened(**where)
    assert "不是你的" in later.error[0].value and "七天内" not in words(later) and "s" not in later.query_params


@pytest.mark.parametrize(("group", "open_"), [("客服", False), ("管理", True)])
def test_administrators_are_their_group_and_not_the_machine(
    services: StandIn, monkeypatch: pytest.MonkeyPatch, group: str, open_: bool
) -> None:
    log_in(monkeypatch, groups=[group])
    assert (may_administer(), may_oversee()) == (open_, open_)
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: ("10.0.0.9", {"x-forwarded-for": "10.0.0.1"}))
    assert may_administer() is open_
    if not open_:
        for page in ("admin", "evaluation", "insights"):
            app = opened(f"pages/{page}.py")
            assert [error.value for error in app.error] == [say("login.only_admins")]
            assert [button.key for button in app.button] == ["login-leave"]


def test_where_no_group_administers_the_page_says_what_to_set(
    services: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAIJUAN_ADMIN_GROUPS", "")
    log_in(monkeypatch, groups=["管理", ""])
    assert "KAIJUAN_ADMIN_GROUPS" in plain(opened("pages/admin.py").error[0].value)


def test_somebody_who_is_no_staff_gets_no_further(services: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_STAFF_GROUPS", "客服")
    log_in(monkeypatch, groups=["访客"])
    app = opened(c="shop", q="能退吗")
    assert say("login.stranger", name="陈晨") in words(app) and services.asked == []
    assert [button.key for button in app.button] == ["login-leave"]


def test_an_old_login_has_to_be_made_anew(services: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in(monkeypatch, iat=(datetime.now(UTC) - timedelta(hours=13)).timestamp())
    app = opened(q="能退吗", c="shop")
    assert say("login.expired") in words(app) and services.asked == []
    monkeypatch.setenv("KAIJUAN_LOGIN_HOURS", "14")
    st.cache_resource.clear()
    assert opened().chat_input


@pytest.mark.parametrize(
    ("secrets", "said"),
    [
        (None, "login.no_secrets"),
        ({}, "login.no_secrets"),
        ({"auth": "text"}, "login.no_secrets"),
        ({"auth": {**SECRETS, "client_id": " "}}, "client_id"),
        ({"auth": {"client_id": "x"}}, "redirect_uri、cookie_secret、client_secret、server_metadata_url"),
        ({"auth": {**SECRETS, "redirect_uri": "http://127.0.0.1:8501/"}}, "/oauth2callback"),
        ({"auth": {**SECRETS, "redirect_uri": "/oauth2callback"}}, "/oauth2callback"),
        ({"auth": {**SECRETS, "server_metadata_url": "file:///etc/passwd"}}, "server_metadata_url"),
        ({"auth": {**SECRETS, "cookie_secret": "short"}}, "cookie_secret"),
    ],
)
def test_a_login_that_is_not_set_up_closes_everything(
    secrets: dict[str, Any] | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = StandIn()
    monkeypatch.setattr(kaijuan.ui.shared, "load_services", lambda: stand_in)
    monkeypatch.setenv("KAIJUAN_LOGIN", "oidc")
    st.cache_resource.clear()
    try:
        app = AppTest.from_file(Path(__file__).parents[2] / "app.py", default_timeout=20)
        for name, value in (secrets or {}).items():
            app.secrets[name] = value
        app.query_params["q"] = "能退吗"
        app.run()
        [error] = app.error
        assert (say(said) if said.startswith("login.") else said) in plain(error.value)
        assert plain(error.value).endswith("。") and not app.button and not app.chat_input and stand_in.asked == []
    finally:
        st.cache_resource.clear()


@pytest.mark.parametrize(
    ("login", "address", "warned"),
    [
        ("off", "127.0.0.1", False),
        ("off", "::1", False),
        ("off", "localhost", False),
        ("off", "0.0.0.0", True),
        ("off", "", True),
        ("off", "192.168.1.20", True),
        ("oidc", "0.0.0.0", False),
    ],
)
def test_a_server_without_login_that_others_can_reach_says_so_once(
    login: str, address: str, warned: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = st.get_option("server.address")
    monkeypatch.setenv("KAIJUAN_LOGIN", login)
    st.cache_resource.clear()
    set_option("server.address", address)
    try:
        warn_if_open_to_others()
        warn_if_open_to_others()
        said = [record.getMessage() for record in caplog.records if record.name == "kaijuan.ui"]
        assert len(said) == warned and all("KAIJUAN_LOGIN=oidc" in sentence for sentence in said)
    finally:
        set_option("server.address", before)
        st.cache_resource.clear()


def test_a_secrets_file_gets_neither_into_git_nor_into_the_image() -> None:
    for name in (".gitignore", ".dockerignore"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        shut = max(number for number, line in enumerate(lines) if line.lstrip("/") == ".streamlit/secrets.toml")
        assert not [line for line in lines[shut:] if line.startswith("!.streamlit")]


def test_settings_that_cannot_be_read_close_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_LOGIN", "odic")
    st.cache_resource.clear()
    try:
        app = opened(q="能退吗")
        assert "KAIJUAN_LOGIN" in plain(app.error[0].value) and not app.chat_input and not app.button
    finally:
        st.cache_resource.clear()
