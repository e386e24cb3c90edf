"""One streamed reply of a chat service being read, whatever its events leave out.

Seen in the wild: events without choices, a null delta, null content, text that is null between pieces, a last event
that carries only the usage, usage in every event, no finish reason at all, names of finish reasons of their own.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, Protocol

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Ended, Usage
from kaijuan.models.openai_faults import filtered, odd
from kaijuan.models.openai_service import Service

Reason = Literal["stop", "length", "filter"]
#: Finish reasons as servers call them; any other one means that the reply is not whole.
_REASONS: dict[str, Reason] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "sensitive": "filter",
}
#: Half of a character, as some servers cut them; no file and no page could take it.
_HALF = re.compile("[\ud800-\udfff]")


class Events(Protocol):
    """What the SDK's stream is used for."""

    response: Any

    def __iter__(self) -> Iterator[Any]: ...

    def close(self) -> None:
        """End the request."""
        ...


class Reply:
    """A reply that is being read: `pieces` of text, none of them empty, and afterwards how it ended."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._seen = False
        self._reason: Reason | None = None
        self._usage: Usage | None = None
        #: Raises what the SDK raises.
        self.pieces = self._read()

    def _read(self) -> Iterator[str]:
        for event in self._events:
            self._seen = self._seen or hasattr(event, "choices")
            self._usage = _usage(event) or self._usage
            choice = _first(getattr(event, "choices", None))
            self._reason = _REASONS.get(str(getattr(choice, "finish_reason", None)), self._reason)
            text = getattr(getattr(choice, "delta", None), "content", None)
            if isinstance(text, str) and text:
                yield _HALF.sub("\ufffd", text)

    def first(self) -> str:
        """The text up to the first that is more than white space, empty where there is none; `pieces` go on behind it."""
        text = ""
        for piece in self.pieces:
            text += piece
            if text.strip():
                return text
        return ""

    def ended(self) -> Ended:
        """How it ended, as far as it was read."""
        return Ended(self._reason, self._usage)

    def without_text(self, service: Service) -> ModelFailed:
        """Why a reply that was read to its end brought no text."""
        if self._reason == "filter":
            return filtered(service)
        if not self._seen:
            return odd(service, "不是流式回答")
        if self._reason == "length":
            said = f"模型 {service.model} 在写出回答之前就用完了字数，请调大 KAIJUAN_ANSWER_TOKENS。"
        else:
            said = f"模型 {service.model} 没有写出任何文字，请重新提问或换一个模型。"
        return ModelFailed(said, "empty")

    def cut(self) -> None:
        """End a read of this reply that waits in another thread, as though the service had gone away.

        Closing the response would wait for that read, and closing its socket would not wake it.
        """
        with suppress(Exception):  # without a socket to be found, the reply ends at its next event
            stream = self._events.response.extensions["network_stream"]
            stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the request, whether it was read to its end or not."""
        self._events.close()


def _first(choices: object) -> object:
    return choices[0] if isinstance(choices, list) and choices else None


def _usage(event: object) -> Usage | None:
    counted = getattr(event, "usage", None)
    if counted is None:
        return None
    usage = Usage(_count(counted, "prompt_tokens"), _count(counted, "completion_tokens"))
    return None if usage == Usage() else usage


def _count(counted: object, name: str) -> int | None:
    value = counted.get(name) if isinstance(counted, dict) else getattr(counted, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
