"""Answers from a chat model behind an OpenAI-compatible service, streamed."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from typing import Any, cast

import openai

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Ended, Message, may_be_cut
from kaijuan.models.deadline import within
from kaijuan.models.openai_client import Connection, Refusals
from kaijuan.models.openai_faults import VENDOR_ERRORS, too_slow
from kaijuan.models.openai_service import Service
from kaijuan.models.openai_stream import Reply

#: Parameters that some servers or models refuse, and the words by which they do.
_OPTIONAL = {
    "stream_options": "stream_options",
    "max_tokens": "max_completion_tokens",
    "temperature": "temperature",
}


class OpenAIChat:
    """The chat model; safe to share between threads."""

    def __init__(self, service: Service, context_tokens: int) -> None:
        """Raises SettingsError for an address or a key that cannot be used; nothing is connected yet."""
        self.name = service.model
        self.context_tokens = context_tokens
        self._service = service
        self._connection = Connection(service)
        self._refused = Refusals(_OPTIONAL)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Generator[str | Ended]:
        """See ChatModel.stream; what failed before the first piece has been repeated as the settings allow."""
        return self._stream(messages, max_tokens, self._service.timeout, None)

    def complete(self, messages: Sequence[Message], max_tokens: int, timeout: float) -> str:
        """See Completer.complete."""
        deadline = time.monotonic() + timeout

        def whole() -> str:
            text = []
            with closing(self._stream(messages, max_tokens, timeout, deadline)) as pieces:
                for piece in pieces:
                    if isinstance(piece, str):
                        text.append(piece)
                    if time.monotonic() >= deadline:
                        raise TimeoutError  # nobody waits any more
            return "".join(text)

        try:
            return within(timeout, whole)
        except (TimeoutError, ModelFailed) as error:
            if isinstance(error, ModelFailed) and error.kind != "timeout":
                raise
            raise too_slow(self._service, timeout) from None

    def close(self) -> None:
        """Give up the connections that are kept open."""
        self._connection.close()

    def _stream(
        self, messages: Sequence[Message], max_tokens: int, silence: float, deadline: float | None
    ) -> Generator[str | Ended]:
        first, reply = self._connection.repeat(lambda: self._begun(messages, max_tokens, silence), deadline)
        with closing(reply), may_be_cut(reply.cut):
            yield first
            # Where it breaks off, what came stays, and how it ended says that it is not whole.
            with suppress(*VENDOR_ERRORS):
                yield from reply.pieces
            yield reply.ended()

    def _begun(self, messages: Sequence[Message], max_tokens: int, silence: float) -> tuple[str, Reply]:
        """A reply and its first piece of text: until that has come the call can be made again."""
        reply = self._refused.settle(lambda: self._asked(messages, max_tokens, silence), self._service)
        try:
            with may_be_cut(reply.cut):
                first = reply.first()
            if not first:
                raise reply.without_text(self._service)
        except BaseException:
            reply.close()
            raise
        return first, reply

    def _asked(self, messages: Sequence[Message], max_tokens: int, silence: float) -> Reply:
        counted = "stream_options" not in self._refused
        newer = "max_tokens" in self._refused
        events = self._connection.client.chat.completions.create(
            model=self.name,
            messages=cast(Any, [{"role": message.role, "content": message.content} for message in messages]),
            stream=True,
            max_tokens=openai.omit if newer else max_tokens,
            max_completion_tokens=max_tokens if newer else openai.omit,
            temperature=openai.omit if "temperature" in self._refused else 0.0,
            stream_options={"include_usage": True} if counted else openai.omit,
            timeout=self._connection.timeout(silence),
        )
        return Reply(events)
