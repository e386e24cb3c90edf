"""Clients of a scripted server, closed together with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Ended, Message
from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_embed import OpenAIEmbedder
from kaijuan.models.openai_service import Service
from kaijuan.types import Candidate
from tests.engines.builders import passage
from tests.models.scripted_server import Reply, Request, ScriptedServer

#: What a key looks like; it must never be seen again.
KEY = "sk-Zx81Qm-never-show-this"
ASKED = (Message("system", "只根据资料回答。"), Message("user", "几天到账？"))
Script = Reply | Callable[[Request], Reply]


@contextmanager
def chatting(*script: Script, **changes: object) -> Iterator[tuple[OpenAIChat, ScriptedServer]]:
    """A chat model on a server that plays the script; changes are those of its Service."""
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(*script))
        service = Service(f"{server.url}/v1", "m", "chat", KEY, timeout=5.0, retries=0)
        chat = OpenAIChat(replace(service, **changes), 8000)  # type: ignore[arg-type]
        stack.callback(chat.close)
        yield chat, server


@contextmanager
def embedding(*script: Script, dims: int = 3, **changes: object) -> Iterator[tuple[OpenAIEmbedder, ScriptedServer]]:
    """An embedding model on a server that plays the script."""
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(*script))
        service = Service(f"{server.url}/v1", "e", "embedding", KEY, timeout=5.0, retries=0)
        model = OpenAIEmbedder(replace(service, **changes), dims)  # type: ignore[arg-type]
        stack.callback(model.close)
        yield model, server


def failure(act: Callable[[], object]) -> ModelFailed:
    """The failure that an act ends in, its message checked to be one sentence with a next step and without the key."""
    with pytest.raises(ModelFailed) as raised:
        act()
    said = str(raised.value)
    assert said.endswith("。") and said.count("。") == 1 and "\n" not in said and len(said) < 300
    assert "，请" in said
    assert KEY not in said and "Bearer" not in said
    return raised.value


def streamed(chat: OpenAIChat, max_tokens: int = 50) -> tuple[str, Ended]:
    """The text of one answer and how it ended."""
    *pieces, ended = chat.stream(ASKED, max_tokens)
    assert isinstance(ended, Ended) and all(isinstance(text, str) and text for text in pieces)
    return "".join(map(str, pieces)), ended


def candidates(texts: Sequence[str]) -> list[Candidate]:
    """Candidates with these texts, in this fused order."""
    return [
        Candidate(passage(f"d{rank}#0", text), rank, 1.0 / rank, None, None, 0.0, 0.0, 1.0 / rank, rank)
        for rank, text in enumerate(texts, start=1)
    ]
