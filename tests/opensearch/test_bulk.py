"""Sending documents: what is put off comes again, what is refused is named, and nothing is lost without a word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kaijuan.engines.opensearch import bulk
from kaijuan.engines.opensearch.bulk import WAITS, Bulk, Item
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.faults import Busy, TooLarge, Unreachable
from kaijuan.errors import EngineError


class ScriptedClient(Client):
    """Answers bulk requests from a list: an exception, or one status for each document (a number: for all)."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(Server("http://127.0.0.1:1"))
        self.answers = list(answers)
        self.sent: list[list[str]] = []

    def once(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        assert (method, path) == ("POST", "/i/_bulk")
        ids = [json.loads(line)["create"]["_id"] for line in body.splitlines()[::2]]
        self.sent.append(ids)
        answer = self.answers.pop(0) if self.answers else 201
        if isinstance(answer, Exception):
            raise answer
        statuses = answer if isinstance(answer, list) else [answer] * len(ids)
        return {"items": [{"create": {"status": status, "error": {"reason": f"why {status}"}}} for status in statuses]}


def item(chunk_id: str) -> Item:
    return Item(chunk_id, json.dumps({"create": {"_id": chunk_id}}).encode() + b"\n{}\n")


def send(client: ScriptedClient, *ids: str) -> list[float]:
    waits: list[float] = []
    write(Bulk(client, "i", waits.append), *ids)
    return waits


def write(writer: Bulk, *ids: str) -> list[tuple[str, str]]:
    for chunk_id in ids:
        writer.add(item(chunk_id))
    writer.flush()
    return writer.refused


def test_only_what_was_put_off_is_sent_again_with_growing_waits() -> None:
    client = ScriptedClient([201, 429, 503], [429, 201], [201])
    assert send(client, "a", "b", "c") == list(WAITS[:2])
    assert client.sent == [["a", "b", "c"], ["b", "c"], ["b"]]


def test_refused_documents_are_left_out_and_named_with_the_reason() -> None:
    client = ScriptedClient([201, 400, 400, 429])
    assert write(Bulk(client, "i", lambda _: None), "a", "b", "c", "d") == [("b", "why 400"), ("c", "why 400")]
    assert client.sent == [["a", "b", "c", "d"], ["d"]]


@pytest.mark.parametrize(("status", "said"), [(403, "权限不够"), (404, "没有所要的索引"), (500, "拒绝了请求")])
def test_what_is_no_fault_of_the_document_stops_the_build(status: int, said: str) -> None:
    with pytest.raises(EngineError, match=said):
        send(ScriptedClient([201, status]), "a", "b")


def test_put_off_for_ever_ends_in_a_sentence() -> None:
    client = ScriptedClient(*[429] * 20)
    with pytest.raises(EngineError, match=r"1 个段落写不进.*a.*旧索引照常可用"):
        send(client, "a")
    assert len(client.sent) == len(WAITS) + 1


@pytest.mark.parametrize("fault", [Busy("忙。"), Unreachable("断了。")])
def test_after_a_lost_answer_a_document_that_is_already_there_is_no_fault(fault: Exception) -> None:
    client = ScriptedClient(fault, [409, 201])
    assert send(client, "a", "b") == [WAITS[0]]


def test_a_document_that_is_there_at_the_first_attempt_is_a_fault() -> None:
    with pytest.raises(EngineError, match="拒绝了请求（409"):
        send(ScriptedClient(409), "a")


def test_a_request_that_is_too_large_is_halved() -> None:
    client = ScriptedClient(TooLarge("大"), TooLarge("大"))
    send(client, "a", "b", "c", "d")
    assert client.sent == [["a", "b", "c", "d"], ["a", "b"], ["a"], ["b"], ["c", "d"]]


def test_a_document_that_alone_is_too_large_is_left_out_and_named() -> None:
    client = ScriptedClient(TooLarge("大"), TooLarge("大"))
    [(chunk_id, why)] = write(Bulk(client, "i", lambda _: None), "a", "b")
    assert chunk_id == "a" and "http.max_content_length" in why
    assert client.sent == [["a", "b"], ["a"], ["b"]]


def test_requests_are_sent_as_they_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "BATCH_BYTES", 2 * len(item("a").lines))
    client = ScriptedClient()
    send(client, "a", "b", "c", "d", "e")
    assert client.sent == [["a", "b"], ["c", "d"], ["e"]]
