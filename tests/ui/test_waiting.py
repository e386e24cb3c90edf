"""A page that cannot be asked yet says so in one sentence, and looks again by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import kaijuan.ui.shared
from kaijuan.errors import EngineError
from kaijuan.ui.messages import say
from kaijuan.ui.waiting import EVERY
from tests.ui.stand_in import StandIn

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setattr(kaijuan.ui.shared, "load_services", lambda: stand_in)
    st.cache_resource.clear()
    return stand_in


def test_the_page_waits_for_its_engine(services: StandIn) -> None:
    services.faults = [EngineError("搜索引擎 *x* 连接不上，请确认服务已启动。")]
    app = AppTest.from_file(APP, default_timeout=20).run()
    [warning] = app.warning
    said = warning.value.replace("\\", "")
    assert said == say("chat.waiting", sentence="搜索引擎 *x* 连接不上，请确认服务已启动", seconds=EVERY)
    assert said.count("。") == 1 and not app.exception and not app.error
    assert app.button and app.chat_input, "the page is there all the same"
    assert not app.run().warning


def test_a_question_shows_its_own_error_alone(services: StandIn) -> None:
    services.faults = [EngineError("连接不上。")] * 2
    app = AppTest.from_file(APP, default_timeout=20).run()
    app.chat_input[0].set_value("能退吗").run()
    assert services.asked == [("能退吗", "shop")] and not app.warning
