"""Tickets told to another system: a real HTTP server takes them, refuses them, goes away and comes back."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from kaijuan.errors import SettingsError
from kaijuan.records import deliveries as deliveries_module
from kaijuan.records.deliveries import Deliveries, Round
from kaijuan.records.record import ticket_about, ticket_of
from kaijuan.records.store import Records
from kaijuan.records.tickets import hand_over, tell_again, ticket
from kaijuan.records.types import Said, Ticket, Webhook
from kaijuan.records.webhook import Receiver, body_of, signature, tell
from kaijuan.types import Viewer
from kaijuan.wiring import load_deliveries
from tests.browser.running import free_port, running_app
from tests.models.scripted_server import Reply, Request, ScriptedServer, answered
from tests.records.made import Clock, record

SECRET = "whsec-Zx81Qm-never-show-this"
#: Seconds until what the background thread should have done is given up.
PATIENCE = 30.0
OK = answered({"ok": True})


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "records.sqlite", 90)


def receiver(url: str, timeout: float = 5.0) -> Receiver:
    return Receiver(f"{url}/tickets?token=abc", SECRET, timeout)


def handed(records: Records, question: str = "能退吗") -> Ticket:
    made = ticket_about(question, "急", Viewer("小王"), "shop", None, [Said("能退吗", "七天[1]。")], "waiting")
    assert hand_over(records, made) is None
    return made


@contextmanager
def telling(records: Records, url: str, timeout: float = 5.0) -> Iterator[Deliveries]:
    """The background thread with short waits, ended with the block as a process ends."""
    deliveries = Deliveries(records, receiver(url, timeout), first_wait=0.05)
    deliveries.start()
    try:
        yield deliveries
    finally:
        deliveries.stop()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def state(records: Records, made: Ticket) -> tuple[Webhook, str]:
    found = ticket(records, made.id)
    assert found is not None
    return found.webhook, found.webhook_said


def header(request: Request, name: str) -> str:
    return {key.lower(): value for key, value in request.headers.items()}[name]


def verifies(request: Request) -> bool:
    """What a receiver does with the signature, from its description alone."""
    stamp, digest = (part.split("=")[1] for part in header(request, "x-kaijuan-signature").split(","))
    wanted = hmac.new(SECRET.encode(), stamp.encode() + b"." + request.raw, hashlib.sha256).hexdigest()
    return hmac.compare_digest(digest, wanted) and abs(int(stamp) - time.time()) < PATIENCE


def test_a_ticket_is_told_once_signed_and_whole(records: Records, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), ScriptedServer(OK) as server, telling(records, server.url) as deliveries:
        made = ticket_of(record(Clock(), "“没有”\n退款？"), "不对", [Said("问", "答")], "waiting")
        hand_over(records, made)
        deliveries.wake()
        until(lambda: state(records, made) == ("sent", ""))
        deliveries.wake()
        time.sleep(0.3)
        [request] = server.requests
    assert verifies(request) and request.path == "/tickets?token=abc"
    assert header(request, "idempotency-key") == made.id and header(request, "content-type") == "application/json"
    told = request.body
    assert (told["id"], told["question"], told["reason"]) == (made.id, "“没有”\n退款？", "不对")
    assert told["transcript"] == [{"question": "问", "text": "答"}] and len(told["chunks"]) == len(made.chunks) > 0
    assert SECRET not in caplog.text and SECRET not in repr(deliveries.__dict__)


def test_another_body_time_or_secret_has_another_signature(records: Records) -> None:
    body = body_of(handed(records))
    signed = {
        signature(SECRET, 1, body),
        signature(SECRET, 2, body),
        signature("x", 1, body),
        signature(SECRET, 1, b""),
    }
    assert len(signed) == 4


@pytest.mark.parametrize("bad", [Reply(500), Reply(503), Reply(429), Reply(0, end="cut")])
def test_it_is_told_again_under_the_same_key(records: Records, bad: Reply) -> None:
    made = handed(records)
    with ScriptedServer(bad, OK) as server, telling(records, server.url):
        until(lambda: state(records, made)[0] == "sent")
        assert len(server.requests) == 2 and all(verifies(request) for request in server.requests)
    assert {header(request, "idempotency-key") for request in server.requests} == {made.id}
    assert len({request.raw for request in server.requests}) == 1
    assert state(records, made) == ("sent", "")


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 404, 422])
def test_a_refusal_is_final_and_says_why(records: Records, status: int) -> None:
    made = handed(records)
    with ScriptedServer(OK) as elsewhere:
        reply = Reply(status, {"Location": f"{elsewhere.url}/other", "Content-Type": "text/plain"}, (b"no",))
        with ScriptedServer(reply, OK) as server, telling(records, server.url):
            until(lambda: state(records, made)[0] == "failed")
            time.sleep(0.3)
            assert len(server.requests) == 1 and elsewhere.requests == []
    said = state(records, made)[1]
    assert str(status) in said and said.endswith("。") and said.count("。") == 1 and "，请" in said
    assert "token" not in said and SECRET not in said


def test_a_receiver_that_is_away_gets_it_after_a_restart(records: Records) -> None:
    made = handed(records)
    away = f"http://127.0.0.1:{free_port()}"
    with telling(records, away):
        until(lambda: state(records, made)[1] != "")
        assert state(records, made)[0] == "waiting" and "连接不上" in state(records, made)[1]
    again = Records(records.path, 90)
    with ScriptedServer(OK) as server, telling(again, server.url):
        until(lambda: state(again, made) == ("sent", ""))
        assert [header(request, "idempotency-key") for request in server.requests] == [made.id]


def test_a_silent_receiver_is_tried_again(records: Records) -> None:
    made = handed(records)
    with ScriptedServer(Reply(end="silent"), OK) as server, telling(records, server.url, timeout=0.3):
        until(lambda: state(records, made)[0] == "sent")
        assert len(server.requests) == 2


def test_tries_are_bounded_and_waits_grow(records: Records) -> None:
    made = handed(records)
    now = [0.0]
    with ScriptedServer(*[Reply(500)] * deliveries_module.TRIES, OK) as server:
        deliveries = Deliveries(records, receiver(server.url), clock=lambda: now[0])
        at = []
        while state(records, made)[0] == "waiting":
            before = len(server.requests)
            deliveries.round()
            if len(server.requests) > before:
                at.append(now[0])
            now[0] += 1.0 if now[0] < 400 else 100.0
        assert len(server.requests) == deliveries_module.TRIES and state(records, made)[0] == "failed"
        waits = [later - earlier for earlier, later in pairwise(at)]
        assert waits == sorted(waits) and waits[-1] <= deliveries_module.LONGEST_WAIT + 100
        assert tell_again(records) == 1 and Deliveries(records, receiver(server.url)).round() == Round(sent=1)


def test_the_receiver_may_ask_for_more_time(records: Records) -> None:
    handed(records)
    now = [0.0]
    with ScriptedServer(Reply(429, {"Retry-After": "50"}), OK) as server:
        deliveries = Deliveries(records, receiver(server.url), clock=lambda: now[0])
        assert deliveries.round() == Round(waiting=1)
        now[0] = 49.0
        assert deliveries.round() == Round(waiting=1) and len(server.requests) == 1
        now[0] = 51.0
        assert deliveries.round() == Round(sent=1)


def test_two_processes_tell_it_once(records: Records) -> None:
    made = handed(records)
    slow = Reply(200, parts=(0.5, b"{}"))
    with ScriptedServer(slow, slow) as server:
        with telling(records, server.url), telling(Records(records.path, 90), server.url):
            until(lambda: state(records, made)[0] == "sent")
            time.sleep(0.5)
        assert len(server.requests) == 1


def test_what_is_not_for_another_system_is_not_told(records: Records) -> None:
    hand_over(records, ticket_about("能退吗", "", Viewer("小王"), "shop"))
    with ScriptedServer(OK) as server:
        assert Deliveries(records, receiver(server.url)).round() == Round()
        assert server.requests == []


@pytest.mark.parametrize(
    "url",
    ["http://tickets.example/", "http://localhost@tickets.example/", "http://127.0.0.1.tickets.example/", "ftp://a/"],
)
def test_only_https_or_this_machine(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("KAIJUAN_WEBHOOK_URL", url)
    monkeypatch.setenv("KAIJUAN_WEBHOOK_SECRET", SECRET)
    with pytest.raises(SettingsError) as raised:
        load_deliveries()
    assert "KAIJUAN_WEBHOOK_URL" in str(raised.value) and SECRET not in str(raised.value)


def test_nothing_is_sent_unsigned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_WEBHOOK_URL", "https://tickets.example/")
    with pytest.raises(SettingsError, match="KAIJUAN_WEBHOOK_SECRET"):
        load_deliveries()
    monkeypatch.delenv("KAIJUAN_WEBHOOK_URL")
    assert load_deliveries() is None


def test_a_server_without_tls_is_said(records: Records) -> None:
    with ScriptedServer(OK) as server:
        came = tell(Receiver(server.url.replace("http://", "https://"), SECRET, 5.0), handed(records))
    assert came.outcome == "again" and came.said.endswith("。") and "127.0.0.1" in came.said


def test_what_waits_is_told_when_the_app_starts_before_anybody_comes(records: Records, tmp_path: Path) -> None:
    made = handed(records)
    with ScriptedServer(OK) as server:
        settings = {"DATA_DIR": str(tmp_path), "WEBHOOK_URL": server.url, "WEBHOOK_SECRET": SECRET}
        with running_app({f"KAIJUAN_{name}": value for name, value in settings.items()}):
            until(lambda: state(records, made) == ("sent", ""))
        assert len(server.requests) == 1
