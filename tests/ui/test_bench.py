"""The bench over the real services of a small collection: five columns, settings of this page, what is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import kaijuan.ui.access
import kaijuan.ui.shared
from kaijuan.evaluation.questions import load_questions
from kaijuan.indexing.ingest import ingest
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder
from tests.ui.opened import html, opened, served


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    made = Workplace(tmp_path).services(LetterEmbedder())
    ingest(made.collection(NAME), made.ingesting())
    with served(made, monkeypatch):
        yield made


@pytest.fixture
def app(services: Services) -> AppTest:
    return opened("pages/bench.py")


def _asked(app: AppTest, question: str = "退货运费由谁承担") -> AppTest:
    return app.text_input(key="bench.question").set_value(question).run()


def test_five_columns_with_scores_terms_and_moves(app: AppTest) -> None:
    page = html(_asked(app))
    for name in ("keyword", "vector", "fused", "reranked", "context"):
        assert f">{say(f'bench.column_{name}')}</h2>" in page
    assert "<mark>退货</mark>" in page or "<mark>运费</mark>" in page
    assert ("flex-grow:" in page and "kj-up" in page) or say("bench.same") in page


def test_the_request_and_the_prompt_are_those_of_the_question(app: AppTest) -> None:
    shown = [block.value for block in _asked(app).code]
    assert any('"terms"' in text and "退货" in text for text in shown)
    assert any("问题：退货运费由谁承担" in text for text in shown)


def test_settings_count_for_this_page_only(app: AppTest, services: Services) -> None:
    before = html(_asked(app))
    app.checkbox(key="bench.A.vector_leg").uncheck().run()
    after = html(app)
    assert after != before and say("bench.off") in after
    assert services.options(services.collection(NAME)).vector_leg


def test_two_settings_side_by_side(app: AppTest) -> None:
    app.toggle(key="bench.compare").set_value(True).run()
    assert html(_asked(app)).count(f">{say('bench.column_reranked')}</h2>") == 2
    app.slider(key="bench.B.context_chunks").set_value(1).run()
    assert not app.exception


def test_a_question_is_added_with_its_gold(app: AppTest, services: Services) -> None:
    _asked(app)
    app.button(key="bench.save").click().run()
    assert app.error[0].value == say("bench.add_none")
    app.multiselect(key="bench.gold").select("d1#0").run()
    app.button(key="bench.save").click().run()
    assert app.success
    [added] = load_questions(services.collection(NAME).questions_file)
    assert (added.text, added.gold) == ("退货运费由谁承担", ("d1#0",))


def test_from_elsewhere_nothing_is_added(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: ("192.168.1.20", {"host": "10.0.0.1:8501"}))
    keys = [button.key for button in _asked(app).button]
    assert "bench.save" not in keys and say("bench.column_fused") in html(app)


def test_mistakes_are_one_sentence(app: AppTest, services: Services) -> None:
    assert _asked(app, "😀").error[0].value.endswith("。")
    assert not app.exception


def test_another_engine_describes_itself_too(services: Services) -> None:
    trace = services.trace(
        "退货", services.collection(NAME), kaijuan.ui.shared.Viewer(), services.options(services.collection(NAME))
    )
    text = services.request_text(
        trace, replace(services.options(services.collection(NAME)), vector_leg=False), kaijuan.ui.shared.Viewer()
    )
    assert '"vector"' not in text and '"keyword"' in text
