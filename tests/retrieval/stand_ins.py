"""Small real models and collections for retrieval tests."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import ModelUnavailable
from kaijuan.models.base import Vector
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.types import Chunk, Trace, Viewer
from tests.engines.builders import META, passage

ANYBODY = Viewer()
TEXTS = {
    "退货.md#0": "七天无理由退货：签收之日起七天内可以申请退货。",
    "退货.md#1": "退货运费由买家承担，质量问题由商家承担运费。",
    "发票.md#0": "电子发票在订单完成后开具，抬头可以修改一次。",
    "会员.md#0": "会员积分每满一百分可以抵扣一元。",
    "型号.md#0": "SF-3000 打不开时，请长按电源键十秒。",
    "内部.md#0": "退货率高的买家名单仅供客服参考。",
}


class LetterEmbedder:
    """Embeds a text by which characters it holds: enough for related texts to lie near each other."""

    name = "letters"
    dims = 64
    floor = 0.25

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        counts = np.ones(self.dims, dtype=np.float32) * 0.01
        for letter in text:
            counts[ord(letter) % self.dims] += 1
        return counts / np.linalg.norm(counts)

    query = sentence = passage


class BrokenEmbedder(LetterEmbedder):
    """Has the right name and cannot embed."""

    def query(self, text: str) -> Vector:
        """Always fails."""
        raise ModelUnavailable("模型文件不见了。")

    def sentence(self, text: str) -> Vector:
        return self.query(text)


def collection(folder: Path, texts: dict[str, str] | None = None, embedder: Any = LetterEmbedder) -> EmbeddedEngine:
    """An engine with the texts in the collection "shop"; those of 内部.md are for staff."""
    engine = EmbeddedEngine(folder)
    model = embedder() if embedder else None
    chunks = [passage(i, t, *(["staff"] if i.startswith("内部") else [])) for i, t in (texts or TEXTS).items()]
    meta = replace(META, embedder=model.name if model else None, dims=model.dims if model else 0)
    build = engine.open_build(meta)
    build.add(chunks, np.stack([model.passage(c.search_text) for c in chunks]) if model else None)
    engine.activate("shop", build.finish().name)
    return engine


def stages(engine: EmbeddedEngine, **changes: Any) -> Stages:
    """All stages; a token is a character."""
    return replace(Stages(engine, LetterEmbedder(), FeatureReranker(), len, "characters"), **changes)


def ask(engine: EmbeddedEngine, question: str, viewer: Viewer = ANYBODY, **options: Any) -> Trace:
    """One retrieval with all stages."""
    return retrieve(question, "shop", stages(engine), Options(**options), viewer)


def ids(chunks: Sequence[Any]) -> list[str]:
    """Chunk ids of hits or candidates."""
    held: list[Chunk] = [item.chunk for item in chunks]
    return [chunk.id for chunk in held]
