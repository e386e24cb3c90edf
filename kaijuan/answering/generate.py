"""An answer worded by a language model, checked while and after it streams.

Citations are resolved as the text comes; a stream that breaks leaves an answer marked incomplete; a model that fails
before its first word raises ModelFailed, and whoever asked falls back on the sources' own sentences.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType

from kaijuan.answering.citations import CitationReader
from kaijuan.answering.prompt import Prompt, build_prompt
from kaijuan.answering.support import Checker
from kaijuan.answering.types import Piece, Worded
from kaijuan.errors import ModelFailed
from kaijuan.models.base import ChatModel, Ended
from kaijuan.types import Notice, Trace

_ENDS = re.compile(r"[。！？!?；;\n]")
_BROKEN = {
    None: "回答中断了，上面只是收到的部分，请重新提问。",
    "length": "回答太长被截断了，上面不是完整的回答；可以把问题问得更具体。",
    "filter": "模型服务的内容审核中断了回答，上面不是完整的回答；请查看来源原文。",
}


@dataclass(frozen=True, slots=True)
class Chatting:
    """What wording by a model needs: the model, tokens kept for its answer, and a token counter."""

    model: ChatModel
    answer_tokens: int
    count_tokens: Callable[[str], int]


def generate(
    trace: Trace, chatting: Chatting, start: float, labels: Mapping[int, str] = MappingProxyType({})
) -> Generator[Piece, None, Worded]:
    """Pieces of the model's answer, and what it came to.

    Raises ModelFailed before the first piece. `start` is when the question was asked (time.perf_counter); `labels` says of
    sources that are not in force, by their number, why.
    """
    room = chatting.model.context_tokens - chatting.answer_tokens
    prompt = build_prompt(trace, chatting.count_tokens, room, labels)
    try:
        return (yield from _stream(prompt, chatting, start))
    except ModelFailed as error:
        if error.kind != "too_long" or len(prompt.trace.context) < 1:
            raise
    # The server counts otherwise than we do: once more with half of what was sent.
    shorter = build_prompt(prompt.trace, chatting.count_tokens, prompt.tokens // 2, labels)
    return (yield from _stream(shorter, chatting, start))


def _stream(prompt: Prompt, chatting: Chatting, start: float) -> Generator[Piece, None, Worded]:
    numbered = prompt.trace.numbered()
    reader = CitationReader(numbered, renumber=True)
    checker = Checker([candidate.chunk for candidate in numbered.values()], prompt.trace.term_weights)
    said: list[str] = []
    ended = Ended(None)
    first: float | None = None
    with closing(chatting.model.stream(prompt.messages, chatting.answer_tokens)) as stream:  # type: ignore[type-var]
        for piece in stream:
            if isinstance(piece, Ended):
                ended = piece
                continue
            if first is None and piece:
                first = time.perf_counter() - start
            if text := reader.feed(piece):
                said.append(text)
                yield Piece(text, tuple(reader.cited), chatting.model.name)
                if _ENDS.search(text):  # the model goes on writing meanwhile
                    cited = {shown: numbered[n].chunk for shown, n in enumerate(reader.cited, start=1)}
                    checker.look_ahead("".join(said), cited)
    if text := reader.close():
        said.append(text)
        yield Piece(text, tuple(reader.cited), chatting.model.name)
    return Worded(
        text="".join(said),
        trace=prompt.trace,
        cited=tuple(reader.cited),
        removed=tuple(reader.removed),
        answerer="openai",
        model=chatting.model.name,
        prompt=prompt.version,
        usage=ended.usage,
        first_text_seconds=first,
        incomplete=ended.reason != "stop",
        notices=tuple(_notices(prompt, ended)),
        checker=checker,
    )


def _notices(prompt: Prompt, ended: Ended) -> Sequence[Notice]:
    notices = []
    if ended.reason != "stop":
        notices.append(Notice("answer", _BROKEN[ended.reason]))
    if prompt.orders:
        said = f"资料里有 {len(prompt.orders)} 句像是在指挥助手的话，没有交给模型，也没有照做。"
        notices.append(Notice("prompt", said))
    if prompt.dropped or prompt.shortened:
        told = len(prompt.dropped) + len(prompt.shortened)
        notices.append(Notice("prompt", f"模型的篇幅放不下全部资料，有 {told} 条没有交给模型或被缩短。"))
    return notices
