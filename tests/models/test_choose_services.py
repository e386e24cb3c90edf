"""Which services the settings choose, and what they say where something is missing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from kaijuan.errors import SettingsError
from kaijuan.models.choose import choose_chat, choose_embedder, choose_reranker
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.models.http_rerank import HttpReranker
from kaijuan.models.llm_rerank import LlmReranker
from kaijuan.models.openai_chat import OpenAIChat
from kaijuan.models.openai_embed import OpenAIEmbedder
from kaijuan.settings import ROOT, Settings
from tests.models.scripted_server import ScriptedServer, answered, text_stream, vectors
from tests.models.services import ASKED, KEY, candidates

LOCAL = "http://127.0.0.1:9/v1"


def settings(**changes: Any) -> Settings:
    return Settings.model_validate(changes)


def test_nothing_is_asked_of_services_unless_the_settings_say_so() -> None:
    assert choose_chat(settings()) is None
    assert isinstance(choose_reranker(settings()), FeatureReranker)
    assert choose_reranker(settings(reranker="none")) is None


def test_the_library_is_loaded_only_where_it_is_used() -> None:
    loaded = "import sys; from kaijuan.wiring import load_services; print('openai' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "False"


def test_what_was_chosen_asks_as_the_settings_say() -> None:
    script = (
        text_stream("好"),
        vectors([3.0, 4.0]),
        text_stream('[{"id":1,"score":8}]'),
        answered({"results": [{"index": 0, "relevance_score": 0.5}]}),
    )
    with ScriptedServer(*script) as server:
        chosen = settings(
            answerer="openai",
            embedder="openai",
            openai_base_url=f"{server.url}/v1",
            openai_api_key=f" {KEY}\n",
            openai_chat_model="qwen-plus",
            openai_embedding_model="bge-m3",
            openai_embedding_dims=2,
            model_context_tokens=5000,
            rerank_url=f"{server.url}/rerank",
            rerank_model="bge-reranker",
            rerank_timeout=30,
        )
        chat = choose_chat(chosen)
        model, notice = choose_embedder(chosen)
        llm = choose_reranker(chosen.model_copy(update={"reranker": "llm"}))
        http = choose_reranker(chosen.model_copy(update={"reranker": "http"}))
        assert isinstance(chat, OpenAIChat) and isinstance(model, OpenAIEmbedder)
        assert isinstance(llm, LlmReranker) and isinstance(http, HttpReranker)
        assert (chat.name, chat.context_tokens, model.name, notice) == ("qwen-plus", 5000, "bge-m3@2", None)
        assert next(chat.stream(ASKED, 9)) == "好"
        assert list(model.query("退款")) == pytest.approx([0.6, 0.8])
        assert llm.scores("退款", candidates(["退款三天"]), [], {}) == [8.0]
        assert http.scores("退款", candidates(["退款三天"]), [], {}) == [0.5]
        asked = [(request.path, request.body["model"]) for request in server.requests]
        keys = {request.headers.get("authorization") for request in server.requests[:3]}
        for client in (chat, model, http):
            client.close()
        llm._model.close()  # type: ignore[attr-defined]
    assert asked == [
        ("/v1/chat/completions", "qwen-plus"),
        ("/v1/embeddings", "bge-m3"),
        ("/v1/chat/completions", "qwen-plus"),
        ("/rerank", "bge-reranker"),
    ]
    assert keys == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("choose", "changes", "named"),
    [
        (choose_chat, {"answerer": "openai"}, "KAIJUAN_ANSWERER=openai"),
        (choose_reranker, {"reranker": "llm"}, "KAIJUAN_RERANKER=llm"),
        (choose_embedder, {"embedder": "openai"}, "KAIJUAN_EMBEDDER=openai"),
        (choose_reranker, {"reranker": "http"}, "KAIJUAN_RERANK_URL"),
        (choose_reranker, {"reranker": "http", "rerank_url": LOCAL, "rerank_api_key": "a b"}, "KAIJUAN_RERANK_API_KEY"),
        (choose_chat, {"answerer": "openai", "openai_api_key": "sk “1”"}, "KAIJUAN_OPENAI_API_KEY"),
        (choose_chat, {"answerer": "openai", "openai_base_url": "http://a:b/"}, "KAIJUAN_OPENAI_BASE_URL"),
    ],
)
def test_what_is_missing_is_one_sentence(choose: Any, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named) as error:
        choose(settings(**changes))
    said = str(error.value)
    assert said.endswith("。") and said.count("。") == 1 and "，请" in said


@pytest.mark.parametrize("proxy", ["socks5://user:pass@127.0.0.1:9", "socks4://user:pass@127.0.0.1:9"])
def test_a_proxy_of_the_environment_that_cannot_be_used_is_named(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    for choose, changes in (
        (choose_chat, {"answerer": "openai", "openai_base_url": LOCAL}),
        (choose_reranker, {"reranker": "http", "rerank_url": LOCAL}),
    ):
        with pytest.raises(SettingsError, match="ALL_PROXY") as error:
            choose(settings(**changes))
        assert "pass" not in str(error.value)


@pytest.mark.parametrize("blank", ["", "  "])
def test_the_official_service_needs_a_key_and_a_local_one_does_not(blank: str) -> None:
    with pytest.raises(SettingsError, match="KAIJUAN_OPENAI_API_KEY"):
        choose_chat(settings(answerer="openai", openai_api_key=blank))
    chat = choose_chat(settings(answerer="openai", openai_api_key=blank, openai_base_url=LOCAL))
    assert isinstance(chat, OpenAIChat)
    chat.close()
