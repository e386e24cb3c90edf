"""The routes of the service over services that a test has made, served by a real server on 127.0.0.1."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette

from kaijuan.indexing.ingest import ingest
from kaijuan.records.store import Records
from kaijuan.service.api import Supplier
from kaijuan.service.routes import service_routes
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

KEY = "钥匙-s3cret"
INTERNAL = "---\nid: d9\ntitle: 内部名单\naudience: 客服\n---\n\n退货率高的买家名单由客服主管保管。\n"


def made_services(root: Path, **settings: Any) -> Services:
    """Services over a small indexed collection, one document of which is for 客服, with records and an API key."""
    place = Workplace(root)
    place.write("内部.md", INTERNAL)
    services = place.services(LetterEmbedder())
    ingest(services.collection(NAME), services.ingesting())
    chosen = services.settings.model_copy(update={"api_key": SecretStr(KEY), **settings})
    return replace(services, settings=chosen, records=Records(chosen.records_file, days=30, patience=0.2))


class _Server(uvicorn.Server):
    """Says when it listens, and on which port."""

    @property
    def port(self) -> int:
        port: int = self.servers[0].sockets[0].getsockname()[1]
        return port


@contextmanager
def serving(services: Services | Supplier) -> Iterator[httpx2.Client]:
    """A client of the routes, with the key of the tests."""
    supplier: Supplier = (lambda: services) if isinstance(services, Services) else services
    app = Starlette(routes=service_routes(supplier))
    server = _Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", access_log=False, ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    assert server.started, "the server did not start"
    # Header values are latin-1 for HTTP; the key's bytes are UTF-8.
    headers = {"Authorization": b"Bearer " + KEY.encode("utf-8")}
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", headers=headers, timeout=20) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def asked(client: httpx2.Client, question: str, **fields: Any) -> httpx2.Response:
    """The reply to a question asked of the tests' collection."""
    return client.post("/api/ask", json={"collection": NAME, "question": question, **fields})


def is_one_sentence(text: str) -> bool:
    """Whether this is one sentence for a person, without a path or a traceback."""
    return text.endswith("。") and text.count("。") == 1 and "\n" not in text and "Traceback" not in text
