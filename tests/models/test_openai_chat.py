"""The chat client against a real server that plays what servers were seen to send."""

from __future__ import annotations

from typing import Any

import pytest

from kaijuan.errors import SettingsError
from kaijuan.models.base import Ended, Usage
from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_service import Service
from tests.models.scripted_server import Reply, Request, answered, failed, page, piece, sse, stream, text_stream
from tests.models.services import ASKED, KEY, chatting, failure, streamed

COUNTED = {"prompt_tokens": 440, "completion_tokens": 7, "total_tokens": 447}
EVENT_STREAM = {"Content-Type": "text/event-stream"}


def test_pieces_come_one_by_one_and_then_how_it_ended() -> None:
    with chatting(text_stream("三天内", "到账[1]。", usage=COUNTED)) as (chat, server):
        assert list(chat.stream(ASKED, 800)) == ["三天内", "到账[1]。", Ended("stop", Usage(440, 7))]
        (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["messages"][0] == {"role": "system", "content": "只根据资料回答。"}
    wanted = {"model": "m", "stream": True, "max_tokens": 800, "temperature": 0.0}
    assert wanted.items() <= request.body.items()
    assert request.body["stream_options"] == {"include_usage": True}


def test_a_piece_is_there_before_the_next_one_is_sent() -> None:
    with chatting(stream([piece("一"), piece("二")], end="silent"), timeout=30.0) as (chat, _):
        pieces = chat.stream(ASKED, 50)
        assert [next(pieces), next(pieces)] == ["一", "二"]
        pieces.close()


@pytest.mark.parametrize(
    "nothing",
    [
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": "none"},
        {"choices": [{"delta": None, "finish_reason": None}]},
        {"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]},
        {"choices": [{"delta": {"content": ["x"]}}]},
        {"choices": [{"delta": {"reasoning_content": "想一想"}}]},
        {"choices": [{"delta": "x"}]},
        {"choices": [], "usage": None},
        {"choices": [], "usage": {"prompt_tokens": None, "completion_tokens": "7"}},
        {},
        ["x"],
        "x",
        7.5,
    ],
)
def test_events_without_text_are_passed_over(nothing: Any) -> None:
    events = sse(nothing), sse(piece("到账")), sse(nothing), sse(piece("。", "stop")), sse(nothing), b"data: [DONE]\n\n"
    with chatting(Reply(200, EVENT_STREAM, events)) as (chat, _):
        assert streamed(chat) == ("到账。", Ended("stop"))


def test_comments_that_keep_the_connection_alive_are_no_events() -> None:
    parts = b": keep-alive\n\n", sse(piece("好")), b": keep-alive\n\n", sse(piece(None, "stop"))
    with chatting(Reply(200, EVENT_STREAM, parts)) as (chat, _):
        assert streamed(chat) == ("好", Ended("stop"))


def test_events_cut_anywhere_are_the_same_events() -> None:
    whole = sse(piece("退款三天到账。")) + sse(piece("😀\u2028完", "stop")) + b"data: [DONE]\n\n"
    for size in (1, 7, 64):
        parts = [whole[start : start + size] for start in range(0, len(whole), size)]
        with chatting(Reply(200, EVENT_STREAM, parts)) as (chat, _):
            assert streamed(chat) == ("退款三天到账。😀\u2028完", Ended("stop"))


def test_half_a_character_becomes_a_mark_that_can_be_written() -> None:
    parts = b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n', sse(piece("好", "stop"))
    with chatting(Reply(200, EVENT_STREAM, parts)) as (chat, _):
        text, _ = streamed(chat)
    assert text == "\ufffd好" and text.encode("utf-8")


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("stop", "stop"),
        ("eos_token", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("content_filter", "filter"),
        (None, None),
        ("tool_calls", None),
        ("insufficient_system_resource", None),
    ],
)
def test_why_it_ended(named: str | None, reason: Any) -> None:
    with chatting(text_stream("第一步", finish=named, usage=COUNTED)) as (chat, _):
        assert streamed(chat) == ("第一步", Ended(reason, Usage(440, 7)))


@pytest.mark.parametrize(
    "broken",
    [
        stream([piece("退款"), piece("需要")], end="cut"),
        stream([piece("退款"), piece("需要")], done=False),
        stream([piece("退款"), piece("需要")], end="silent"),
        stream([piece("退款"), piece("需要"), {"error": {"message": "overloaded", "code": 503}}]),
        Reply(200, EVENT_STREAM, (sse(piece("退款需要")), b"data: {not json\n\n")),
        Reply(200, EVENT_STREAM, (sse(piece("退款需要")), b"data: \xff\xfe\n\n")),
    ],
    ids=["cut", "no reason", "silent", "error", "bad json", "bad bytes"],
)
def test_what_came_before_a_break_stays_and_is_not_whole(broken: Reply) -> None:
    with chatting(broken, timeout=0.3, retries=2) as (chat, server):
        assert streamed(chat) == ("退款需要", Ended(None))
        assert len(server.requests) == 1, "never again once somebody has read a part of it"


def test_a_break_after_the_reason_does_no_harm() -> None:
    with chatting(stream([piece("到账。", "stop")], end="cut")) as (chat, _):
        assert streamed(chat) == ("到账。", Ended("stop"))


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (text_stream(), "empty", "没有写出任何文字"),
        (stream([{"choices": []}], done=False), "empty", "没有写出任何文字"),
        (text_stream("\n", " \n"), "empty", "没有写出任何文字"),
        (text_stream(finish="length"), "empty", "KAIJUAN_ANSWER_TOKENS"),
        (text_stream(finish="content_filter"), "filtered", "内容审核"),
        (stream([]), "odd", "KAIJUAN_OPENAI_BASE_URL"),
        (page(), "odd", "KAIJUAN_OPENAI_BASE_URL"),
        (answered({"hello": "world"}), "odd", "KAIJUAN_OPENAI_BASE_URL"),
        (Reply(200, EVENT_STREAM, (b"data: {not json\n\n",)), "odd", "不是 JSON"),
        (Reply(200, EVENT_STREAM, (b"data: \xff\xfe\n\n",)), "odd", "不是 JSON"),
    ],
)
def test_a_reply_without_any_text_is_a_failure(reply: Reply, kind: str, words: str) -> None:
    with chatting(reply, retries=2) as (chat, server):
        error = failure(lambda: list(chat.stream(ASKED, 50)))
        assert error.kind == kind and words in str(error)
        assert len(server.requests) == 1


def test_closing_the_stream_ends_the_request() -> None:
    with chatting(stream([piece("第一步")], end="silent"), timeout=600.0) as (chat, server):
        pieces = chat.stream(ASKED, 50)
        assert next(pieces) == "第一步" and not server.left.is_set()
        pieces.close()
        assert server.left.wait(10)


def test_a_stream_that_nobody_begins_asks_nothing() -> None:
    with chatting(text_stream("好")) as (chat, server):
        chat.stream(ASKED, 50).close()
        assert server.requests == []


def refusing(*parameters: str, words: str = "Unsupported parameter: '{}' is not supported with this model.") -> Any:
    """Replies of a server that refuses these parameters one by one, and answers without them."""

    def reply(request: Request) -> Reply:
        for parameter in parameters:
            if parameter in request.body:
                return failed(400, "unsupported_parameter", words.format(parameter))
        return text_stream("好")

    return reply


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_stream_options_is_asked_without_from_then_on(status: int) -> None:
    refusal = answered(
        {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}, status
    )
    with chatting(refusal, text_stream("好"), text_stream("好")) as (chat, server):
        assert streamed(chat) == streamed(chat) == ("好", Ended("stop"))
        assert ["stream_options" in request.body for request in server.requests] == [True, False, False]


def test_newer_models_are_told_the_limit_by_its_new_name_and_no_temperature() -> None:
    newer = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    def reply(request: Request) -> Reply:
        if "max_tokens" in request.body:
            return failed(400, "unsupported_parameter", newer)
        return refusing("temperature")(request)  # type: ignore[no-any-return]

    with chatting(reply, reply, reply, reply) as (chat, server):
        assert streamed(chat, 77)[0] == streamed(chat, 77)[0] == "好"
        assert len(server.requests) == 4
        last = server.requests[-1].body
    assert last["max_completion_tokens"] == 77 and last["stream_options"]
    assert not {"max_tokens", "temperature"} & last.keys()


def test_a_refusal_that_stays_is_not_asked_about_for_ever() -> None:
    stubborn = failed(400, "unsupported_parameter", "stream_options and temperature are wrong")
    with chatting(*[stubborn] * 9) as (chat, server):
        assert failure(lambda: list(chat.stream(ASKED, 50))).kind == "refused"
        assert len(server.requests) == 3


def test_an_overflow_that_names_a_parameter_is_an_overflow() -> None:
    words = (
        "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens"
    )
    with chatting(failed(400, "", words)) as (chat, server):
        assert failure(lambda: list(chat.stream(ASKED, 50))).kind == "too_long"
        assert len(server.requests) == 1


def test_completing_gives_the_text_in_one_piece() -> None:
    with chatting(text_stream("[{", "}]", usage=COUNTED), text_stream("[{", finish="length")) as (chat, _):
        assert chat.complete(ASKED, 50, 30) == "[{}]"
        assert chat.complete(ASKED, 50, 30) == "[{"


def test_completing_has_one_limit_for_everything() -> None:
    """The server is never silent for long, and would be done after ten seconds."""
    trickle: list[Any] = [part for _ in range(100) for part in (piece("一"), 0.1)]
    with chatting(stream([*trickle, piece("完", "stop")]), timeout=600.0) as (chat, server):
        error = failure(lambda: chat.complete(ASKED, 50, 0.5))
        assert error.kind == "timeout" and "0.5 秒" in str(error)
        assert server.left.wait(10), "the request is given up, not left running"


def test_completing_is_not_kept_waiting_by_a_connection_that_is_only_kept_alive() -> None:
    """Comments are no events that could be counted, and after ten seconds the connection would break."""
    alive: list[Any] = [part for _ in range(100) for part in (b": keep-alive\n\n", 0.1)]
    with chatting(Reply(200, EVENT_STREAM, alive, "cut"), timeout=600.0) as (chat, _):
        assert failure(lambda: chat.complete(ASKED, 50, 0.5)).kind == "timeout"


def test_completing_repeats_nothing_past_its_limit() -> None:
    busy = failed(503, headers={"Retry-After": "5"})
    with chatting(busy, text_stream("好"), retries=2) as (chat, server):
        assert failure(lambda: chat.complete(ASKED, 50, 1)).kind == "busy"
        assert len(server.requests) == 1


def test_completing_waits_for_a_silent_server_only_as_long_as_it_was_told() -> None:
    with chatting(Reply(0, end="silent"), timeout=600.0) as (chat, _):
        assert failure(lambda: chat.complete(ASKED, 50, 0.3)).kind == "timeout"


def test_nothing_of_the_environment_goes_out_but_the_key_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL"):
        monkeypatch.setenv(f"OPENAI_{name}", "http://127.0.0.1:9/" if name == "BASE_URL" else "of-another-program")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer of-another-program")
    for key in (KEY, ""):
        with chatting(text_stream("好"), key=key) as (chat, server):
            assert streamed(chat)[0] == "好"
            assert server.requests[0].headers["authorization"] == f"Bearer {key or 'none'}"
            assert "of-another-program" not in str(server.requests[0])


def test_white_space_before_the_text_stays_and_is_no_text_of_its_own() -> None:
    with chatting(text_stream("\n", " ", "好", " ", "的")) as (chat, _):
        assert list(chat.stream(ASKED, 50))[:-1] == ["\n 好", " ", "的"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:abc/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_a_setting_to_mend(url: str) -> None:
    with pytest.raises(SettingsError, match="KAIJUAN_OPENAI_BASE_URL"):
        OpenAIChat(Service(url, "m", "chat", KEY), 8000)


@pytest.mark.parametrize("key", ["sk-1\n", "sk 1", "“sk-1”", "sk-钥匙", "sk-1\x00"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError) as error:
        OpenAIChat(Service("http://127.0.0.1:9/v1", "m", "chat", key), 8000)
    assert "KAIJUAN_OPENAI_API_KEY" in str(error.value) and key not in str(error.value)
