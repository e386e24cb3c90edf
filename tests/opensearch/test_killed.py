"""A server or an ingest that is killed: one sentence, the old build answers, the next ingest puts everything right."""

from __future__ import annotations

import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kaijuan.chunking import chunk
from kaijuan.engines.opensearch import bulk
from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.errors import EngineError, KaijuanError
from kaijuan.readers import read_folder
from kaijuan.settings import ROOT
from kaijuan.wiring import Services, opensearch_server
from tests.field.staging import COLLECTION, OPENSEARCH, VIEWER, Staging, Store
from tests.opensearch.editions import edition_of, question, write_edition
from tests.opensearch.running import OwnServer
from tests.opensearch.sentences import check_sentence, one_sentence
from tests.real_opensearch import client, indices
from tests.retrieval.stand_ins import LetterEmbedder

pytestmark = pytest.mark.slow

#: Documents of the old edition and of the new one, and how many of these have arrived when the server is killed.
FEW, MANY, ARRIVED = 12, 300, 60
PATIENCE = 120.0


@pytest.fixture
def staging(killable: OwnServer, tmp_path: Path) -> Iterator[Staging]:
    """A collection with edition 0 indexed and the documents of edition 1 in its folder."""
    prefix = f"killed-{secrets.token_hex(4)}-"
    with Staging(tmp_path, Store(OPENSEARCH, killable.url, prefix)) as staging:
        write_edition(staging, 0, FEW)
        staging.ingest(LetterEmbedder())
        write_edition(staging, 1, MANY)
        yield staging


@pytest.fixture
def app(staging: Staging) -> Services:
    """The services of an app that has been asked something already."""
    services = staging.services(LetterEmbedder())
    assert asked(services) == 0
    return services


def asked(services: Services, number: int = 3) -> int:
    """The edition that answers a question."""
    return edition_of(services.answer(question(number), COLLECTION, VIEWER))


def check_nothing_is_lost(staging: Staging) -> None:
    """The build that answers holds exactly the passages of the folder, and nothing unfinished is left."""
    wanted = [c.id for document in read_folder(staging.folder).documents for c in chunk(document)]
    server = Server(staging.store.url, prefix=staging.store.prefix)
    with client(server) as asking:
        found = asking.read("POST", f"/{server.prefix}{COLLECTION}/_search", {"size": 10_000, "_source": ["id"]})
    assert sorted(hit["_source"]["id"] for hit in found["hits"]["hits"]) == sorted(wanted)
    assert len(wanted) == MANY
    assert all(index["mappings"]["_meta"]["finished"] for index in indices(server).values())


@contextmanager
def killed_while_documents_arrive(server: OwnServer, prefix: str, then_start: bool = False) -> Iterator[None]:
    """Kill the server from a thread once so many documents of the new build have arrived."""
    before = _arrived(server, prefix)
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set() and _arrived(server, prefix) < before + ARRIVED:
            time.sleep(0.002)
        if not stop.is_set():
            server.kill()
            if then_start:
                server.start()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE)


def _arrived(server: OwnServer, prefix: str) -> int:
    with client(Server(server.url, prefix=prefix)) as asking:
        stats = asking.read("GET", f"/{prefix}*/_stats/indexing")
    return int(stats["_all"]["primaries"].get("indexing", {}).get("index_total", 0))


@pytest.fixture
def small_requests(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Many bulk requests in place of a few large ones."""
    monkeypatch.setattr(bulk, "BATCH_BYTES", 20_000)
    return monkeypatch


def test_killed_while_documents_arrive(
    killable: OwnServer, staging: Staging, app: Services, small_requests: pytest.MonkeyPatch
) -> None:
    small_requests.setattr(bulk, "WAITS", (0.2, 0.2))
    killing = killed_while_documents_arrive(killable, staging.store.prefix)
    with killing, one_sentence(killable.url, "旧索引照常可用", kind=EngineError):
        staging.ingest(LetterEmbedder())
    assert not killable.listens(), "the server was killed before the ingest was over"
    killable.start()
    assert asked(app) == 0
    report = staging.ingest(LetterEmbedder())
    assert len(report.cleaned) == 1 and asked(app) == 1
    check_nothing_is_lost(staging)


def test_killed_and_up_again_while_documents_arrive(
    killable: OwnServer, staging: Staging, app: Services, small_requests: pytest.MonkeyPatch
) -> None:
    small_requests.setattr(bulk, "WAITS", (0.5,) * 240)
    with killed_while_documents_arrive(killable, staging.store.prefix, then_start=True):
        report = staging.ingest(LetterEmbedder())
    assert report.cleaned == () and report.rejected == () and asked(app) == 1
    check_nothing_is_lost(staging)


class KillingEngine(OpenSearchEngine):
    """Its server is killed between a build's last document and the switch to it."""

    server: OwnServer

    def activate(self, collection: str, version: str) -> None:
        """See Engine.activate."""
        self.server.kill()
        super().activate(collection, version)


def test_killed_between_build_and_switch_and_during_questions(
    killable: OwnServer, staging: Staging, app: Services
) -> None:
    ended: list[BaseException] = []
    threads = [threading.Thread(target=_ask_until_it_fails, args=(app, number, ended)) for number in range(4)]
    for thread in threads:
        thread.start()
    engine = KillingEngine(opensearch_server(staging.settings))
    engine.server = killable
    with one_sentence(killable.url, "连接不上", kind=EngineError):
        staging.ingest(LetterEmbedder(), engine)
    engine.close()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(ended) == len(threads)
    for error in ended:
        check_sentence(error, killable.url, "连接不上")
    killable.start()
    assert asked(app) == 0
    staging.ingest(LetterEmbedder())
    assert asked(app) == 1
    check_nothing_is_lost(staging)


def _ask_until_it_fails(app: Services, number: int, ended: list[BaseException]) -> None:
    try:
        while True:
            assert asked(app, number) == 0
    except (KaijuanError, AssertionError) as error:
        ended.append(error)


@pytest.mark.parametrize("moment", ["bulk", "swap"])
def test_a_killed_ingest(staging: Staging, app: Services, moment: str) -> None:
    store = staging.store
    arguments = [str(staging.root), store.url, store.prefix, moment]
    process = subprocess.run([sys.executable, "-m", "tests.opensearch.dying", *arguments], cwd=ROOT, check=False)
    assert process.returncode == -signal.SIGKILL
    left = indices(Server(store.url, prefix=store.prefix))
    assert len(left) == 2 and [i["mappings"]["_meta"]["finished"] for i in left.values()].count(True) == (
        1 if moment == "bulk" else 2
    )
    assert asked(app) == 0
    report = staging.ingest(LetterEmbedder())
    assert len(report.cleaned) == (1 if moment == "bulk" else 0) and asked(app) == 1
    check_nothing_is_lost(staging)


def test_a_server_that_hangs(killable: OwnServer, staging: Staging) -> None:
    engine = OpenSearchEngine(Server(killable.url, timeout=1.0, prefix=staging.store.prefix))
    services = staging.services(LetterEmbedder(), engine)
    assert asked(services) == 0
    killable.send(signal.SIGSTOP)
    try:
        with one_sentence("规定时间", "KAIJUAN_OPENSEARCH_TIMEOUT", kind=EngineError):
            asked(services)
    finally:
        killable.send(signal.SIGCONT)
    assert asked(services) == 0
    engine.close()
