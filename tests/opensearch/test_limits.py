"""A server that sets limits: too busy, too large, read only, answers that get lost; no document is lost and none doubled."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kaijuan.engines.opensearch import bulk
from kaijuan.engines.opensearch.client import Server
from kaijuan.errors import EngineError
from tests.field.between import Answer, Between, Forward, Reply, Request, between
from tests.field.staging import COLLECTION, OPENSEARCH, VIEWER, Staging, Store
from tests.opensearch.editions import edition_of, question, write_edition
from tests.opensearch.running import OwnServer
from tests.opensearch.sentences import one_sentence
from tests.real_opensearch import client
from tests.retrieval.stand_ins import LetterEmbedder

pytestmark = pytest.mark.slow

#: Breakers of the server; with so low a limit it refuses every request of a question, or of documents, with 429.
QUESTIONS, DOCUMENTS = "indices.breaker.total.limit", "network.breaker.inflight_requests.limit"


@pytest.fixture
def staging(killable: OwnServer, tmp_path: Path) -> Iterator[Staging]:
    """A collection of twelve documents, edition 0 indexed."""
    prefix = f"limits-{secrets.token_hex(4)}-"
    with Staging(tmp_path, Store(OPENSEARCH, killable.url, prefix)) as staging:
        write_edition(staging, 0, 12)
        staging.ingest(LetterEmbedder())
        yield staging


def asked(staging: Staging) -> int:
    """The edition that answers a question."""
    return edition_of(staging.services(LetterEmbedder()).answer(question(3), COLLECTION, VIEWER))


def statuses(watched: Between) -> Counter[int]:
    """How the requests with documents ended."""
    return Counter(status for request, status in watched.seen if request.path.endswith("/_bulk"))


@contextmanager
def cluster_set(url: str, setting: str, value: object) -> Iterator[None]:
    """A setting of the whole cluster, taken back in the end."""

    def put(wanted: object) -> None:
        with client(Server(url)) as asking:
            asking.once("PUT", "/_cluster/settings", {"persistent": {setting: wanted}})

    put(value)
    try:
        yield
    finally:
        put(None)


def test_too_busy_for_questions(killable: OwnServer, staging: Staging) -> None:
    with cluster_set(killable.url, QUESTIONS, "1kb"), one_sentence("忙（429", "请稍后重试", kind=EngineError):
        asked(staging)
    assert asked(staging) == 0


def too_busy_for_documents(server: OwnServer, times: int) -> Answer:
    """So many requests with documents meet a server that is too busy."""
    left = times

    def answer(request: Request, forward: Forward) -> Reply:
        nonlocal left
        if not request.path.endswith("/_bulk") or not left:
            return forward(request)
        left -= 1
        with cluster_set(server.url, DOCUMENTS, "1kb"):
            return forward(request)

    return answer


def test_too_busy_for_documents_for_a_while(killable: OwnServer, staging: Staging) -> None:
    write_edition(staging, 1, 40)
    with between(killable.url, too_busy_for_documents(killable, times=2)) as watched:
        report = staging.through(watched.url).ingest(LetterEmbedder())
    assert statuses(watched) == Counter({429: 2, 200: 1})
    assert report.rejected == () and report.chunks == 40 == len(staging.chunks())
    assert asked(staging) == 1


def test_too_busy_for_documents_for_good(
    killable: OwnServer, staging: Staging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "WAITS", (0.01, 0.01))
    write_edition(staging, 1, 40)
    busy = between(killable.url, too_busy_for_documents(killable, times=1000))
    with busy as watched, one_sentence("429", "旧索引照常可用", kind=EngineError):
        staging.through(watched.url).ingest(LetterEmbedder())
    assert asked(staging) == 0
    assert staging.ingest(LetterEmbedder()).cleaned == () and asked(staging) == 1


def test_requests_that_are_too_large_are_parted(killable: OwnServer, staging: Staging) -> None:
    """The server takes one megabyte at a time (http.max_content_length), the engine sends four."""
    write_edition(staging, 1, 40, sentences=60)
    with between(killable.url) as watched:
        report = staging.through(watched.url).ingest(LetterEmbedder())
    assert statuses(watched)[413] and statuses(watched)[200] > 1
    assert report.rejected == () and len(staging.chunks()) == report.chunks >= 40
    assert asked(staging) == 1


def test_answers_that_are_lost_lose_and_double_nothing(killable: OwnServer, staging: Staging) -> None:
    """Requests with documents are carried out, and the answer does not arrive."""
    lost = 0

    def answer(request: Request, forward: Forward) -> Reply:
        nonlocal lost
        reply = forward(request)
        if request.path.endswith("_bulk") and lost < 3:
            lost += 1
            raise ConnectionAbortedError
        return reply

    write_edition(staging, 1, 40)
    with between(killable.url, answer) as watched:
        report = staging.through(watched.url).ingest(LetterEmbedder())
    assert lost == 3 and report.chunks == 40
    assert sorted(chunk.id for chunk in staging.chunks()) == sorted(f"d{n}.md#0" for n in range(40))


@pytest.mark.parametrize("block", ["create_index", "read_only", "read_only_allow_delete"])
def test_a_cluster_that_takes_no_documents(killable: OwnServer, staging: Staging, block: str) -> None:
    write_edition(staging, 1, 12)
    with cluster_set(killable.url, f"cluster.blocks.{block}", True):
        with one_sentence("拒绝写入", "旧索引照常可用", kind=EngineError):
            staging.ingest(LetterEmbedder())
        assert asked(staging) == 0
    staging.ingest(LetterEmbedder())
    assert asked(staging) == 1
    assert list(staging.versions()) == ["v0001", staging.active()[0]]
