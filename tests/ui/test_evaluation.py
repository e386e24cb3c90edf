"""The evaluation page over the real services of a small collection: a run, its tiers, what was won and lost, the history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import kaijuan.ui.access
import kaijuan.ui.shared
from kaijuan.evaluation.history import keep_run, load_runs
from kaijuan.indexing.ingest import ingest
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder
from tests.ui.opened import html, opened, served

QUESTIONS = (
    {"id": "q1", "question": "退货运费由谁承担", "gold": ["d1"]},
    {"id": "q2", "question": "发票<b>抬头</b>可以修改几次", "gold": ["d2"]},
    {"id": "q3", "question": "公司食堂几点开门", "gold": []},
)


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    made = Workplace(tmp_path)
    made.write("questions.jsonl", "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in QUESTIONS))
    return made


@pytest.fixture
def services(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    made = place.services(LetterEmbedder())
    ingest(made.collection(NAME), made.ingesting())
    with served(made, monkeypatch):
        yield made


@pytest.fixture
def app(services: Services) -> AppTest:
    return opened("pages/evaluation.py")


def _evaluated(app: AppTest) -> AppTest:
    return app.button(key="evaluation.run").click().run()


def test_a_run_shows_its_tiers_and_is_kept(app: AppTest, services: Services) -> None:
    assert app.info[0].value == say("evaluation.no_runs")
    page = html(_evaluated(app))
    [run] = load_runs(services.settings.data_dir / "evaluations", NAME)
    assert (run.result.scored, run.result.skipped) == (2, 1)
    assert page.count('class="kj-tier"') == 16  # four figures, four tiers
    assert f"{run.result.tier('reranked').figures['rr']:.1%}" in page
    assert say("evaluation.counts", scored=2, skipped=1) in page and run.settings[:8] in page


def test_from_elsewhere_nothing_is_run(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: ("192.168.1.20", {"host": "10.0.0.1:8501"}))
    app.run()
    assert "evaluation.run" not in [button.key for button in app.button] and say("admin.only_admins") in html(app)


def test_unlabelled_questions_never_enter_and_texts_are_escaped(app: AppTest) -> None:
    page = html(_evaluated(app))
    assert "退货运费由谁承担" in page and "公司食堂几点开门" not in page
    assert "<b>抬头</b>" not in page and "&lt;b&gt;抬头&lt;/b&gt;" in page


def test_runs_under_other_settings_are_not_compared_silently(app: AppTest, services: Services) -> None:
    _evaluated(app)
    folder = services.settings.data_dir / "evaluations"
    [run] = load_runs(folder, NAME)
    keep_run(folder, replace(run, at="2020-01-01T00:00:00+00:00", settings="f" * 64))
    page = html(app.run())
    why = say("evaluation.differs_settings")
    assert say("evaluation.no", why=why) in page
    assert [w.value for w in app.warning] == [say("evaluation.incomparable", why=why, count=2)]
    app.selectbox(key="evaluation.chosen").select_index(1).run()
    assert say("evaluation.other_settings", then="f" * 8, now=run.settings[:8]) in [w.value for w in app.warning]


def test_runs_under_the_same_settings_are_compared_without_a_warning(app: AppTest) -> None:
    _evaluated(app)
    page = html(_evaluated(app))
    assert say("evaluation.yes") in page and not app.warning
    assert "0 / 0 / 2" in page


def test_a_pair_of_tiers_can_be_chosen(app: AppTest) -> None:
    _evaluated(app)
    app.selectbox(key="evaluation.pair").select_index(0).run()
    app.selectbox(key="evaluation.figure").select_index(0).run()
    assert not app.exception and say("evaluation.tied") in html(app)


def test_answers_are_held_against_the_labels(app: AppTest) -> None:
    assert say("evaluation.answers_precision") not in html(app)
    page = html(app.button(key="evaluation.answers_run").click().run())
    assert say("evaluation.answers_precision") in page and "/ 1</td>" in page  # one question is to be refused
    assert say("evaluation.answers_precision") in html(app.run())


def test_a_collection_without_labels_says_where_to_make_them(app: AppTest, place: Workplace) -> None:
    (place.folder / "questions.jsonl").unlink()
    app.run()
    assert app.info[0].value == say("evaluation.no_questions", name=NAME) and not app.button


def test_a_damaged_question_file_is_one_sentence(app: AppTest, place: Workplace) -> None:
    place.write("questions.jsonl", "{")
    assert app.run().error[0].value.endswith("。") and not app.exception
