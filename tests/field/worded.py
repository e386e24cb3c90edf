"""`llm.*` and `sec.*` as far as they are about the whole answer: what is shown, sent and kept when a model words it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.generate import Chatting
from kaijuan.answering.types import Answer, Finished, Piece
from kaijuan.chunking import whole
from kaijuan.chunking.token_count import token_counter
from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_service import Service
from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Document
from tests.field import llm
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, at_least, at_most, compare, equal, lacks
from tests.field.staging import COLLECTION, VIEWER, Workshop
from tests.models.scripted_server import Reply, Request, ScriptedServer, stream, text_stream

_QUESTION = "退款几天到账"
_DOCUMENT = Document("d1", "退款说明", "退款审核通过后三天内到账，原路退回。")
_SECONDS = 30.0
Script = Sequence[Reply | Callable[[Request], Reply]]


@dataclass(frozen=True, slots=True)
class _Page:
    """What came of a question: the answer, the text as it streamed, and the messages of each request."""

    answer: Answer
    streamed: str
    requests: tuple[list[dict[str, Any]], ...]

    @property
    def worded(self) -> bool:
        """Whether the model's words are the answer."""
        return bool(self.answer.model) and not self.answer.refused


def run(case: Case, workshop: Workshop) -> None:
    """The answer's part of a case; what concerns the client alone is left to llm.py."""
    match case.kind:
        case "llm.scores":
            llm.scores(case, workshop)
        case "llm.stream":
            _stream(case, workshop)
        case "llm.error":
            _error(case, workshop)
        case "llm.budget":
            _budget(case, workshop)
        case "sec.inject":
            _inject(case, workshop)
        case _:
            raise Later(f"unknown kind {case.kind}")


def _stream(case: Case, workshop: Workshop) -> None:
    case.only_inputs("stream")
    events = case.input["stream"]
    ends = any(choice.get("finish_reason") for event in events for choice in event.get("choices") or [])
    page = _ask(_QUESTION, [_DOCUMENT], workshop, [stream(events, done=ends)])
    told = any(notice.stage == "answer" for notice in page.answer.notices)
    checks: dict[str, Check] = {
        "text": equal(page.streamed),
        "status": equal("incomplete" if page.answer.incomplete else "complete"),
        "notice": equal(told),
    }
    compare(case.exact, checks)


def _error(case: Case, workshop: Workshop) -> None:
    if "sources_shown" not in case.exact:
        llm.repeat(case)
        return
    case.only_inputs("responses")
    page = _ask(_QUESTION, [_DOCUMENT], workshop, [llm.response(row) for row in case.input["responses"]])
    shown = "\n".join([page.answer.text, *(notice.text for notice in page.answer.notices)])
    checks: dict[str, Check] = {
        "calls": equal(len(page.requests)),
        # The model gave no answer; the sources' own sentences stand in its place, under a notice.
        "answered": equal(page.worded),
        "sources_shown": equal(bool(page.answer.sources)),
        "traceback_shown": equal("Traceback" in shown),
    }
    compare(case.exact, checks)


def _budget(case: Case, workshop: Workshop) -> None:
    count = token_counter().count
    if "text" in case.input:
        case.only_inputs("text", "repeat")
        tokens = count(case.input["text"] * int(case.input["repeat"]))
        compare(case.exact, {"min_tokens": at_least(tokens)})
        return
    case.only_inputs("candidates", "responses", "candidate_tokens", "window")
    window = int(case.input.get("window", 8000))
    sizes = case.input.get("candidate_tokens") or [120] * int(case.input["candidates"])
    documents = [_sized(n, size, count) for n, size in enumerate(sizes, start=1)]
    script = [llm.response(row) for row in case.input.get("responses", [])] or [text_stream("三天到账[1]。")]
    options = Options(context_chunks=20, context_tokens=sum(sizes) + 10_000)
    page = _ask(_QUESTION, documents, workshop, script, options, window)
    last = page.requests[-1][-1]["content"] if page.requests else ""
    best = page.answer.trace.context[-1].chunk.text[:40]
    checks: dict[str, Check] = {
        "calls_max": at_most(len(page.requests)),
        "answered": equal(page.worded),
        "kept_first": equal(best in last),
        "question_kept": equal(_QUESTION in last),
    }
    compare(case.exact, checks)


def _inject(case: Case, workshop: Workshop) -> None:
    case.only_inputs("docs", "query")
    documents = [Document(str(row["id"]), "", str(row["text"])) for row in case.input["docs"]]
    page = _ask(str(case.input["query"]), documents, workshop, [_parrot])
    messages = page.requests[0]
    user = str(messages[-1]["content"])
    fence = next(line for line in user.splitlines() if line.startswith("======")).removesuffix(" 资料开始")
    system = "\n".join(str(m["content"]) for m in messages if m["role"] == "system")
    checks: dict[str, Check] = {
        "system_message_lacks": lacks(system),
        "answer_lacks": lacks(page.answer.text + page.streamed),
        "data_section_closings": equal(user.count(f"{fence} 资料结束")),
        "system_turns": equal(sum(m["role"] == "system" for m in messages)),
    }
    compare(case.exact, checks)


def _parrot(request: Request) -> Reply:
    """A model that repeats everything it was given, each source with its number: it would carry out any order."""
    user = str(request.body["messages"][-1]["content"])
    said = re.findall(r"^资料\[(\d+)\][^\n]*\n(.*?)\n（以上是资料", user, re.MULTILINE | re.DOTALL)
    return text_stream("".join(f"{text}[{number}]" for number, text in said))


def _ask(
    question: str,
    documents: Sequence[Document],
    workshop: Workshop,
    script: Script,
    options: Options | None = None,
    window: int = 8000,
) -> _Page:
    with workshop.staging() as staging, _chat(script, window) as (chat, server):
        stages = staging.index([whole(d) for d in documents], workshop.embedder)
        chatting = Chatting(chat, 500, token_counter().count)
        made = Answering(stages, options or Options(), chatting)
        events = list(answer(question, COLLECTION, made, VIEWER))
        requests = tuple(request.body["messages"] for request in server.requests)
    last = events[-1]
    if not isinstance(last, Finished):
        raise Mismatch("the answer does not end", "Finished", type(last).__name__)
    return _Page(last.answer, "".join(e.text for e in events if isinstance(e, Piece)), requests)


@contextmanager
def _chat(script: Script, window: int) -> Iterator[tuple[OpenAIChat, ScriptedServer]]:
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(*script))
        chat = OpenAIChat(Service(f"{server.url}/v1", "played", "chat", "key", timeout=_SECONDS, retries=2), window)
        stack.callback(chat.close)
        yield chat, server


def _sized(number: int, tokens: int, count: Callable[[str], int]) -> Document:
    """A document of about so many tokens about the question."""
    sentence = f"退款第{number}种情形审核通过后三天到账。"
    return Document(f"d{number}", "", sentence * max(1, tokens // count(sentence)))
