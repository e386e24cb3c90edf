"""The tour's card on the chat page: there in a demonstration alone, and each of its buttons asks for itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import streamlit as st

from kaijuan.collection import Stop
from kaijuan.records.visitors import DEMO_TOKEN
from kaijuan.ui.messages import say
from tests.ui.opened import html, opened, served, words
from tests.ui.stand_in import COLLECTION, OTHER, StandIn

STOPS = (Stop(2, "能退吗 ~1~？", "看<b>退货</b>。"), Stop(3, "疑问", "看矛盾。", role="客服"))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    made = StandIn(listed=(replace(COLLECTION, tour=STOPS), replace(OTHER, tour=(Stop(1, "云上的退款", "看云。"),))))
    monkeypatch.setenv("KAIJUAN_DEMO", "true")
    monkeypatch.setenv("KAIJUAN_DEMO_ROLES", "访客: ; 客服: 客服")
    with served(made, monkeypatch):
        yield made


def test_stops_of_all_collections_in_their_order(stand_in: StandIn) -> None:
    app = opened(c="shop")
    labels = [button.label for button in app.button if str(button.key).startswith("tour.")]
    assert labels[0].startswith("1") and "云上的退款" in labels[0] and "疑问" in labels[2]
    assert labels[3] == say("tour.as_role", role="客服")
    assert app.expander[0].label == say("tour.title", count=3)
    shown = html(app)
    assert "看云。" in shown and "看&lt;b&gt;退货&lt;/b&gt;。" in shown


def test_a_stop_of_another_collection_is_asked_there(stand_in: StandIn) -> None:
    app = opened(c="shop")
    app.button(key="tour.1").click().run()
    assert stand_in.asked == [("云上的退款", "yunti")]
    assert app.selectbox(key="chat.collection").value == "yunti"
    assert f"{say('tour.look')} 看云。" in " ".join(words(app).split())


def test_every_stop_is_a_conversation_of_its_own(stand_in: StandIn) -> None:
    app = opened(c="shop")
    app.button(key="tour.2").click().run()
    app.button(key="tour.1").click().run()
    assert stand_in.earlier == [(), ()]
    assert len({conversation for _, conversation in stand_in.kept}) == 2
    assert len(app.chat_message) == 2


def test_a_stop_of_two_roles(stand_in: StandIn) -> None:
    app = opened(c="shop")
    app.button(key="tour.3.role").click().run()
    assert app.selectbox(key="roles.chosen").value == "客服" and stand_in.asked == [("疑问", "shop")]
    app.button(key="tour.3").click().run()
    assert app.selectbox(key="roles.chosen").value == "访客" and stand_in.asked == [("疑问", "shop")] * 2


def test_a_role_that_is_not_offered_is_not_asked_for(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_DEMO_ROLES", "访客: ")
    st.cache_resource.clear()
    assert [button.key for button in opened(c="shop").button if str(button.key).endswith(".role")] == []


def test_the_conversations_of_a_demonstration_are_there_for_every_browser(stand_in: StandIn) -> None:
    assert opened(c="shop").query_params["s"] == DEMO_TOKEN


def test_without_a_demonstration_nothing_is_there(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_DEMO", "false")
    st.cache_resource.clear()
    app = opened(c="shop")
    assert not app.expander and "看云。" not in html(app)
    assert len(app.query_params["s"]) == len(DEMO_TOKEN) and app.query_params["s"] != DEMO_TOKEN
