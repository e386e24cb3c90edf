"""The diagnosis page over the real services of a small collection: from question and passage to the guilty stage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from kaijuan.indexing.ingest import ingest
from kaijuan.records.store import Records
from kaijuan.types import Viewer
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder
from tests.ui.opened import html, opened, served, words

ASKED = "退货运费由谁承担"


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    place = Workplace(tmp_path)
    place.write("赔付.md", "---\nid: d9\ntitle: 赔付\naudience: [客服]\n---\n\n延误赔付上限为五十元。\n")
    made = replace(place.services(LetterEmbedder()), records=Records(tmp_path / "records.sqlite", 90))
    ingest(made.collection(NAME), made.ingesting())
    with served(made, monkeypatch):
        yield made


@pytest.fixture
def app(services: Services) -> AppTest:
    return opened("pages/diagnose.py")


def _diagnosed(app: AppTest, question: str, wanted: str) -> AppTest:
    app.text_area(key="diagnose.question").set_value(question)
    app.text_area(key="diagnose.text").set_value(wanted)
    return app.button(key="diagnose.run").click().run()


def _stages(app: AppTest) -> list[tuple[str, bool]]:
    """Stage and whether it is marked as guilty, in the order shown."""
    found = re.findall(r'<li class="kj-stage [^"]*?(kj-guilty)?"[^>]*><div class="kj-stage-name">(\d)', html(app))
    return [(number, bool(guilty)) for guilty, number in found]


def test_nothing_lost(app: AppTest) -> None:
    _diagnosed(app, ASKED, "d1#0")
    assert say("diagnose.none_lost") in words(app)
    assert _stages(app) == [(number, False) for number in "54321"]


def test_the_guilty_stage_is_marked_with_evidence_and_remedy(app: AppTest) -> None:
    _diagnosed(app, ASKED, "会员日当天积分双倍返还")
    assert _stages(app) == [(number, number == "2") for number in "54321"]
    assert 'aria-current="step"' in html(app) and say("diagnose.evidence") in words(app)
    assert [code.value for code in app.code] == [f"python -m ingest {NAME}"]


def test_a_passage_is_picked(app: AppTest) -> None:
    app.radio(key="diagnose.wanted_from").set_value("picked").run()
    app.selectbox(key="diagnose.document").set_value("d2").run()
    app.selectbox(key="diagnose.chunk.d2").set_value("d2#0").run()
    app.text_area(key="diagnose.question").set_value(ASKED)
    app.button(key="diagnose.run").click().run()
    assert "d2#0" in words(app)
    assert _stages(app)[0] == ("5", True), words(app)


def test_what_is_closed_cannot_be_picked_or_learnt(app: AppTest) -> None:
    app.radio(key="diagnose.wanted_from").set_value("picked").run()
    assert "d9" not in app.selectbox(key="diagnose.document").options
    assert not any("赔付" in option for option in app.selectbox(key="diagnose.document").options)
    app.radio(key="diagnose.wanted_from").set_value("pasted").run()
    _diagnosed(app, "延误赔付上限", "延误赔付上限为五十元")
    assert _stages(app)[3] == ("2", True) and "d9" not in html(app) and "客服" not in words(app)


def test_an_answer_on_record(app: AppTest, services: Services) -> None:
    visitor = Viewer()
    for asked in (ASKED, "发票抬头能改吗"):
        record, notice = services.keep(services.answer(asked, NAME, visitor), visitor, None)
        assert notice is None
    assert services.records is not None
    services.records.rate(record.id, "down")
    services.keep(services.answer("电源键", NAME, visitor), Viewer(name="somebody else"), None)
    app.radio(key="diagnose.from").set_value("recorded").run()
    assert len(app.selectbox(key="diagnose.answer").options) == 2, "one's own only"
    app.checkbox(key="diagnose.down").check().run()
    assert [o for o in app.selectbox(key="diagnose.answer").options if "抬头" in o] and len(
        app.selectbox(key="diagnose.answer").options
    ) == 1
    app.text_area(key="diagnose.text").set_value("d2#0")
    app.button(key="diagnose.run").click().run()
    assert "当时" in words(app) and record.version in words(app)


def test_a_result_is_not_shown_for_another_question(app: AppTest) -> None:
    _diagnosed(app, ASKED, "d1#0")
    app.text_area(key="diagnose.question").set_value("别的问题").run()
    assert _stages(app) == []


def test_mistakes_are_one_sentence(app: AppTest) -> None:
    assert _diagnosed(app, "", "").error[0].value == say("diagnose.incomplete")
    assert _diagnosed(app, ASKED, "运费").error[0].value.endswith("。")
    assert _diagnosed(app, "😀", "d1#0").error[0].value.endswith("。")


def test_the_address_holds_question_and_passage(services: Services) -> None:
    made = AppTest.from_file(Path(__file__).parents[2] / "app.py", default_timeout=30)
    made.run()
    made.query_params["q"], made.query_params["w"] = ASKED, "d1#0"
    made.switch_page("pages/diagnose.py")
    made.query_params["q"], made.query_params["w"] = ASKED, "d1#0"
    assert len(_stages(made.run())) == 5
