"""An answer as server-sent events: their order, what breaks off in the middle, and a client that goes away."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_service import Service
from kaijuan.records.read import answers
from kaijuan.records.types import Filter
from kaijuan.service.metrics import metrics_text
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME
from tests.models.scripted_server import Reply, ScriptedServer, piece, stream, text_stream
from tests.service.serving import asked, is_one_sentence, made_services, serving
from tests.service.text_format import parsed

QUESTION = "退货运费由谁承担"
EVENTS = {"Accept": "text/event-stream"}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return made_services(tmp_path)


def with_model(services: Services, server: ScriptedServer) -> Services:
    return replace(services, chat=OpenAIChat(Service(f"{server.url}/v1", "m", "chat"), 8000))


def events_of(text: str) -> list[tuple[str, Any]]:
    """Names and data of the events; raises ValueError where a block is none."""
    found = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        if not name.startswith("event: ") or not data.startswith("data: "):
            raise ValueError(block)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def streamed(client: httpx2.Client, question: str = QUESTION) -> httpx2.Response:
    return client.post("/api/ask", json={"collection": NAME, "question": question}, headers=EVENTS)


def kept(services: Services) -> list[str]:
    assert services.records is not None
    return [record.id for record in answers(services.records, Filter()).items]


def comes_true(what: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return what()


def test_events_come_in_order_and_add_up(services: Services) -> None:
    with serving(services) as client:
        reply = streamed(client)
        whole = asked(client, QUESTION).json()
    assert reply.status_code == 200 and reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    events = events_of(reply.text)
    names = [name for name, _ in events]
    assert names[0] == "retrieved" and names[-1] == "finished"
    assert set(names[1:-1]) == {"piece"}
    first, last = events[0][1], events[-1][1]
    assert first["collection"] == NAME and first["context"][-1]["chunk"] == "d1#0" and "embed" in first["seconds"]
    assert "".join(data["text"] for name, data in events if name == "piece").strip() == last["text"].strip()
    changing = ("id", "seconds")
    assert {k: v for k, v in last.items() if k not in changing} == {k: v for k, v in whole.items() if k not in changing}
    assert kept(services) == [whole["id"], last["id"]]


def test_what_goes_wrong_before_the_first_event_is_a_status(services: Services) -> None:
    with serving(services) as client:
        reply = streamed(client, "？！")
    assert reply.status_code == 400 and is_one_sentence(reply.json()["error"])


def test_pieces_come_while_the_model_is_still_writing(services: Services) -> None:
    reply = stream([piece("运费由买家承担[2]。"), 3.0, piece("完")])
    with (
        ScriptedServer(reply) as model,
        serving(with_model(services, model)) as client,
        client.stream("POST", "/api/ask", json={"collection": NAME, "question": QUESTION}, headers=EVENTS) as answer,
    ):
        seen = ""
        for part in answer.iter_text():
            seen += part
            if "运费由买家承担" in seen:
                break
        assert "finished" not in seen and events_of(seen)[0][0] == "retrieved"


def test_a_model_that_breaks_off_still_finishes(services: Services) -> None:
    breaking = stream([piece("运费由买家承担[2]。")], end="cut")
    with ScriptedServer(breaking) as model, serving(with_model(services, model)) as client:
        events = events_of(streamed(client).text)
    assert events[-1][0] == "finished" and events[-1][1]["incomplete"] and len(kept(services)) == 1


def without_end() -> Reply:
    """A model that writes a piece every 50 ms for half a minute."""
    return stream([part for _ in range(600) for part in (piece("运费"), 0.05)])


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_goes_away_stops_the_work(services: Services, accept: str) -> None:
    body = {"collection": NAME, "question": QUESTION}
    with ScriptedServer(without_end()) as model, serving(with_model(services, model)) as client:
        opened = client.build_request("POST", "/api/ask", json=body, headers={"Accept": accept}, timeout=1.0)
        if accept == EVENTS["Accept"]:
            answer = client.send(opened, stream=True)
            next(answer.iter_text())
            answer.close()
        else:
            with pytest.raises(httpx2.ReadTimeout):
                client.send(opened)
        assert comes_true(model.left.is_set), "the request to the model goes on"
        metrics = parsed(client.get("/metrics").text)
    assert len(model.requests) == 1 and kept(services) == []
    # What was stopped is no answer, and no failure either.
    for outcome in ("answered", "refused", "failed"):
        assert metrics.value("kaijuan_answers_total", collection=NAME, outcome=outcome) == 0


def test_an_error_in_the_middle_is_the_last_event(services: Services) -> None:
    class Breaking:
        """Says something and then has a fault of its own."""

        name = model = "breaking"

        def __getattr__(self, name: str) -> Any:
            raise ZeroDivisionError("secret detail")

    broken: Any = Breaking()
    with serving(replace(services, chat=broken)) as client:
        reply = streamed(client)
    name, said = events_of(reply.text)[-1]
    assert reply.status_code == 200 and name == "error" and is_one_sentence(said["error"])
    assert "secret" not in reply.text and kept(services) == []
    counted = parsed(metrics_text(services))
    assert counted.value("kaijuan_answers_total", collection=NAME, outcome="failed") == 1


def test_slow_answers_do_not_hold_up_probes(services: Services) -> None:
    def slow(_: object) -> Reply:
        return stream([piece("运费"), 5.0, piece("由买家承担")])

    body = {"collection": NAME, "question": QUESTION}
    with ScriptedServer(*[slow] * 20) as model, serving(with_model(services, model)) as client:
        open_streams: list[Iterator[str]] = []
        held = []
        with httpx2.Client(
            base_url=client.base_url, headers=client.headers, timeout=20, limits=httpx2.Limits(max_connections=40)
        ) as many:
            for _ in range(20):
                answer = many.send(many.build_request("POST", "/api/ask", json=body, headers=EVENTS), stream=True)
                held.append(answer)
                open_streams.append(answer.iter_text())
            assert all("retrieved" in next(text) for text in open_streams), "all twenty are worked on"
            assert client.get("/readyz").status_code == 200 and "kaijuan_" in client.get("/metrics").text
            for answer in held:
                answer.close()


def test_a_model_answers_through_the_api(services: Services) -> None:
    usage = {"prompt_tokens": 700, "completion_tokens": 30, "total_tokens": 730}
    worded = text_stream("运费由买家承担[9]。", usage=usage)
    with ScriptedServer(worded) as model, serving(with_model(services, model)) as client:
        said = asked(client, QUESTION).json()
        metrics = parsed(client.get("/metrics").text)
    assert said["removed"] == [9] and said["tokens"] == {"input_tokens": 700, "output_tokens": 30}
    assert metrics.value("kaijuan_citations_invented_total", collection=NAME) == 1
    assert metrics.value("kaijuan_tokens_total", collection=NAME, direction="input") == 700
    assert metrics.value("kaijuan_tokens_total", collection=NAME, direction="output") == 30
    assert metrics.value("kaijuan_first_text_seconds_count", collection=NAME) == 1
