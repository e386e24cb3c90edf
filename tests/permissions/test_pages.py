"""The pages as two viewers: the role switch, the source page, its neighbours and permalink, and what a switch clears."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from kaijuan.records.visitors import parse_roles
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder
from tests.ui.opened import html, opened, served, words

ROLES = "访客: ; 客服: 客服, 仓储; 财务: 财务; 主管: *"
SECRET = "赔付上限为九百元"
DOCUMENT = (
    "---\nid: d9\ntitle: 赔付细则\naudience: [客服]\n---\n\n"
    f"## 上限\n\n{SECRET}，由值班员当场决定。\n\n## 审批\n\n赔付超出上限时由组长审批，三天内办完。\n\n"
    "## 归档\n\n赔付单据按月归档，保存五年。\n"
)


class _Navigated(PagesManager):
    """Runs app.py in every run, as a server does once st.navigation was called.

    AppTest alone finds the folder pages/ anew each time and takes its files for pages without an app.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        PagesManager.uses_pages_directory = False


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    place = Workplace(tmp_path)
    place.write("赔付.md", DOCUMENT)
    place.write("collection.toml", 'title = "小集合"\nchunk_chars = 40\noverlap_chars = 0\n')
    place.ingest(LetterEmbedder())
    made = place.services(LetterEmbedder())
    monkeypatch.setattr(app_test, "PagesManager", _Navigated)
    monkeypatch.setenv("KAIJUAN_DEMO_ROLES", ROLES)
    with served(made, monkeypatch):
        yield made


def _as(app: AppTest, role: str) -> AppTest:
    return app.selectbox(key="roles.chosen").set_value(role).run()


def _source(**params: str) -> AppTest:
    return opened("pages/source.py", c=NAME, **params)


def test_the_source_page_as_two_viewers(services: Services) -> None:
    app = _source(d="d9", k="d9#1")
    [closed] = [error.value for error in app.error]
    [missing] = [error.value for error in _source(d="d8", k="d8#1").error]
    assert closed == missing.replace("d8", "d9"), "a closed document is told like one that does not exist"
    assert "赔付" not in words(app) and not app.warning
    shown = _as(app, "客服")
    assert not shown.error and SECRET in words(shown) and 'id="cited"' in html(shown)
    links = {link.proto.label for link in shown.get("page_link")}
    assert {say("source.previous"), say("source.next")} <= links
    for role in ("财务", "访客"):
        again = _as(shown, role)
        assert [error.value for error in again.error] == [closed] and "赔付" not in words(again)
        assert {link.proto.label for link in again.get("page_link")} == {say("source.to_chat")}


def test_a_permalink_keeps_the_role_of_a_demonstration(services: Services) -> None:
    shown = _source(d="d9", k="d9#1", role="客服")
    assert SECRET in words(shown) and shown.selectbox(key="roles.chosen").value == "客服"
    hrefs = re.findall('href="(/source[^"]+)"', html(shown))
    assert hrefs and all("role=%E5%AE%A2%E6%9C%8D" in href for href in hrefs)
    assert [error.value for error in _source(d="d9", role="老板").error], "a role that is not offered is none"


def test_an_unlisted_passage_of_an_open_document_shows_that_document_alone(services: Services) -> None:
    app = _source(d="d1", k="d9#1")
    assert len(app.warning) == 1 and "赔付" not in words(app)


def test_an_answer_is_the_viewers_own_and_a_switch_clears_it(services: Services) -> None:
    app = _as(opened(), "客服")
    app.chat_input[0].set_value("赔付上限是多少").run()
    assert SECRET in words(app)
    visitor = _as(app, "访客")
    assert SECRET not in words(visitor) and "赔付" not in words(visitor) and not visitor.chat_message
    visitor.chat_input[0].set_value("赔付上限是多少").run()
    assert SECRET not in words(visitor) and "d9" not in html(visitor)
    assert not _as(visitor, "客服").chat_message, "nor does anything come back"


def test_the_bench_is_the_viewers_own(services: Services) -> None:
    app = _as(opened("pages/bench.py"), "主管")
    app.text_input(key="bench.question").set_value("赔付上限是多少").run()
    assert "赔付细则" in words(app) and [block for block in app.code if SECRET in block.value]
    visitor = _as(app, "财务")
    assert "赔付细则" not in words(visitor) and "d9" not in html(visitor)
    assert not [block for block in visitor.code if SECRET in block.value or "d9" in block.value]


def test_the_page_says_that_it_is_a_demonstration_and_who_sees_what(services: Services) -> None:
    app = opened()
    assert app.selectbox(key="roles.chosen").value == "访客"
    said = words(app)
    assert say("roles.demo") in said and say("roles.nothing") in said
    assert say("roles.groups", groups="仓储、客服") in words(_as(app, "客服"))
    assert say("roles.everything") in words(_as(app, "主管"))


def test_without_roles_everybody_is_a_visitor(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_DEMO_ROLES", "")
    st.cache_resource.clear()
    app = _source(d="d9", role="客服")
    assert len(app.error) == 1 and [box.key for box in app.selectbox if box.key == "roles.chosen"] == []
    assert "role=" not in html(_source(d="d1"))


def test_roles_as_they_may_be_written() -> None:
    roles = parse_roles("访客：；客服：客服，仓储、 ; 客服: 财务; 主管: * ;")
    assert [(role.name, sorted(role.groups), role.sees_all) for role in roles] == [
        ("访客", [], False),
        ("客服", ["仓储", "客服"], False),
        ("主管", [], True),
    ]
    assert parse_roles("") == parse_roles(" ; ") == ()
