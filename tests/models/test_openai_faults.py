"""Each way in which a service fails has its kind and its sentence; what passes by itself is tried again."""

from __future__ import annotations

import logging
import socket
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_client import FIRST_WAIT, LONGEST_WAIT
from kaijuan.models.openai_service import Service
from tests.models.scripted_server import Reply, ScriptedServer, answered, failed, page, stream, text_stream
from tests.models.services import ASKED, KEY, chatting, embedding, failure, streamed

FAULTS: list[tuple[str, Reply, str, str]] = [
    ("wrong key", failed(401, "invalid_api_key", f"Incorrect API key provided: {KEY}."), "auth", "API_KEY"),
    ("no rights", failed(403, "", f"Country not supported。 {KEY}"), "refused", "Country not supported"),
    ("no model", failed(404, "model_not_found", "The model `m` does not exist"), "no_model", "CHAT_MODEL"),
    ("no model 400", failed(400, "", "Model Not Exist"), "no_model", "CHAT_MODEL"),
    ("no model 403", failed(403, "model_not_found", "no access to model m"), "no_model", "CHAT_MODEL"),
    ("wrong address", page(404), "no_model", "BASE_URL"),
    ("busy", failed(429, "rate_limit_exceeded", "slow down"), "busy", "429"),
    ("busy for long", failed(429, "", "", headers={"Retry-After": "95"}), "busy", "请 95 秒后再试"),
    ("no money", failed(429, "insufficient_quota", "You exceeded your current quota"), "quota", "充值"),
    ("no money 402", failed(402, "", "Insufficient Balance"), "quota", "充值"),
    ("no money 403", failed(403, "Arrearage", "Access denied"), "quota", "充值"),
    (
        "too long",
        failed(400, "context_length_exceeded", "maximum context length is 8192"),
        "too_long",
        "CONTEXT_TOKENS",
    ),
    (
        "too long, llama.cpp",
        failed(400, "", "request (8429 tokens) exceeds the available context size (4096 tokens), try increasing it"),
        "too_long",
        "CONTEXT_TOKENS",
    ),
    ("too long 413", page(413), "too_long", "CONTEXT_TOKENS"),
    ("filter", failed(400, "content_filter", "The response was filtered"), "filtered", "换一种问法"),
    ("filter, other words", failed(400, "", "Content Exists Risk"), "filtered", "换一种问法"),
    ("refused", failed(400, "", "messages is\n not a list。"), "refused", "messages is not a list）"),
    ("refused, plain text", answered({"error": "no chat here"}, 400), "refused", "no chat here"),
    ("refused, detail", answered({"detail": "Not allowed"}, 405), "refused", "Not allowed"),
    ("refused, list", answered([{"a": 1}], 422), "refused", "HTTP 422"),
    ("not built in", failed(501, "", "This server does not support chat"), "refused", "does not support"),
    ("page", page(502), "busy", "HTTP 502"),
    ("overloaded", failed(529, "", "overloaded"), "busy", "overloaded"),
    ("broken answer", Reply(200, {"Content-Type": "text/event-stream"}, (b"data: {\n\n",)), "odd", "不是 JSON"),
    ("error in the stream", stream([{"error": {"message": "gone", "code": "server_gone"}}]), "refused", "gone"),
    ("overload in the stream", stream([{"error": {"message": "upstream", "code": 502}}]), "busy", "upstream"),
    ("silence", Reply(0, end="silent"), "timeout", "OPENAI_TIMEOUT"),
    ("silence in the body", stream([], end="silent"), "timeout", "OPENAI_TIMEOUT"),
    ("silence in an error", Reply(500, parts=(b'{"error"',), end="silent"), "timeout", "OPENAI_TIMEOUT"),
    ("cut", Reply(0, end="cut"), "unreachable", "BASE_URL"),
    ("cut in the body", stream([], end="cut"), "unreachable", "BASE_URL"),
    ("cut in an error", Reply(500, parts=(b'{"error"',), end="cut"), "unreachable", "BASE_URL"),
]


@pytest.mark.parametrize(("reply", "kind", "words"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_each_fault_has_its_kind_and_its_sentence(
    reply: Reply, kind: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with chatting(reply, timeout=0.5) as (chat, server):
        error = failure(lambda: list(chat.stream(ASKED, 50)))
        assert error.kind == kind and words in str(error)
        assert len(server.requests) == 1
        everything = (
            "".join(traceback.format_exception(error)) + repr(error) + repr(chat) + repr(vars(chat)) + caplog.text
        )
        assert KEY not in everything and "<html" not in everything


def test_a_page_of_html_is_never_shown() -> None:
    with chatting(page(500)) as (chat, _):
        assert "html" not in str(failure(lambda: list(chat.stream(ASKED, 50))))


def test_a_long_message_is_cut() -> None:
    with chatting(failed(400, "", "x" * 100_000)) as (chat, _):
        assert "x…）" in str(failure(lambda: list(chat.stream(ASKED, 50))))


def test_a_password_in_the_address_is_not_shown() -> None:
    with ScriptedServer(failed(400)) as server:
        hidden = server.url.replace("//", "//user:secret@")
        other = OpenAIChat(Service(hidden, "m", "chat", KEY, retries=0), 8000)
        error = failure(lambda: list(other.stream(ASKED, 50)))
        other.close()
        assert "secret" not in str(error) and server.url.removeprefix("http://") in str(error)


def _closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize("host", [f"127.0.0.1:{_closed_port()}", "no-such-host.invalid"])
def test_a_server_that_is_not_there(host: str) -> None:
    chat = OpenAIChat(Service(f"http://{host}/v1", "m", "chat", KEY, retries=0), 8000)
    error = failure(lambda: list(chat.stream(ASKED, 50)))
    chat.close()
    assert error.kind == "unreachable" and host in str(error) and "BASE_URL" in str(error)


def test_a_server_that_speaks_another_protocol() -> None:
    with chatting(Reply(0, parts=(b"SSH-2.0-OpenSSH_9.2\r\n",))) as (chat, _):
        assert failure(lambda: list(chat.stream(ASKED, 50))).kind == "unreachable"


@pytest.mark.parametrize(
    "passing",
    [
        failed(429, "rate_limit_exceeded"),
        failed(500),
        page(503),
        failed(408),
        Reply(0, end="cut"),
        stream([], end="cut"),
        stream([{"choices": []}], end="cut"),
        stream([{"error": {"message": "overloaded", "code": 503}}]),
    ],
    ids=["429", "500", "503", "408", "cut", "cut in the body", "cut before text", "error in the stream"],
)
def test_what_passes_is_tried_again(passing: Reply) -> None:
    with chatting(passing, text_stream("可以退。"), retries=2) as (chat, server):
        assert streamed(chat)[0] == "可以退。"
        assert len(server.requests) == 2
        assert server.requests[0].body == server.requests[1].body


@pytest.mark.parametrize(
    "lasting", [row for row in FAULTS if row[2] not in ("busy", "unreachable")], ids=lambda r: r[0]
)
def test_what_does_not_pass_is_not_tried_again(lasting: tuple[str, Reply, str, str]) -> None:
    with chatting(lasting[1], text_stream("好"), retries=2, timeout=0.5) as (chat, server):
        assert failure(lambda: list(chat.stream(ASKED, 50))).kind == lasting[2]
        assert len(server.requests) == 1


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_no_more_often_than_the_settings_allow_and_each_wait_longer(retries: int) -> None:
    with chatting(*[failed(503)] * 5, retries=retries) as (chat, server):
        assert failure(lambda: list(chat.stream(ASKED, 50))).kind == "busy"
        times = [request.at for request in server.requests]
    assert len(times) == retries + 1
    for attempt, (before, after) in enumerate(pairwise(times)):
        assert after - before >= FIRST_WAIT * 2**attempt


def _in(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "at_least"),
    [
        (lambda: {"Retry-After": "2"}, 2.0),
        (lambda: {"Retry-After": "1.5"}, 1.5),
        (lambda: {"retry-after-ms": "1200"}, 1.2),
        (lambda: {"Retry-After": _in(3)}, 1.9),  # a date has no fractions of a second
        (lambda: {"Retry-After": _in(-60)}, FIRST_WAIT),
        (lambda: {"Retry-After": "soon"}, FIRST_WAIT),
        (lambda: {"Retry-After": "-3"}, FIRST_WAIT),
        (lambda: {"Retry-After": "nan"}, FIRST_WAIT),
        (lambda: {"Retry-After": "0"}, FIRST_WAIT),
    ],
    ids=["seconds", "fraction", "milliseconds", "date", "past date", "words", "negative", "nan", "zero"],
)
def test_the_server_says_how_long_to_wait(headers: Callable[[], dict[str, str]], at_least: float) -> None:
    def busy(request: object) -> Reply:
        return failed(429, "rate_limit_exceeded", headers=headers())

    with chatting(busy, text_stream("好"), retries=1) as (chat, server):
        assert streamed(chat)[0] == "好"
        first, second = server.requests
    assert second.at - first.at >= at_least


@pytest.mark.parametrize("asked", [str(LONGEST_WAIT + 1), "86400", "9" * 400])
def test_a_server_that_asks_for_too_long_is_not_waited_for(asked: str) -> None:
    with chatting(failed(429, headers={"Retry-After": asked}), text_stream("好"), retries=2) as (chat, server):
        # A number that is no finite one says nothing, and then the usual waits apply.
        if len(asked) > 300:
            assert streamed(chat)[0] == "好"
        else:
            assert failure(lambda: list(chat.stream(ASKED, 50))).kind == "busy"
            assert len(server.requests) == 1


def test_the_embedding_model_names_its_own_settings() -> None:
    too_long = failed(400, "", "This model's maximum context length is 8192 tokens")
    with embedding(failed(404), too_long) as (model, _):
        assert "KAIJUAN_OPENAI_EMBEDDING_MODEL" in str(failure(lambda: model.query("退款")))
        error = failure(lambda: model.query("退款"))
        assert error.kind == "too_long" and "chunk_chars" in str(error)
