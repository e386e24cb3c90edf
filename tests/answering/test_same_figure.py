"""Passages elsewhere that give a passage's figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.answering.same_figure import same_figures
from kaijuan.chunking import chunk
from kaijuan.engines.base import BuildMeta
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.retrieval.retrieve import Options, Stages
from kaijuan.types import Chunk, Document, Viewer

TEXTS = {
    "退货": "# 退货\n\n签收后 7 天内可以申请退货。第 3 步填写单号。",
    "质保": "# 退货质保\n\n超过一周的退货申请不再受理。换货分 3 步。",
    "运费": "# 退货运费\n\n退货运费 12 元由买家承担。",
    "内部": "# 退货内部口径\n\n七天内退货一律同意。",
}


@pytest.fixture
def stages(tmp_path: Path) -> Stages:
    engine = EmbeddedEngine(tmp_path)
    writer = engine.open_build(BuildMeta("help", None, 0, "c", "a", "h", "now", form=engine.form))
    for name, text in TEXTS.items():
        document = Document(name, name, text, audience=("客服",) if name == "内部" else ())
        writer.add(chunk(document), None)
    engine.activate("help", writer.finish().name)
    return Stages(engine, None, None, len, "characters")


def passage(stages: Stages, name: str) -> Chunk:
    return stages.engine.document("help", name, Viewer(sees_all=True))[0]


def found(stages: Stages, name: str, viewer: Viewer) -> dict[str, tuple[str, ...]]:
    return {
        one.chunk.source_id: one.written
        for one in same_figures(passage(stages, name), "help", stages, Options(), viewer)
    }


def test_the_same_amount_in_any_spelling_of_other_documents(stages: Stages) -> None:
    assert found(stages, "退货", Viewer(sees_all=True)).keys() == {"质保", "内部"}
    assert found(stages, "退货", Viewer()) == {"质保": ("一周",)}


def test_bare_numbers_and_other_amounts_are_no_reason(stages: Stages) -> None:
    assert found(stages, "运费", Viewer(sees_all=True)) == {}
