"""The prompt: numbered sources as fenced data, best last, next to the question; cut to the model's window.

The texts stand in prompts/ under a version; a changed text gets a new version, which every record names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from kaijuan.answering.orders import without_orders
from kaijuan.models.base import Message
from kaijuan.types import Candidate, Trace

VERSION = "answer-v1"
#: A source shortened below this many tokens says nothing any more and is dropped like any other.
SHORTEST = 60
#: Tokens that a server's template adds around the messages.
_WRAPPING = 32
_FOLDER = Path(__file__).parent / "prompts"
DROPPED = "超出模型的篇幅，没有交给模型"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is told, and the trace with the context as the model saw it.

    `tokens` is our own count of the messages; `dropped` are numbers of sources left out for want of room, `shortened`
    of one cut to fit; `orders` are sentences of sources that gave orders and were taken out.
    """

    messages: tuple[Message, ...]
    trace: Trace
    tokens: int
    dropped: tuple[int, ...] = ()
    shortened: tuple[int, ...] = ()
    orders: tuple[str, ...] = ()
    version: str = VERSION


def build_prompt(
    trace: Trace, count: Callable[[str], int], room: int, labels: Mapping[int, str] = MappingProxyType({})
) -> Prompt:
    """The prompt for a trace's context within `room` tokens, the answer's share not included.

    Sources are dropped whole from the weak end; the best one is shortened if it alone is too long. `labels` says of
    sources that are not in force, by their number, why.
    """
    cleaned, orders = _cleaned(trace.context)
    kept = list(cleaned)
    dropped: list[Candidate] = []
    shortened: list[int] = []
    while (tokens := _tokens(_messages(trace.searched, kept, labels), count)) > room and kept:
        if len(kept) > 1:
            dropped.append(kept.pop(0))
            continue
        shorter = _shortened(kept[0], count, room - (tokens - count(kept[0].chunk.text)))
        if shorter is None:
            break
        kept[0] = shorter
        shortened.append(shorter.context_number or 0)
    messages = _messages(trace.searched, kept, labels)
    return Prompt(
        messages,
        _without(trace, dropped, DROPPED) if dropped else trace,
        _tokens(messages, count),
        tuple(c.context_number or 0 for c in dropped),
        tuple(shortened),
        orders,
    )


def _cleaned(context: Sequence[Candidate]) -> tuple[list[Candidate], tuple[str, ...]]:
    """The context without orders in its sources; those were none that anybody may cite."""
    cleaned: list[Candidate] = []
    orders: list[str] = []
    for candidate in context:
        text, taken = without_orders(candidate.chunk.text)
        orders += taken
        cleaned.append(replace(candidate, chunk=replace(candidate.chunk, text=text)) if taken else candidate)
    return cleaned, tuple(orders)


def _messages(question: str, context: Sequence[Candidate], labels: Mapping[int, str]) -> tuple[Message, ...]:
    sources = "\n\n".join(_source(candidate, labels.get(candidate.context_number or 0, "")) for candidate in context)
    user = (
        _text("user")
        .replace("{count}", str(len(context)))
        .replace("{numbers}", "".join(f"[{candidate.context_number}]" for candidate in context))
        .replace("{fence}", _fence(sources, question))
        # Last, so that braces in a source or a question are never taken for a place to fill.
        .replace("{question}", _harmless(question), 1)
    )
    head, tail = user.split("{sources}", 1)
    return Message("system", _text("system")), Message("user", f"{head}{sources}{tail}")


def _source(candidate: Candidate, label: str) -> str:
    chunk, number = candidate.chunk, candidate.context_number
    path = " › ".join([chunk.title, *(h for h in chunk.headings if h != chunk.title)])
    head = f"资料[{number}] 标题：{_harmless(' '.join(path.split()))} 日期：{chunk.updated or '未知'}"
    if label:
        head += f" 状态：{_harmless(label)}"
    return f"{head}\n{_harmless(chunk.text.strip())}\n（以上是资料[{number}]）"


def _harmless(text: str) -> str:
    """Text in which nothing is a control token of a chat template."""
    return text.replace("<|", "＜|").replace("|>", "|＞")


def _fence(sources: str, question: str) -> str:
    """A line that stands in no source and cannot be foreseen by who writes one."""
    salt = 0
    while True:
        digest = blake2b(f"{salt}\n{question}\n{sources}".encode("utf-8", "replace"), digest_size=6).hexdigest()
        fence = f"====== {digest}"
        if digest not in sources and digest not in question:
            return fence
        salt += 1


def _shortened(candidate: Candidate, count: Callable[[str], int], room: int) -> Candidate | None:
    """The source cut to `room` tokens at the end of a sentence where there is one; None when nothing useful fits."""
    text = candidate.chunk.text
    if room < SHORTEST:
        return None
    low, high = 0, len(text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= room else (low, middle - 1)
    end = max(text.rfind(mark, low // 2, low) for mark in "。！？\n") + 1
    return replace(candidate, chunk=replace(candidate.chunk, text=text[: end or low]))


def _without(trace: Trace, dropped: Sequence[Candidate], why: str) -> Trace:
    gone = {candidate.chunk.id for candidate in dropped}
    return replace(
        trace,
        context=tuple(candidate for candidate in trace.context if candidate.chunk.id not in gone),
        context_tokens=sum(c.tokens for c in trace.context if c.chunk.id not in gone),
        candidates=tuple(
            replace(c, context_number=None, context_reason=why) if c.chunk.id in gone else c for c in trace.candidates
        ),
    )


def _tokens(messages: Sequence[Message], count: Callable[[str], int]) -> int:
    return sum(count(message.content) for message in messages) + _WRAPPING


@cache
def _text(part: str) -> str:
    return (_FOLDER / f"{VERSION}.{part}.txt").read_text(encoding="utf-8").strip()
