"""`python -m kaijuan tickets`: what was handed over, whether another system has it, and telling it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.__main__ import main
from kaijuan.records.record import ticket_about
from kaijuan.records.store import Records
from kaijuan.records.tickets import close, hand_over, told
from kaijuan.records.types import Ticket, Webhook
from kaijuan.types import Viewer
from tests.browser.running import free_port
from tests.models.scripted_server import ScriptedServer, answered


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Records:
    monkeypatch.setenv("KAIJUAN_DATA_DIR", str(tmp_path))
    return Records(tmp_path / "records.sqlite", 90)


def handed(records: Records, question: str, webhook: Webhook) -> Ticket:
    made = ticket_about(question, "", Viewer("小王"), "shop", webhook=webhook)
    hand_over(records, made)
    return made


def receiver(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("KAIJUAN_WEBHOOK_URL", url)
    monkeypatch.setenv("KAIJUAN_WEBHOOK_SECRET", "s")


def test_open_tickets_are_listed_with_their_state(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tickets"]) == 0 and capsys.readouterr().out == "没有未处理的工单。\n"
    handed(records, "两行\n的问题", "none")
    told(records, handed(records, "送不到的", "waiting").id, "failed", "工单系统拒收。")
    close(records, handed(records, "处理过的", "sent").id)
    assert main(["tickets"]) == 0
    newest, oldest = capsys.readouterr().out.splitlines()
    assert "没有送到" in newest and newest.endswith("工单系统拒收。") and oldest.endswith("只存在本系统  两行 的问题")


def test_what_could_not_be_told_is_told_again(
    records: Records, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = handed(records, "能退吗", "waiting")
    told(records, made.id, "failed", "工单系统拒收。")
    receiver(monkeypatch, f"http://127.0.0.1:{free_port()}/")
    assert main(["tickets", "--retry"]) == 1 and "等待送达" in capsys.readouterr().out
    with ScriptedServer(answered({})) as server:
        receiver(monkeypatch, server.url)
        assert main(["tickets", "--retry"]) == 0
        assert [request.body["id"] for request in server.requests] == [made.id]
    assert "已送达" in capsys.readouterr().out


def test_without_a_receiver_there_is_nothing_to_retry(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tickets", "--retry"]) == 1
    assert "KAIJUAN_WEBHOOK_URL" in capsys.readouterr().err
