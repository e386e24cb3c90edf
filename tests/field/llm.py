"""`llm.*`: model replies, stream events and HTTP answers played back by a real server to the real clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Ended, Message
from kaijuan.models.llm_rerank import LlmReranker
from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_service import Service
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.types import Chunk, Trace
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, at_least, compare, equal
from tests.field.staging import COLLECTION, VIEWER, Workshop
from tests.models.scripted_server import Reply, ScriptedServer, answered, failed, stream, text_stream

_ASKED = (Message("user", "退款几天到账？"),)
_QUESTION = "退款几天到账"
_SECONDS = 30.0


def run(case: Case, workshop: Workshop) -> None:
    """Play the case's script to the client that it is about."""
    match case.kind:
        case "llm.scores":
            scores(case, workshop)
        case "llm.stream":
            read_stream(case)
        case "llm.error":
            repeat(case)
        case _:
            raise Later(f"unknown kind {case.kind}")


def scores(case: Case, workshop: Workshop) -> None:
    """Rerank as many candidates by a model that gives this reply; candidate n is the one that fusion put n-th."""
    case.only_inputs("candidates", "reply")
    trace = _reranked(int(case.input["candidates"]), str(case.input["reply"]), workshop)
    given = {str(c.fused_rank): c.rerank_score for c in trace.candidates if c.rerank_score is not None}
    checks: dict[str, Check] = {
        "scores": equal(given),
        "order": equal([c.fused_rank for c in trace.candidates]),
        "length": equal(len({c.chunk.id for c in trace.candidates})),
        "unscored": equal([c.fused_rank for c in trace.candidates if c.rerank_score is None]),
        "fallback_noted": equal(any(notice.stage == "rerank" for notice in trace.notices)),
    }
    compare(case.exact, checks)


def _reranked(count: int, reply: str, workshop: Workshop) -> Trace:
    chunks = [Chunk(f"d{n}#0", f"d{n}", f"资料 {n}", f"{_QUESTION}：{'请看说明。' * n}") for n in range(1, count + 1)]
    with workshop.staging() as staging, _chat(text_stream(reply)) as (chat, _):
        stages = replace(staging.index(chunks), reranker=LlmReranker(chat, _SECONDS))
        trace = retrieve(_QUESTION, COLLECTION, stages, Options(vector_leg=False), VIEWER)
    if len(trace.candidates) != count:
        raise Mismatch("candidates staged", count, len(trace.candidates))
    return trace


def read_stream(case: Case) -> None:
    """Read a stream of these events; a notice of an answer that is not whole is the answer's part, checked with it."""
    case.only_inputs("stream")
    text, status = _read(case.input["stream"])
    compare(case.exact, {"text": equal(text), "status": equal(status)})


def _read(events: Sequence[Any]) -> tuple[str, str]:
    whole = any(choice.get("finish_reason") for event in events for choice in event.get("choices") or [])
    with _chat(stream(events, done=whole)) as (chat, _):
        try:
            *pieces, ended = chat.stream(_ASKED, 100)
        except ModelFailed as failed_:
            if failed_.kind != "empty":
                raise
            return "", "empty"
    if not isinstance(ended, Ended):
        raise Mismatch("the stream does not end", "Ended", ended)
    return "".join(map(str, pieces)), "complete" if ended.reason == "stop" else "incomplete"


@dataclass(frozen=True, slots=True)
class _Called:
    """What came of asking: the text or the failure's sentence, and when the server was asked (time.monotonic)."""

    text: str
    said: str
    times: tuple[float, ...]


def repeat(case: Case) -> None:
    """Ask a service that gives these answers; what is shown besides is the answer's part, checked with it."""
    case.only_inputs("responses")
    called = _called([response(row) for row in case.input["responses"]])
    waits = [after - before for before, after in pairwise(called.times)]
    checks: dict[str, Check] = {
        "calls": equal(len(called.times)),
        "min_wait_s": at_least(min(waits, default=0.0)),
        "answered": equal(bool(called.text)),
        "traceback_shown": equal("Traceback" in called.said),
    }
    compare(case.exact, checks)


def _called(script: Sequence[Reply]) -> _Called:
    text, said = "", ""
    with _chat(*script, retries=2) as (chat, server):
        try:
            text = "".join(piece for piece in chat.stream(_ASKED, 100) if isinstance(piece, str))
        except ModelFailed as failed_:
            said = str(failed_)
            if not said.endswith("。"):
                raise Mismatch("not a sentence", "…。", said) from failed_
        times = tuple(request.at for request in server.requests)
    return _Called(text, said, times)


def response(row: dict[str, Any]) -> Reply:
    """One reply as a case writes it."""
    if unknown := row.keys() - {"status", "headers", "code", "text"}:
        raise Later(f"unknown key responses.{', responses.'.join(sorted(unknown))}")
    if "text" in row:
        return text_stream(str(row["text"])) if row["status"] == 200 else answered(row["text"], row["status"])
    return failed(int(row["status"]), str(row.get("code", "")), "no", row.get("headers"))


@contextmanager
def _chat(*script: Reply, retries: int = 0) -> Iterator[tuple[OpenAIChat, ScriptedServer]]:
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(*script))
        service = Service(f"{server.url}/v1", "played", "chat", "key", timeout=_SECONDS, retries=retries)
        chat = OpenAIChat(service, 8000)
        stack.callback(chat.close)
        yield chat, server
