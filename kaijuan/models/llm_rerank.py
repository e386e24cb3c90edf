"""A chat model as reranker: one call scores all candidates from 0 to 10.

Passages go in as JSON lines between two marks, so that nothing a document holds can end the data and begin an order.
Of the reply every complete entry counts, whatever stands around it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Completer, Message
from kaijuan.types import Candidate, Hit

VERSION = "rerank-v1"
#: Candidates of one call; those behind them keep their order after the scored ones.
MOST = 40
HIGHEST = 10.0
#: Tokens of one entry of the reply, and those that a reply may have besides.
_ENTRY_TOKENS, _SPARE_TOKENS = 16, 64
#: Tokens that one line takes besides its text, and the fewest characters of a text worth scoring.
_LINE_TOKENS, _FEWEST_CHARS = 24, 40
_BEGIN, _END = "====== 资料开始", "====== 资料结束"
_PROMPT = Path(__file__).parent / "prompts" / f"{VERSION}.txt"

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_OBJECT = re.compile(r"\{[^{}]*\}")
_NUMBER = re.compile(r"\s*\[?#?(-?\d+(?:\.\d+)?)")


class LlmReranker:
    """Asks a chat model once a question; `timeout` is seconds for the whole call."""

    def __init__(self, model: Completer, timeout: float) -> None:
        self.name = f"llm:{model.name}"
        self._model = model
        self._timeout = timeout

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: Sequence[Hit], term_weights: dict[str, float]
    ) -> list[float | None]:
        """See Reranker.scores: 0 to 10, None for a candidate that the model did not score."""
        del vector_hits, term_weights
        head = candidates[:MOST]
        if not head:
            return []
        reply_tokens = _ENTRY_TOKENS * len(head) + _SPARE_TOKENS
        room = self._model.context_tokens - reply_tokens
        reply = self._model.complete(_messages(question, head, room), reply_tokens, self._timeout)
        found = read_scores(reply, len(head))
        if not found:
            raise ModelFailed(
                f"模型 {self._model.name} 没有给出评分，请换一个模型或改用 KAIJUAN_RERANKER=feature。", "odd"
            )
        return [found.get(number) for number in range(1, len(candidates) + 1)]


def read_scores(reply: str, count: int) -> dict[int, float]:
    """Scores by candidate number (1 to count) as far as the reply holds them; of an entry named twice the first counts.

    >>> read_scores('```json\\n[{"id": 2, "score": "8 分"}, {"id": 9, "score": 10}, {"id": 1, "sco', 3)
    {2: 8.0}
    """
    found: dict[int, float] = {}
    for match in _OBJECT.finditer(_THOUGHT.sub("", reply)):
        try:
            entry = json.loads(match.group())
        except ValueError:
            continue
        number, score = _number(entry.get("id")), _number(entry.get("score"))
        if number is not None and score is not None and number == int(number) and 1 <= number <= count:
            found.setdefault(int(number), min(max(score, 0.0), HIGHEST))
    return found


def _number(value: Any) -> float | None:
    """A number that is given as one or begins a text."""
    if isinstance(value, str):
        match = _NUMBER.match(value)
        value = float(match.group(1)) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # So written, it keeps out what is not finite, and integers that no float can hold.
    return float(value) if -1e6 < value < 1e6 else None


def _messages(question: str, candidates: Sequence[Candidate], room: int) -> tuple[Message, ...]:
    """The prompt within `room` tokens; a character counts as a token, which is about the most that Chinese takes."""
    instructions = _instructions()
    left = room - len(instructions) - len(question) - _LINE_TOKENS
    chars = max(_FEWEST_CHARS, left // len(candidates) - _LINE_TOKENS)
    lines = [_line(number, candidate, chars) for number, candidate in enumerate(candidates, start=1)]
    asked = "\n".join([f"问题：{_json(question)}", _BEGIN, *lines, _END, "请给每段资料评分，只输出 JSON 数组。"])
    return Message("system", instructions), Message("user", asked)


def _line(number: int, candidate: Candidate, chars: int) -> str:
    chunk = candidate.chunk
    title = " › ".join(dict.fromkeys([chunk.title, *chunk.headings]))[: chars // 3]
    return _json({"id": number, "title": title, "text": chunk.text[: chars - len(title)]})


def _json(value: object) -> str:
    # "<" is escaped too: chat templates have control words of their own that begin with it.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _instructions() -> str:
    return _PROMPT.read_text(encoding="utf-8").strip()
