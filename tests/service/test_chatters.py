"""What the benchmark of many users would see: a mixed-up answer, a missing record, questions of the frozen sets."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from benchmarks.chatter_client import KEY, Client, Outcome, Plan, mixed_up
from benchmarks.chatters import chat_all, frozen_questions, records_say, single_user
from tests.indexing.workplace import NAME
from tests.service.serving import made_services, serving

PLAN = Plan((("a", "问"),), {"a": {"s1#0": "甲"}, "b": {"s1#0": "乙"}}, {("a", "问"): ["s1#0"]})
RIGHT: dict[str, Any] = {"question": "问", "collection": "a", "sources": [{"chunk": "s1#0", "text": "甲"}]}


@pytest.mark.parametrize(
    ("changed", "faults"),
    [
        ({}, 0),
        ({"question": "另问"}, 1),
        ({"collection": "b"}, 1),
        ({"sources": []}, 1),
        ({"sources": [{"chunk": "s1#0", "text": "乙"}]}, 1),
        ({"sources": [{"chunk": "s2#0", "text": "丙"}]}, 2),
    ],
)
def test_an_answer_of_somebody_else_is_seen(changed: dict[str, Any], faults: int) -> None:
    assert len(list(mixed_up({**RIGHT, **changed}, "a", "问", PLAN))) == faults


@pytest.mark.parametrize(
    ("kept", "ids", "rows", "faults"),
    [("xy", "xy", 2, 0), ("xyz", "xy", 3, 0), ("x", "xy", 2, 2), ("xyz", "xy", 2, 1), ("xy", "xx", 2, 1)],
)
def test_records_that_do_not_agree_are_seen(tmp_path: Path, kept: str, ids: str, rows: int, faults: int) -> None:
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as db:
        db.execute("CREATE TABLE answers (id TEXT)")
        db.executemany("INSERT INTO answers VALUES (?)", kept)
        db.commit()
    assert len(list(records_say(tmp_path / "r.sqlite", list(ids), rows))) == faults


def test_many_ask_and_everything_adds_up(tmp_path: Path) -> None:
    services = made_services(tmp_path, api_key=SecretStr(KEY))
    questions = [(NAME, "退货运费由谁承担"), (NAME, "电子发票什么时候开")]
    with serving(services) as client:
        address = str(client.base_url)
        plan, single, before = single_user(address, questions)
        outcomes = chat_all(address, plan, chatters=4, seconds=1.0)
    together = [asked for outcome in outcomes for asked in outcome.asked]
    assert [said for outcome in (single, *outcomes) for said in outcome.wrong] == []
    assert len(outcomes) == 4 and all(outcome.asked for outcome in outcomes)
    ids = [asked.id for asked in (*single.asked, *together)]
    assert list(records_say(services.settings.records_file, ids, before + len(together))) == []


def test_a_fault_is_noted(tmp_path: Path) -> None:
    with serving(made_services(tmp_path)) as client:
        outcome = Outcome()
        stranger = Client(str(client.base_url))
        assert stranger.ask(NAME, "退货", outcome) is None and "401" in outcome.wrong[0]
        stranger.close()


def test_only_collections_with_questions_are_asked(tmp_path: Path) -> None:
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "collection.toml").write_text('title = "x"\n', encoding="utf-8")
    line = '{"id": "q1", "question": "问", "gold": ["s1#0"], "kind": ""}\n'
    (tmp_path / "with" / "questions.jsonl").write_text(line, encoding="utf-8")
    assert frozen_questions(tmp_path) == [("with", "问")]
