"""A /rerank service over HTTP: the shapes in use, everything within one budget, and each way to fail."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from kaijuan.errors import SettingsError
from kaijuan.models.http_rerank import HttpReranker
from tests.models.scripted_server import Reply, Request, ScriptedServer, answered, failed, page
from tests.models.services import KEY, candidates, failure

TEXTS = ["退款三天内原路退回。", "电子发票在签收后开具。", "退款申请审核通过后处理。"]
JINA = {
    "results": [
        {"index": 2, "relevance_score": 0.9},
        {"index": 0, "relevance_score": 0.4},
        {"index": 1, "relevance_score": -7.1},
    ]
}


@contextmanager
def reranking(*script: Any, **options: Any) -> Iterator[tuple[HttpReranker, ScriptedServer]]:
    """A reranker on a server that plays the script, with time enough unless told otherwise."""
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(*script))
        reranker = HttpReranker(server.url + "/rerank?key=secret", **{"timeout": 30.0, **options})
        stack.callback(reranker.close)
        yield reranker, server


def scored(reranker: HttpReranker, texts: list[str] = TEXTS) -> list[float | None]:
    return reranker.scores("退款几天到账？", candidates(texts), [], {})


@pytest.mark.parametrize(
    ("body", "scores"),
    [
        (JINA, [0.4, -7.1, 0.9]),
        ([{"index": 1, "score": 0.8}, {"index": 0, "score": 0.1}, {"index": 2, "score": 0}], [0.1, 0.8, 0.0]),
        ({"model": "m", "object": "list", "usage": {}, "results": [{"index": 0, "relevance_score": 1.01}]}, [1.01, None, None]),
        ({"data": [{"index": 2, "relevance_score": 0.5}]}, [None, None, 0.5]),
        (
            {"results": [{"index": 1, "relevance_score": 0.5}, {"index": 1, "relevance_score": 9}, {"index": 3, "relevance_score": 9}, {"index": -1, "relevance_score": 9}, {"index": True, "relevance_score": 9}, {"index": 0}, "x", None]},
            [None, 0.5, None],
        ),
    ],
    ids=["jina, cohere", "tei", "llama.cpp", "voyage", "with odd rows"],
)  # fmt: skip
def test_each_shape_of_answer(body: Any, scores: list[float | None]) -> None:
    with reranking(answered(body)) as (reranker, _):
        assert scored(reranker) == scores


def test_what_is_sent_holds_no_field_that_a_strict_server_would_refuse() -> None:
    with reranking(answered(JINA), answered(JINA), key=KEY, model="bge-reranker") as (reranker, server):
        scored(reranker)
        assert server.requests[0].body == {"query": "退款几天到账？", "documents": TEXTS, "model": "bge-reranker"}
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
        assert server.requests[0].path == "/rerank?key=secret"
    with reranking(answered(JINA)) as (reranker, server):
        scored(reranker)
        assert server.requests[0].body.keys() == {"query", "documents"}
        assert "authorization" not in {name.lower() for name in server.requests[0].headers}


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_wants_texts_is_found_out_once(status: int) -> None:
    def tei(request: Request) -> Reply:
        if "texts" not in request.body:
            words = b"Failed to deserialize the JSON body into the target type: missing field `texts` at line 1"
            return Reply(status, {"Content-Type": "text/plain"}, (words,))
        return answered([{"index": i, "score": len(text)} for i, text in enumerate(request.body["texts"])])

    with reranking(tei, tei, tei) as (reranker, server):
        assert scored(reranker) == scored(reranker) == [float(len(text)) for text in TEXTS]
        assert ["texts" in request.body for request in server.requests] == [False, True, True]


def _closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


FAULTS: list[tuple[str, Reply, str, str]] = [
    ("wrong key", failed(401, "", f"key {KEY} is wrong"), "auth", "KAIJUAN_RERANK_API_KEY"),
    ("no rights", failed(403), "auth", "HTTP 403"),
    ("no such path", page(404), "no_model", "KAIJUAN_RERANK_URL"),
    ("refused", failed(422, "", "unknown field: parameter 'documents'"), "refused", "HTTP 422"),
    ("moved", Reply(307, {"Location": "http://127.0.0.1:9/"}), "refused", "HTTP 307"),
    ("busy", failed(429), "busy", "HTTP 429"),
    ("broken", page(502), "busy", "HTTP 502"),
    ("not built in", failed(501, "", "Start it with --reranking"), "refused", "HTTP 501"),
    ("page", page(), "odd", "不是 JSON"),
    ("half", Reply(parts=(b'{"results": [',)), "odd", "不是 JSON"),
    ("bad bytes", Reply(parts=(b"\xff\xfe\xfa",)), "odd", "不是 JSON"),
    ("no scores", answered({"results": []}), "odd", "没有评分"),
    ("another shape", answered({"ok": True}), "odd", "没有评分"),
    ("words for scores", answered({"results": [{"index": 0, "relevance_score": "0.5"}]}), "odd", "没有评分"),
    ("no number", Reply(parts=(b'{"results": [{"index": 0, "relevance_score": NaN}]}',)), "odd", "没有评分"),
    ("a number", answered(7), "odd", "没有评分"),
    ("endless", Reply(parts=(b" " * 1_000_000,) * 6), "odd", "太长"),
    ("cut", Reply(0, end="cut"), "unreachable", "KAIJUAN_RERANK_URL"),
    ("cut in the body", Reply(parts=(b'{"results"',), end="cut"), "unreachable", "KAIJUAN_RERANK_URL"),
    ("another protocol", Reply(0, parts=(b"SSH-2.0-OpenSSH_9.2\r\n",)), "unreachable", "KAIJUAN_RERANK_URL"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "kind", "words"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_each_fault_has_its_kind_and_its_sentence(reply: Reply, kind: str, words: str) -> None:
    with reranking(reply, key=KEY) as (reranker, server):
        error = failure(lambda: scored(reranker))
        assert error.kind == kind and words in str(error)
        assert "secret" not in str(error) + reranker.name and server.url.removeprefix("http://") in str(error)
        assert len(server.requests) == 1, "a question that waits is not kept waiting for a second try"


@pytest.mark.parametrize(
    "slow",
    [
        Reply(0, end="silent"),
        Reply(parts=(b"{",), end="silent"),
        # Never silent for long, and a good answer after ten seconds: a limit on each read alone would wait for it.
        Reply(parts=[part for _ in range(100) for part in (b" ", 0.1)] + [json.dumps(JINA).encode()]),
    ],
    ids=["silent", "silent in the body", "trickling"],
)
def test_the_budget_is_one_for_everything(slow: Reply) -> None:
    with reranking(slow, timeout=0.3) as (reranker, server):
        error = failure(lambda: scored(reranker))
        assert error.kind == "timeout" and "0.3 秒" in str(error) and "KAIJUAN_RERANK_TIMEOUT" in str(error)
        assert server.left.wait(10), "the request is given up, not left running"


@pytest.mark.parametrize("host", [f"127.0.0.1:{_closed_port()}", "no-such-host.invalid"])
def test_a_server_that_is_not_there(host: str) -> None:
    reranker = HttpReranker(f"http://{host}/rerank", timeout=30.0)
    error = failure(lambda: scored(reranker))
    reranker.close()
    assert error.kind == "unreachable" and host in str(error)


def test_a_hundred_passages_in_one_request() -> None:
    def reply(request: Request) -> Reply:
        rows = [{"index": i, "relevance_score": -i} for i, _ in enumerate(request.body["documents"])]
        return answered({"results": rows[::-1]})

    with reranking(reply) as (reranker, _):
        assert scored(reranker, [f"第{n}段" * 80 for n in range(100)]) == [float(-n) for n in range(100)]


def test_without_candidates_nothing_is_asked() -> None:
    with reranking() as (reranker, server):
        assert scored(reranker, []) == [] and server.requests == []


@pytest.mark.parametrize(
    ("make", "setting"),
    [
        (lambda: HttpReranker("http://127.0.0.1:abc/rerank"), "KAIJUAN_RERANK_URL"),
        (lambda: HttpReranker("http://127.0.0.1:9/rerank", "key with blanks"), "KAIJUAN_RERANK_API_KEY"),
    ],
)
def test_settings_that_cannot_be_used_are_named(make: Callable[[], HttpReranker], setting: str) -> None:
    with pytest.raises(SettingsError, match=setting) as error:
        make()
    assert "key with blanks" not in str(error.value)
