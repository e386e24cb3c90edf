"""The app as it is started, pages and service in one process, and what a restart leaves."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
import streamlit as st

import kaijuan.ui.shared
from kaijuan.records.read import answers
from kaijuan.records.store import Records
from kaijuan.records.types import Filter
from kaijuan.settings import Settings
from kaijuan.types import Viewer
from kaijuan.wiring import Services, load_services
from tests.browser.running import running_app
from tests.indexing.workplace import NAME, Workplace
from tests.service.text_format import parsed
from tests.ui.test_conversations import address, listed
from tests.ui.test_pages import asked, opened, words

KEY = "k" * 20
QUESTION = "退货运费由谁承担"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.ingest()
    return place


def client_of(app: str) -> httpx2.Client:
    return httpx2.Client(base_url=app, headers={"Authorization": f"Bearer {KEY}"}, timeout=30)


@pytest.mark.slow
def test_pages_and_service_live_together_and_records_survive(place: Workplace) -> None:
    environment = {**place.environment, "KAIJUAN_API_KEY": KEY}
    body = {"collection": NAME, "question": QUESTION}
    with running_app(environment) as app, client_of(app) as client:
        ready = client.get("/readyz")
        assert ready.status_code == 200 and ready.json()["ready"]
        page = client.get("/")
        assert page.status_code == 200 and '<div id="root">' in page.text
        assert client.get("/source?c=tiny&d=d1").text == page.text, "deep links give the pages"
        script = page.text.split('src="./static/')[1].split('"')[0]
        assert (
            client.get(f"/static/{script}")
            .headers["content-type"]
            .startswith(("text/javascript", "application/javascript"))
        )
        assert client.get("/_stcore/health").text == "ok"
        whole = client.post("/api/ask", json=body).json()
        streamed = client.post("/api/ask", json=body, headers={"Accept": "text/event-stream"})
        assert streamed.text.startswith("event: retrieved\n") and "content-encoding" not in streamed.headers
        assert client.post("/api/search", json=body).json()["context"][-1]["chunk"] == "d1#0"
        assert client.post("/api/ask", json=body, headers={"Authorization": "Bearer x"}).status_code == 401
        metrics = parsed(client.get("/metrics").text)
        assert metrics.value("kaijuan_answers_total", collection=NAME, outcome="answered") == 2
        with pytest.raises(ConnectionRefusedError):
            # Another address of this very machine: the app listens to one alone.
            socket.create_connection(("127.0.0.2", urlsplit(app).port or 0), 5)
    with running_app(environment) as app, client_of(app) as client:
        client.post("/api/ask", json=body)
        metrics = parsed(client.get("/metrics").text)
        assert metrics.value("kaijuan_answers_total", collection=NAME, outcome="answered") == 1
        assert metrics.value("kaijuan_records_answers", collection=NAME, outcome="answered") == 3
    kept = answers(Records(place.settings.records_file, 90), Filter()).items
    assert len({record.id for record in kept}) == 3 and whole["id"] in {record.id for record in kept}


@pytest.fixture
def restarting(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Services]]:
    """The services of every start so far; clearing the cache ends a process as far as a page can see."""
    started: list[Services] = []

    def load() -> Services:
        started.append(load_services(Settings(**place.settings.model_dump(), _env_file=None)))
        return started[-1]

    monkeypatch.setattr(kaijuan.ui.shared, "load_services", load)
    st.cache_resource.clear()
    yield started
    st.cache_resource.clear()


def test_a_conversation_goes_on_after_a_restart(restarting: list[Services]) -> None:
    app = asked(opened(), QUESTION)
    assert "运费由买家承担" in words(app)
    where = address(app)
    st.cache_resource.clear()
    again = opened(**where)
    assert "运费由买家承担" in words(again) and listed(again) == [QUESTION] and len(restarting) == 2
    asked(again, "电子发票什么时候开")
    assert "签收后开具" in words(again) and restarting[0] is not restarting[1]
    assert listed(opened(**where)) == [QUESTION], "it is one conversation"


def test_pages_and_service_have_the_same_services(restarting: list[Services]) -> None:
    asked(opened(), QUESTION)
    shared = kaijuan.ui.shared.process_services()
    assert restarting == [shared]
    assert shared.meters.counted().counters["answers", NAME, "answered"] == 1
    list(shared.ask(QUESTION, NAME, Viewer()))
    assert len(restarting) == 1
