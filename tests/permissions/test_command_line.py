"""`python -m kaijuan ask --groups`: the command line asks as a visitor unless groups are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kaijuan.__main__ import main
from kaijuan.types import Viewer
from tests.commands import Run, process, runner
from tests.indexing.workplace import NAME, Workplace

QUESTION = "赔付上限是多少"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    place = Workplace(tmp_path)
    place.write("赔付.md", "---\nid: d9\ntitle: 赔付细则\naudience: [客服]\n---\n\n赔付上限为九百元，由值班员决定。\n")
    place.ingest()
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    return runner(capsys)


@pytest.mark.parametrize("groups", ["客服", "财务,客服", "财务， 客服", " 客服 、财务", "*"])
def test_groups_open_their_documents(groups: str, run: Run) -> None:
    ended = run(main, "ask", NAME, QUESTION, "--groups", groups)
    assert ended.status == 0 and "九百元" in ended.out and "d9#0" in ended.out


@pytest.mark.parametrize(
    "arguments", [(), ("--groups", ""), ("--groups", " , "), ("--groups", "财务"), ("--groups", "客")]
)
def test_without_them_nothing_of_a_closed_document_is_printed(arguments: tuple[str, ...], run: Run) -> None:
    for more in ((), ("--json",)):
        ended = run(main, "ask", NAME, QUESTION, *arguments, *more)
        assert ended.status == 0 and ended.err == ""
        assert "九百元" not in ended.out and "d9" not in ended.out and "赔付细则" not in ended.out


def test_as_a_process(run: Run) -> None:
    ended = process("kaijuan", "ask", NAME, QUESTION, "--groups", "客服", "--json")
    assert json.loads(ended.out)["sources"][0]["candidate"]["chunk"]["audience"] == ["客服"]


def test_a_viewer_out_of_one_line() -> None:
    assert Viewer.in_groups("n", "") == Viewer.in_groups("n", " ,；") == Viewer("n")
    assert Viewer.in_groups("n", "甲, 乙;丙") == Viewer("n", frozenset("甲乙丙"))
    assert Viewer.in_groups("n", "甲,*") == Viewer("n", frozenset("甲"), sees_all=True)
