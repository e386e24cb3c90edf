"""`python -m kaijuan ask` as a person calls it: output, exit status, and one sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.__main__ import main as ingest_main
from kaijuan.__main__ import main as kaijuan_main
from kaijuan.answering.types import REFUSAL
from kaijuan.wiring import Services
from tests.commands import Run, check_one_sentence, process, runner
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

QUESTION = "退货运费由谁承担"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    made = Workplace(tmp_path)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def indexed(place: Workplace) -> Workplace:
    place.ingest()
    return place


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_ask_prints_the_answer_and_its_numbered_sources(indexed: Workplace) -> None:
    ended = process("kaijuan", "ask", NAME, QUESTION)
    assert ended.status == 0 and ended.err == ""
    lines = ended.out.splitlines()
    assert "运费由买家承担" in lines[0] and "[1]" in lines[0]
    source = next(line for line in lines if line.startswith("[1] "))
    assert "退货" in source and "2026-01-02" in source and "d1#0" in source
    # Without a model the person is told so.
    assert any(line.startswith("提示：") for line in lines)


def test_ask_json_holds_the_whole_answer_and_its_trace(indexed: Workplace) -> None:
    ended = process("kaijuan", "ask", NAME, QUESTION, "--json")
    assert ended.status == 0
    answer = json.loads(ended.out)
    assert answer["question"] == answer["trace"]["question"] == QUESTION
    assert [source["number"] for source in answer["sources"]] == [1]
    assert answer["sources"][0]["candidate"]["chunk"]["id"] == "d1#0"
    assert answer["refusal"] is None and answer["removed"] == []
    stages = [stage["stage"] for stage in answer["trace"]["stages"]]
    assert stages == ["embed", "search", "fuse", "rerank", "context"]
    assert answer["trace"]["candidates"][0]["keyword_rank"] == 1


def test_a_refusal_is_no_error_and_has_no_sources(indexed: Workplace, run: Run) -> None:
    ended = run(kaijuan_main, "ask", NAME, "SF-9000 打不开")
    assert ended.status == 0 and ended.out.splitlines()[0] == REFUSAL
    assert not any(line.startswith("[") for line in ended.out.splitlines())
    stored = json.loads(run(kaijuan_main, "ask", NAME, "SF-9000 打不开", "--json").out)
    assert stored["sources"] == [] and stored["refusal"]["reason"] == "missing_code"


@pytest.mark.parametrize("question", ["", " ", "\n\t　", "\u200b", "😀😀", "🏳️‍🌈", "？！……", "\x00"])
@pytest.mark.parametrize("json_too", [(), ("--json",)], ids=["text", "json"])
def test_what_is_no_question_is_one_sentence(
    question: str, json_too: tuple[str, ...], indexed: Workplace, run: Run
) -> None:
    check_one_sentence(run(kaijuan_main, "ask", NAME, question, *json_too))


@pytest.mark.parametrize(
    "question",
    [
        "<script>alert(1)</script>",
        "<script>退货运费</script>",
        "退货运费😀由谁承担🙏",
        "'; DROP TABLE vectors; --",
        '退货 "运费" AND (NOT *)',
        "${jndi:ldap://x} {{7*7}} %s %n",
        "\ud83d 退货运费",
    ],
)
def test_odd_questions_are_answered_or_refused_like_any_other(question: str, indexed: Workplace, run: Run) -> None:
    ended = run(kaijuan_main, "ask", NAME, question.encode("utf-8", "replace").decode("utf-8"))
    assert ended.status == 0 and ended.err == "" and ended.out.strip()


@pytest.mark.parametrize("question", ["退货" * 5_000, "退" + " " * 9_998 + "货", "?" * 9_990 + "退货运费谁承担"])
def test_ten_thousand_characters_are_searched_in_part_and_that_is_said(
    question: str, indexed: Workplace, run: Run
) -> None:
    ended = run(kaijuan_main, "ask", NAME, question)
    assert ended.status == 0 and ended.err == ""
    assert any(line.startswith("提示：") and "个字" in line for line in ended.out.splitlines())


def test_an_unknown_collection_is_named_with_the_known_ones(indexed: Workplace, run: Run) -> None:
    for name in ("nichts", "../etc", "", "A" * 300, "<script>"):
        check_one_sentence(run(kaijuan_main, "ask", name, QUESTION), NAME, name[:64])
        check_one_sentence(run(ingest_main, "versions", name), NAME)
    check_one_sentence(process("kaijuan", "ask", "nichts", QUESTION), "nichts", NAME)


def test_a_missing_index_says_what_to_run(place: Workplace, run: Run) -> None:
    check_one_sentence(run(kaijuan_main, "ask", NAME, QUESTION), f"python -m ingest {NAME}")
    assert not place.settings.index_dir.exists(), "asking must not make an index"


def test_an_index_of_another_format_says_what_to_run(indexed: Workplace, run: Run) -> None:
    for file in indexed.settings.index_dir.glob("*/v*/meta.json"):
        stored = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps({**stored, "format": stored["format"] + 1}), encoding="utf-8")
    check_one_sentence(run(kaijuan_main, "ask", NAME, QUESTION), f"python -m ingest {NAME}")
    assert run(ingest_main, NAME).status == 0
    assert run(kaijuan_main, "ask", NAME, QUESTION).status == 0


def test_a_damaged_index_says_what_to_run(indexed: Workplace, run: Run) -> None:
    for file in indexed.settings.index_dir.glob("*/v*/meta.json"):
        file.write_text("{broken", encoding="utf-8")
    check_one_sentence(run(kaijuan_main, "ask", NAME, QUESTION), f"python -m ingest {NAME}")
    assert run(ingest_main, NAME).status == 0


def test_an_index_of_another_model_is_refused_with_what_to_run(
    product: Services, place: Workplace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.ingest(LetterEmbedder())
    (place.settings.data_dir / "models").symlink_to(product.settings.model_dir, target_is_directory=True)
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "bge")
    ended = run(kaijuan_main, "ask", NAME, QUESTION)
    check_one_sentence(ended, LetterEmbedder.name, f"python -m ingest {NAME}")
    assert product.stages.embedder is not None and product.stages.embedder.name in ended.err
    assert run(ingest_main, NAME).status == 0
    assert run(kaijuan_main, "ask", NAME, QUESTION).status == 0


def test_a_model_asked_for_by_name_that_is_not_there_is_one_sentence(
    indexed: Workplace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "bge")
    check_one_sentence(run(kaijuan_main, "ask", NAME, QUESTION), "scripts/setup")
    check_one_sentence(run(ingest_main, NAME), "scripts/setup")


def test_a_broken_collection_file_is_one_sentence(indexed: Workplace, run: Run) -> None:
    indexed.write("collection.toml", "title = \n")
    check_one_sentence(run(kaijuan_main, "ask", NAME, QUESTION), f"{NAME}/collection.toml")
    check_one_sentence(run(ingest_main, "--all"), "collection.toml")


@pytest.mark.parametrize(
    ("setting", "value"), [("KAIJUAN_THREADS", "zero"), ("KAIJUAN_EMBEDDER", "word2vec"), ("KAIJUAN_RRF_K", "0")]
)
def test_a_wrong_setting_is_one_sentence(
    setting: str, value: str, indexed: Workplace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, value)
    check_one_sentence(run(kaijuan_main, "ask", NAME, QUESTION), setting, value)
    check_one_sentence(run(ingest_main, NAME), setting, value)


@pytest.mark.parametrize("arguments", [(), ("ask",), ("ask", NAME), ("frage", NAME, "x")])
def test_a_wrong_call_of_kaijuan_ends_2(arguments: tuple[str, ...], run: Run) -> None:
    ended = run(kaijuan_main, *arguments)
    assert ended.status == 2 and "usage" in ended.err and "Traceback" not in ended.err
