"""Synonyms before they are saved and as they are saved: what a preview finds, who may overwrite whom, what is noted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.errors import CorpusError
from kaijuan.evaluation import __main__ as command
from kaijuan.evaluation.preview import Preview, preview
from kaijuan.evaluation.preview_run import PreviewRun, Subject
from kaijuan.evaluation.questions import Question
from kaijuan.evaluation.run import evaluate
from kaijuan.evaluation.synonyms_file import load_saves, note_save, present_text, save_synonyms
from kaijuan.retrieval.synonyms import parse_synonyms
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, VIEWER, Workplace

QUESTIONS = (
    Question("q1", "邮费谁承担", ("d1",)),
    Question("q2", "电子发票的抬头", ("d2",)),
    Question("q3", "食堂几点开门", ()),
)
#: 抬头 leads away from the passage that holds it.
WORSE = "抬头 => 七天、退货、运费、买家、承担"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    made = Workplace(tmp_path)
    rows = [{"id": q.id, "question": q.text, "gold": list(q.gold)} for q in QUESTIONS]
    made.write("questions.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    made.ingest()
    return made


def _preview(services: Services, text: str) -> Preview:
    steps: list[int] = []
    options = services.options(services.collection(NAME))
    seen = preview(NAME, QUESTIONS, services.stages, options, parse_synonyms(text), steps.append)
    assert sum(steps) == len(QUESTIONS)
    return seen


def test_a_preview_shows_the_figures_before_and_after_and_who_gained(place: Workplace) -> None:
    seen = _preview(place.services(), "邮费 => 运费")
    assert (seen.version, seen.scored, seen.touched, seen.worse) == ("v0001", 2, 1, False)
    same = _preview(place.services(), "")
    assert same.before == same.after and same.changes == () and same.touched == 0 and not same.worse


def test_figures_agree_with_the_evaluation_of_the_saved_file(place: Workplace) -> None:
    services = place.services()
    for text in ("邮费、运费", WORSE):
        seen = _preview(place.services(), text)
        place.write("synonyms.txt", text)
        collection = services.collection(NAME)
        result = evaluate(NAME, NAME, QUESTIONS, services.stages, services.options(collection))
        figures = result.tier("reranked").figures
        assert seen.after == (figures["recall5"], figures["recall20"], figures["rr"])
        (collection.synonyms_file).unlink()


def test_a_worse_preview_says_so_and_names_the_question(place: Workplace) -> None:
    seen = _preview(place.services(), WORSE)
    assert seen.worse and seen.before is not None and seen.after is not None and seen.after[2] < seen.before[2]
    assert [(one.id, one.better) for one in seen.changes] == [("q2", False)]
    assert {one.word for one in seen.changes[0].added} == {"抬头"}


def test_the_way_back_is_better(place: Workplace) -> None:
    place.write("synonyms.txt", WORSE)
    seen = _preview(place.services(), "")
    assert not seen.worse and [(one.id, one.better) for one in seen.changes] == [("q2", True)]


def test_a_present_file_that_cannot_be_read_counts_as_none(place: Workplace) -> None:
    place.write("synonyms.txt", "邮费")
    services = place.services()
    seen = _preview(services, WORSE)
    with pytest.raises(CorpusError, match="第 1 行"):
        evaluate(NAME, NAME, QUESTIONS, services.stages, services.options(services.collection(NAME)))
    services.collection(NAME).synonyms_file.unlink()
    assert seen.changes and seen == _preview(services, WORSE)


def test_without_labelled_questions_there_are_no_figures(place: Workplace) -> None:
    services = place.services()
    options = services.options(services.collection(NAME))
    seen = preview(NAME, QUESTIONS[2:], services.stages, options, parse_synonyms("邮费、运费"))
    assert (seen.before, seen.after, seen.scored, seen.worse) == (None, None, 0, False)


def test_an_edit_counts_at_the_next_question_and_no_reindex_is_needed(place: Workplace) -> None:
    services = place.services()
    without = services.settings_hash(NAME)
    assert services.answer("邮费谁出", NAME, VIEWER).trace.keyword == ()
    place.write("synonyms.txt", "邮费、运费")
    answer = services.answer("邮费谁出", NAME, VIEWER)
    assert [hit.chunk.source_id for hit in answer.trace.keyword] == ["d1"]
    collection = services.collection(NAME)
    assert "运费" in services.request_text(answer.trace, services.options(collection), VIEWER)
    with_synonyms = services.settings_hash(NAME)
    assert with_synonyms != without
    place.write("synonyms.txt", "# 说明\n邮费, 运费\n")
    assert services.settings_hash(NAME) == with_synonyms
    place.write("synonyms.txt", "邮费 => 运费")
    assert services.settings_hash(NAME) not in (without, with_synonyms)
    collection.synonyms_file.unlink()
    assert services.settings_hash(NAME) == without
    assert services.answer("邮费谁出", NAME, VIEWER).trace.keyword == ()


def test_an_ingest_reads_no_synonyms_and_its_gate_asks_with_them(place: Workplace) -> None:
    place.write("synonyms.txt", "电子发票、七天")
    report = place.ingest()
    assert report.unchanged and report.documents == 3
    place.write("synonyms.txt", WORSE)
    services = place.services()
    collection = services.collection(NAME)
    measured = services.measure(collection, "v0001")
    assert measured is not None
    collection.synonyms_file.unlink()
    plain = services.measure(collection, "v0001")
    assert plain is not None and measured.rr < plain.rr


def test_a_data_set_has_no_synonyms(place: Workplace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "synonyms.txt").write_text("邮费、运费", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert place.services().dataset_options().synonyms is None


def test_a_preview_runs_in_the_background(place: Workplace) -> None:
    services = place.services()
    collection = services.collection(NAME)
    subject = Subject(NAME, WORSE, None, QUESTIONS, "")
    run = PreviewRun(subject, services.stages, services.options(collection), parse_synonyms(WORSE))
    assert run.wait(60) and run.fault is None
    assert run.result == _preview(services, WORSE) and (run.done, run.total) == (3, 3)
    nowhere = PreviewRun(replace(subject, collection="nowhere"), services.stages, services.options(collection), None)
    assert nowhere.wait(60) and nowhere.result is None and "nowhere" in str(nowhere.fault)


def test_saving_is_atomic_and_refuses_what_was_not_seen(place: Workplace) -> None:
    collection = place.services().collection(NAME)
    file = collection.synonyms_file
    assert present_text(collection) is None
    assert save_synonyms(collection, "邮费、运费\r\n\n", None) == "邮费、运费\n" == present_text(collection)
    file.chmod(0o640)
    with pytest.raises(CorpusError, match="已被改动"):
        save_synonyms(collection, "口令、密码", None)
    with pytest.raises(CorpusError, match="已被改动"):
        save_synonyms(collection, "口令、密码", "邮费、路费\n")
    with pytest.raises(CorpusError, match="第 1 行"):
        save_synonyms(collection, "口令", "邮费、运费\n")
    assert present_text(collection) == "邮费、运费\n"
    assert save_synonyms(collection, "口令、密码", "邮费、运费\n") == "口令、密码\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert save_synonyms(collection, " \n", "口令、密码\n") == "" == present_text(collection)
    file.unlink()
    with pytest.raises(CorpusError, match="已被改动"):
        save_synonyms(collection, "口令、密码", "")
    assert not [path.name for path in collection.folder.iterdir() if path.name.startswith(".")]


def test_what_cannot_be_written_is_said_and_leaves_nothing(place: Workplace) -> None:
    collection = place.services().collection(NAME)
    gone = replace(collection, folder=collection.folder / "gone")
    with pytest.raises(CorpusError, match="没有写进"):
        save_synonyms(gone, "邮费、运费", None)
    (place.root / "notes").write_text("in the way", encoding="utf-8")
    with pytest.raises(CorpusError, match="KAIJUAN_DATA_DIR"):
        note_save(place.root / "notes", collection, "", "邮费、运费", _preview(place.services(), ""))


def test_saves_are_noted_and_read_back_newest_first(place: Workplace) -> None:
    services = place.services()
    collection, folder = services.collection(NAME), place.root / "notes"
    assert load_saves(folder, collection) == []
    first = note_save(folder, collection, "阿明", WORSE, _preview(services, WORSE))
    with (folder / f"{NAME}.jsonl").open("a", encoding="utf-8") as notes:
        notes.write('{"at": "2026\n')
    second = note_save(folder, collection, "", "", _preview(services, ""))
    assert (first.by, first.groups, first.worse, second.groups, second.worse) == ("阿明", 1, True, 0, False)
    assert load_saves(folder, collection) == [second, first]


def test_the_command_previews_a_file(
    place: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    edited = tmp_path / "edited.txt"
    edited.write_text(WORSE, encoding="utf-8")
    assert command.main(["run", NAME, "--synonyms", str(edited)]) == 0
    said = capsys.readouterr().out
    assert "计分 2 题，检索词因同义词改变的 1 题" in said and "变差 q2 电子发票的抬头" in said
    stored = json.loads((tmp_path / f"synonyms-{NAME}.json").read_text(encoding="utf-8"))
    assert stored["worse"] is True and stored["changes"][0]["id"] == "q2"
    assert present_text(place.services().collection(NAME)) is None
    assert command.main(["run", NAME, "--synonyms", str(tmp_path / "no.txt")]) == 1
    assert "no.txt 无法读取" in capsys.readouterr().err
    edited.write_text("邮费", encoding="utf-8")
    assert command.main(["run", NAME, "--synonyms", str(edited)]) == 1
    assert "edited.txt 第 1 行" in capsys.readouterr().err
    assert command.main(["run", NAME]) == 0
    stored = json.loads((tmp_path / f"evaluation-{NAME}.json").read_text(encoding="utf-8"))
    assert "synonyms" not in stored["options"]
