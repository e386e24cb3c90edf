"""The insights page over real records: charts, answers behind them, the gap report, and CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from kaijuan.indexing.ingest import ingest
from kaijuan.records.store import Records
from kaijuan.ui.charts import column_chart
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, VIEWER, Workplace
from tests.retrieval.stand_ins import LetterEmbedder
from tests.ui.opened import opened, served


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    place = Workplace(tmp_path)
    made = replace(place.services(LetterEmbedder()), records=Records(tmp_path / "records.sqlite", 30))
    ingest(made.collection(NAME), made.ingesting())
    with served(made, monkeypatch):
        yield made


def _opened() -> AppTest:
    return opened("pages/insights.py")


def _html(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(body for element in app.get("html") if "<style" not in (body := element.proto.body))


def _ask(services: Services, *questions: str) -> None:
    for question in questions:
        record, notice = services.keep(services.answer(question, NAME, VIEWER), VIEWER, None)
        assert notice is None and record.id


def test_without_answers_it_says_so(services: Services) -> None:
    assert _opened().info[0].value == say("insights.empty")


def test_ledgers_answers_and_gaps_come_from_the_records(services: Services) -> None:
    _ask(services, "退货运费由谁承担", "SF-9000 打不开", "SF-9000 打不开")
    app = _opened()
    page = _html(app)
    assert page.count("<figure") == 12 and f"<figcaption>{say('insights.answers')}<" in page
    assert say("insights.outcome_refused", why="missing_code") in page
    assert say("insights.gap", count=2, question="SF-9000 打不开") in page
    assert any("status: 草案" in block.value for block in app.code)


def test_only_the_answers_asked_for_are_shown(services: Services) -> None:
    _ask(services, "退货运费由谁承担", "SF-9000 打不开")
    app = _opened()
    which = next(box for box in app.selectbox if box.label == say("insights.which"))
    which.set_value("refused").run()
    rows = [line for line in _html(app).split("<tr>") if "SF-9000" in line or "退货运费" in line]
    assert rows and not any("<td>退货运费由谁承担</td>" in row for row in rows)


def test_a_chart_has_gaps_where_nothing_is_known_and_is_spoken() -> None:
    drawn = column_chart("时间", ("一", "二", "三", "四"), (1.0, None, 3.0, 4.0), "{:.0f}".format)
    assert drawn.count('kj-col"') == 3 and drawn.count("kj-gap") == 1 and "height:25.0%" in drawn
    assert "一 1、三 3、四 4" in drawn and "<b>" not in column_chart("<b>", (), (), str)
    assert "height:0.0%" in column_chart("零", ("一",), (0.0,), str)
