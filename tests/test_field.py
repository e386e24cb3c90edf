"""The field cases as tests, and the runner itself: it must be able to fail, and may never break off."""

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
from tests.field.runner import run_case
from tests.field.staging import Workshop

FIELD = Path(__file__).parent / "field"
DOCS = [{"id": "a", "text": "税号要填写完整。"}, {"id": "b", "text": "运费由买家承担。"}]


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    return Workshop.open()


@pytest.mark.parametrize("case", load_cases(FIELD), ids=lambda case: case.id)
def test_field_case(case: Case, workshop: Workshop) -> None:
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
    return main([str(folder)])


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
