"""The field cases as tests on both engines, and the runner itself: it must be able to fail, and may never break off."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.field import runner
from tests.field.__main__ import main
from tests.field.cases import Case, load_cases
from tests.field.outcome import shorten
from tests.field.runner import engines_of, run_case
from tests.field.staging import EMBEDDED, ENGINES, OPENSEARCH, EngineName, Workshop
from tests.real_opensearch import NAMED

FIELD = Path(__file__).parent / "field"
DOCS = [{"id": "a", "text": "税号要填写完整。"}, {"id": "b", "text": "运费由买家承担。"}]


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    return Workshop.open()


@pytest.fixture(scope="session")
def workshop_on_opensearch(server_url: str) -> Workshop:
    return Workshop.open(OPENSEARCH, server_url)


def _on(engine: EngineName) -> list[Any]:
    """The cases that are to run on this engine."""
    cases = [case for case in load_cases(FIELD) if engine in engines_of(case, ENGINES)]
    return [pytest.param(case, id=case.id) for case in cases]


@pytest.mark.parametrize("case", _on(EMBEDDED))
def test_field_case(case: Case, workshop: Workshop) -> None:
    _check(case, workshop)


@pytest.mark.slow
@pytest.mark.parametrize("case", _on(OPENSEARCH))
def test_field_case_on_opensearch(case: Case, workshop_on_opensearch: Workshop) -> None:
    _check(case, workshop_on_opensearch)


def test_every_case_has_its_engines() -> None:
    """What the search engine has no part in runs once, what is OpenSearch's own is never left out where there is one."""
    cases = {case.id: case for case in load_cases(FIELD)}
    assert engines_of(cases["S-IDX-01"], ENGINES) == ENGINES
    assert engines_of(cases["S-IDX-05"], ENGINES) == engines_of(cases["S-IDX-08"], ENGINES) == [OPENSEARCH]
    assert engines_of(cases["S-IDX-05"], [EMBEDDED]) == [EMBEDDED]
    for case in cases.values():
        if case.group in ("cjk", "query", "index", "knn", "life") and "file" not in case.input:
            assert OPENSEARCH in engines_of(case, ENGINES), case.id
        if case.group in ("chunk", "fuse", "eval", "date") and "files" not in case.input:
            assert engines_of(case, [OPENSEARCH]) == engines_of(case, ENGINES) == [EMBEDDED], case.id


def _check(case: Case, workshop: Workshop) -> None:
    outcome = run_case(case, workshop)
    if outcome.status == "later":
        pytest.skip(str(outcome))
    if outcome.status == "should":
        pytest.xfail(str(outcome))
    assert outcome.status == "ok", str(outcome)


def _row(exact: dict[str, Any], level: str = "must", kind: str = "cjk.x", **given: Any) -> dict[str, Any]:
    situation = given or {"docs": DOCS, "query": "税号"}
    return {"id": "X-1", "kind": kind, "input": situation, "expect": {"level": level, "exact": exact}}


def _run(folder: Path, *rows: dict[str, Any]) -> int:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "cases.jsonl").write_text(lines, encoding="utf-8")
    return main([str(folder), "--engine", "embedded"])


@pytest.mark.parametrize(
    ("row", "status", "line"),
    [
        (_row({"top": "a"}), 0, "ok X-1 cjk.x"),
        (_row({"top": "b"}), 1, "FAIL X-1 cjk.x: top: differs (expected b, got a)"),
        (_row({"top": "b"}, level="should"), 0, "should X-1 cjk.x: top: differs (expected b, got a)"),
        (_row({"top": "b"}, level="musst"), 1, "FAIL X-1 cjk.x: top: differs (expected b, got a)"),
        (_row({"top": "a", "strange": 1}), 0, "later X-1 cjk.x: unknown key strange"),
        (_row({"top": "b", "strange": 1}), 1, "FAIL X-1 cjk.x: top: differs (expected b, got a)"),
        (_row({}, docs=DOCS, query="税号", strange=1), 0, "later X-1 cjk.x: unknown key input.strange"),
        (_row({}, docs=[{**DOCS[0], "strange": 1}], query="税号"), 0, "later X-1 cjk.x: unknown key docs.strange"),
        (_row({}, kind="strange.x"), 0, "later X-1 strange.x: unknown kind strange.x"),
        (_row({"chunks": 1}, kind="chunk.x", file="files/none.md"), 1, "FAIL X-1 chunk.x: FileNotFoundError: "),
        (_row({"top": "a"}, docs=5, query="税号"), 1, "FAIL X-1 cjk.x: TypeError: "),
    ],
)  # fmt: skip
def test_every_case_ends_in_one_line(
    row: dict[str, Any], status: int, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(tmp_path, row) == status
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2
    assert printed[0].startswith(line)


def test_a_case_of_opensearch_alone_waits_for_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = _row({}, kind="index.bulk", bulk_responses=[])
    assert _run(tmp_path, row) == 0
    assert capsys.readouterr().out.startswith("later X-1 index.bulk: is about OpenSearch")
    monkeypatch.delenv(NAMED, raising=False)
    assert main([str(tmp_path), "--engine", "both"]) == 2
    assert NAMED in capsys.readouterr().err


@pytest.mark.slow
def test_both_engines_have_their_line(
    server_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAMED, server_url)
    _run(tmp_path, _row({"top": "b"}), _row({"first": "a"}, kind="fuse.x", lists=[["a"]], k=60))
    capsys.readouterr()
    assert main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "FAIL X-1 cjk.x",
        "FAIL X-1 cjk.x on OpenSearch",
        "ok X-1 fuse.x",
        "1 ok, 2 FAIL, 0 should, 0 later",
    ]


def test_a_list_of_questions_is_tried_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, _row({"top": "a"}, docs=DOCS, query=["税号", "运费"])) == 1
    assert "'运费'" in capsys.readouterr().out


def test_a_case_without_end_is_broken_off(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep_on(case: Case, workshop: Workshop) -> None:
        while True:
            try:
                time.sleep(5)
            except Exception:  # what swallows every error must not swallow the limit
                continue

    monkeypatch.setitem(runner._GROUPS, "cjk", sleep_on)
    outcome = run_case(Case("X-1", "cjk.x", FIELD), workshop, limit=0.05)
    assert (outcome.status, outcome.reason) == ("FAIL", "still running after 0.05 s")


@pytest.mark.parametrize("content", ["{}\n", "no json\n", "[1]\n", '{"id": 1}\n'])
def test_a_broken_case_file_is_one_sentence(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cases.jsonl").write_text(content, encoding="utf-8")
    assert main([str(tmp_path)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_a_folder_without_cases_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_long_values_are_shortened() -> None:
    assert len(shorten("税" * 1000)) < 200
