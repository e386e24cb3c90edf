"""A chat model that says what a test wants, in pieces, and keeps what it was told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Ended, Message, Usage

Reply = str | ModelFailed


class ScriptedChat:
    """Plays its replies one after another; `reason` ends each, `size` is the number of characters of a piece."""

    name = "scripted"

    def __init__(
        self, *replies: Reply, reason: str | None = "stop", size: int = 3, context_tokens: int = 100_000
    ) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []
        self.closed = 0
        self.context_tokens = context_tokens
        self._reason, self._size = reason, size

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Ended]:
        """See ChatModel.stream."""
        del max_tokens
        self.asked.append(tuple(messages))
        reply = self.replies.pop(0)
        if isinstance(reply, ModelFailed):
            raise reply
        try:
            for start in range(0, len(reply), self._size):
                yield reply[start : start + self._size]
            yield Ended(self._reason, Usage(100, len(reply)))  # type: ignore[arg-type]
        finally:
            self.closed += 1
