"""The synonyms editor over the real services of a small collection: preview, worse, changed on disk, not for everybody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import kaijuan.ui.access
from kaijuan.evaluation.synonyms_file import load_saves
from kaijuan.indexing.ingest import ingest
from kaijuan.ui.ledger import ledger_html
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, VIEWER, Workplace
from tests.ui.opened import html, opened, served

PATIENCE = 60.0
#: A group under which the question below finds another passage first.
WORSE = "抬头 => 七天、退货、运费、买家、承担"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    made = Workplace(tmp_path)
    gold = {"id": "q1", "question": "电子发票的抬头", "gold": ["d2"]}
    made.write("questions.jsonl", json.dumps(gold, ensure_ascii=False) + "\n")
    return made


@pytest.fixture
def services(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    made = place.services()
    ingest(made.collection(NAME), made.ingesting())
    with served(made, monkeypatch):
        yield made


@pytest.fixture
def app(services: Services) -> AppTest:
    return opened("pages/admin.py")


def _type(app: AppTest, text: str) -> None:
    app.text_area[0].set_value(text).run()


def _preview(app: AppTest) -> None:
    app.button(key="synonyms.preview").click().run()
    assert app.session_state[f"synonyms.run.{NAME}"].wait(PATIENCE)
    app.run()


def _can_save(app: AppTest) -> bool:
    return not app.button(key="synonyms.save").disabled


def _save(app: AppTest) -> None:
    app.button(key="synonyms.save").click().run()


def _file(place: Workplace) -> str | None:
    file = place.folder / "synonyms.txt"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def test_what_was_previewed_can_be_saved_and_counts_at_once(app: AppTest, services: Services, place: Workplace) -> None:
    assert not _can_save(app) and say("synonyms.unchanged") in html(app)
    _type(app, "邮费、运费")
    assert not _can_save(app) and say("synonyms.preview_first") in html(app)
    _preview(app)
    page = html(app)
    assert say("synonyms.is_fine") in page and say("synonyms.no_changes") in page and _can_save(app)
    _type(app, "邮费、运费、路费")
    assert not _can_save(app)  # another text than the one that was previewed
    _type(app, "邮费、运费")
    assert _can_save(app)
    _save(app)
    assert app.success[0].value == say("synonyms.saved", groups=1)
    assert _file(place) == "邮费、运费\n" and app.text_area[0].value == "邮费、运费\n"
    assert not _can_save(app) and say("synonyms.note_fine") in html(app)
    trace = services.answer("邮费谁出", NAME, VIEWER).trace
    assert [hit.chunk.source_id for hit in trace.keyword] == ["d1"]
    [save] = load_saves(services.settings.data_dir / "synonyms", services.collection(NAME))
    assert (save.groups, save.worse, save.by) == (1, False, "")


def test_a_worse_preview_is_saved_with_a_tick_only_and_that_is_noted(
    app: AppTest, services: Services, place: Workplace
) -> None:
    _type(app, WORSE)
    _preview(app)
    page = html(app)
    assert say("synonyms.worse") in page and "q1" in page and "电子发票的抬头" in page and "100.0% → 50.0%" in page
    assert not _can_save(app)
    app.checkbox[0].check().run()
    assert _can_save(app)
    _type(app, WORSE + "\n")
    _preview(app)
    assert not _can_save(app)  # the tick was for another text
    app.checkbox[0].check().run()
    _save(app)
    assert _file(place) == WORSE + "\n" and say("synonyms.note_worse") in html(app)
    [save] = load_saves(services.settings.data_dir / "synonyms", services.collection(NAME))
    assert save.worse and save.before is not None and save.after is not None and save.after < save.before


def test_a_file_that_changed_on_disk_is_not_overwritten(app: AppTest, place: Workplace) -> None:
    _type(app, "邮费、运费")
    _preview(app)
    assert _can_save(app)
    place.write("synonyms.txt", "口令、密码\n")
    _save(app)  # pressed on a page that was drawn before the change
    assert _file(place) == "口令、密码\n"
    assert say("synonyms.changed_on_disk") in [warning.value for warning in app.warning]
    assert "synonyms.save" not in [button.key for button in app.button]
    app.button(key="synonyms.reload").click().run()
    assert app.text_area[0].value == "口令、密码\n" and not app.warning and not _can_save(app)


def test_a_new_build_or_new_questions_ask_for_a_new_preview(app: AppTest, services: Services, place: Workplace) -> None:
    _type(app, "邮费、运费")
    _preview(app)
    assert _can_save(app)
    more = {"id": "q2", "question": "邮费", "gold": ["d1"]}
    with (place.folder / "questions.jsonl").open("a", encoding="utf-8") as questions:
        questions.write(json.dumps(more, ensure_ascii=False) + "\n")
    assert not _can_save(app.run())
    _preview(app)
    assert _can_save(app) and say("synonyms.better") in html(app) and "q2" in html(app)
    place.write("新品.md", "# 新品\n\n新品十月上市。\n")
    ingest(services.collection(NAME), services.ingesting())
    assert not _can_save(app.run())


def test_without_labelled_questions_a_tick_is_asked_for(app: AppTest, place: Workplace) -> None:
    (place.folder / "questions.jsonl").unlink()
    _type(app, "邮费、运费")
    _preview(app)
    assert say("synonyms.unlabelled", name=NAME) in [warning.value for warning in app.warning] and not _can_save(app)
    app.checkbox[0].check().run()
    _save(app)
    assert _file(place) == "邮费、运费\n" and say("synonyms.note_unmeasured") in html(app)


def test_a_wrong_line_is_named_and_not_previewed(app: AppTest) -> None:
    _type(app, "邮费、运费\n口令")
    app.button(key="synonyms.preview").click().run()
    assert "第 2 行" in app.error[0].value and f"synonyms.run.{NAME}" not in app.session_state
    assert "synonyms.save" in [button.key for button in app.button] and not _can_save(app)


def test_a_present_file_with_a_wrong_line_can_be_mended(app: AppTest, place: Workplace) -> None:
    place.write("synonyms.txt", "邮费\n")
    app.run()
    app.button(key="synonyms.reload").click().run()
    assert "第 1 行" in app.error[0].value
    _type(app, "邮费、运费\n")
    _preview(app)
    _save(app)
    assert _file(place) == "邮费、运费\n" and not app.error


def test_who_may_not_administer_sees_no_editor(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: ("192.168.1.20", {"host": "10.0.0.1:8501"}))
    app.run()
    assert len(app.error) == 1 and not app.text_area and not app.button


def test_the_ledger_of_an_answer_names_them(services: Services, place: Workplace) -> None:
    assert say("ledger.synonyms") not in ledger_html(services.answer("邮费谁出", NAME, VIEWER))
    place.write("synonyms.txt", "邮费、<b>、运费\n")
    shown = ledger_html(services.answer("邮费谁出", NAME, VIEWER))
    assert say("ledger.synonyms") in shown and "邮费 → 运费" in shown and "<b>" not in shown


def test_the_bench_says_which_synonyms_were_added(app: AppTest, place: Workplace) -> None:
    place.write("synonyms.txt", "邮费、运费\n")
    app.switch_page("pages/bench.py")
    app.run()
    app.text_input(key="bench.question").set_value("邮费谁出").run()
    line = say("ledger.synonym", word="邮费", added="运费")
    assert f"{say('ledger.synonyms')}: {line}" in html(app).replace("&gt;", ">")
    app.text_input(key="bench.question").set_value("发票抬头").run()
    assert say("ledger.synonyms") not in html(app)
