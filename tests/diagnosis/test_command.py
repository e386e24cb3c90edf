"""`python -m kaijuan diagnose` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kaijuan.__main__ import main
from kaijuan.diagnosis.types import STAGE_NAMES, STAGES
from tests.commands import Run, check_one_sentence, runner
from tests.indexing.workplace import NAME, Workplace

ASKED = "退货运费由谁承担"
CLOSED = "---\nid: d9\ntitle: 赔付\naudience: [客服]\n---\n\n延误赔付上限为五十元。\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    made = Workplace(tmp_path)
    made.write("赔付.md", CLOSED)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    made.ingest()
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_nothing_lost(place: Workplace, run: Run) -> None:
    ended = run(main, "diagnose", NAME, ASKED, "d1#0")
    assert (ended.status, ended.err) == (0, ""), ended
    lines = ended.out.splitlines()
    assert lines[0].startswith("没有丢失") and lines[1].startswith("片段：d1#0")
    named = [line.split()[0] for line in lines[3:8]]
    assert named == [STAGE_NAMES[stage] for stage in reversed(STAGES)]


def test_the_guilty_stage_its_evidence_and_the_command(place: Workplace, run: Run) -> None:
    ended = run(main, "diagnose", NAME, "延误赔付上限", "d9#0")
    marked = [line for line in ended.out.splitlines() if line.startswith(" → ")]
    assert len(marked) == 1 and STAGE_NAMES["index"] in marked[0]
    assert "客服" in ended.out and "办法：" in ended.out
    assert ended.out.splitlines()[-1].strip() == f"python -m ingest {NAME}"
    assert run(main, "diagnose", NAME, "延误赔付上限", "d9#0", "--group", "客服").out.startswith("没有丢失")


def test_json_holds_everything(place: Workplace, run: Run) -> None:
    found = json.loads(run(main, "diagnose", NAME, ASKED, "d2#0", "--json").out)
    assert found["collection"] == NAME and found["stage"] in STAGES
    assert [check["stage"] for check in found["checks"]] == list(reversed(STAGES))


def test_mistakes_are_one_sentence(place: Workplace, run: Run) -> None:
    check_one_sentence(run(main, "diagnose", "nowhere", ASKED, "d1#0"), "nowhere")
    check_one_sentence(run(main, "diagnose", NAME, "？", "d1#0"), "？")
    check_one_sentence(run(main, "diagnose", NAME, ASKED, "d1"[:1]), "编号")
