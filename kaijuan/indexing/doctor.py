"""The doctor: the engine's own findings, each build against what is set now, and whether both legs bring hits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kaijuan.chunking import recipe
from kaijuan.collection import Collection
from kaijuan.engines.base import BuildMeta
from kaijuan.errors import KaijuanError, QuestionError
from kaijuan.models.base import Embedder
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.text import ANALYZER
from kaijuan.types import Finding, Trace, Viewer

#: Questions that are asked of a collection at most.
QUESTIONS = 20
#: Fused places in which each leg should be seen.
_FIRST = 10
#: Restricted passages count too; nothing of them is shown.
_VIEWER = Viewer(name="doctor", sees_all=True)


@dataclass(frozen=True, slots=True)
class Patient:
    """A collection, how it is asked, and questions to which both legs should find something."""

    collection: Collection
    options: Options
    questions: tuple[str, ...]


def examine(stages: Stages, patients: Sequence[Patient], keyword_only: bool = False) -> list[Finding]:
    """Everything there is to say, what concerns all collections first; never an exception, and nothing is changed.

    `keyword_only` says that there is no embedding model on purpose.
    """
    seen = stages.engine.health([patient.collection.name for patient in patients])
    found = [finding for finding in seen if not finding.collection]
    found.append(embedding_model(stages, keyword_only))
    for patient in patients:
        name = patient.collection.name
        if own := [finding for finding in seen if finding.collection == name]:
            found += [*own, *(replace(finding, collection=name) for finding in _above_engine(stages, patient))]
    return found


def embedding_model(stages: Stages, keyword_only: bool) -> Finding:
    """The model in use, or why there is none or only a lesser one."""
    embedder, notice = stages.embedder, stages.embedder_notice
    if embedder is None and keyword_only:
        said = "按设置 KAIJUAN_EMBEDDER=none 只用关键词检索"
        return Finding("嵌入模型", "warn", said, "要用向量检索时改为 auto，再运行 ingest")
    if notice:
        return Finding.of_sentence("嵌入模型", notice.text, level="warn" if embedder else "bad")
    if embedder is None:
        return Finding("嵌入模型", "bad", "没有可用的嵌入模型，只用关键词检索", "运行 scripts/setup 获取模型")
    return Finding("嵌入模型", "ok", f"{embedder.name}，{embedder.dims} 维")


def _above_engine(stages: Stages, patient: Patient) -> list[Finding]:
    """What the engine cannot know of a build; nothing where it has none that can be asked (it has said so)."""
    try:
        meta = stages.engine.meta(patient.collection.name)
    except KaijuanError:
        return []
    model = build_model(meta, stages.embedder)
    options = replace(
        patient.options, vector_leg=bool(stages.embedder and meta.embedder and model.level == "ok"), rerank=False
    )
    return [model, *recipes(meta, patient.collection), *legs(stages, replace(patient, options=options))]


def build_model(meta: BuildMeta, embedder: Embedder | None) -> Finding:
    """The model whose vectors a build holds against the one that questions are embedded with."""
    again = f"运行 python -m ingest {meta.collection} 重建"
    built = f"索引里是 {meta.embedder}（{meta.dims} 维）" if meta.embedder else "索引里没有向量"
    if embedder is None and meta.embedder is None:
        return Finding("索引的模型", "ok", f"{built}，现在也没有模型")
    if embedder is None:
        return Finding("索引的模型", "warn", f"{built}，现在没有模型，用不上", "按“嵌入模型”一行恢复模型")
    if (meta.embedder, meta.dims) == (embedder.name, embedder.dims):
        return Finding("索引的模型", "ok", f"{built}，与现在的模型相同")
    return Finding("索引的模型", "bad", f"{built}，现在的模型是 {embedder.name}（{embedder.dims} 维）", again)


def recipes(meta: BuildMeta, collection: Collection) -> list[Finding]:
    """A build's analyzer and chunking against those in use."""
    again = f"运行 python -m ingest {collection.name} 重建"
    chunking = recipe(collection.chunk_chars, collection.overlap_chars)
    words, passages = Finding("分词版本", "ok", meta.analyzer), Finding("分段设置", "ok", meta.chunking)
    if meta.analyzer != ANALYZER:
        words = Finding("分词版本", "bad", f"索引的词是 {meta.analyzer} 切的，问题现在用 {ANALYZER} 切", again)
    if meta.chunking != chunking:
        passages = Finding("分段设置", "warn", f"索引的分段是 {meta.chunking}，现在的设置是 {chunking}", again)
    return [words, passages]


def legs(stages: Stages, patient: Patient) -> list[Finding]:
    """The share of questions to which each leg brings a hit, and one that is among the first fused."""
    name = patient.collection.name
    traces: list[Trace] = []
    try:
        for question in patient.questions[:QUESTIONS]:
            with suppress(QuestionError):
                traces.append(retrieve(question, name, stages, patient.options, _VIEWER))
    except KaijuanError as error:
        return [Finding.of_sentence("试检索", error)]
    if not traces:
        remedy = f"在 {name}/collection.toml 的 examples 里写几个问题"
        return [Finding("试检索", "warn", "集合没有示例问题，没有试过检索", remedy)]
    placed = [[c for c in trace.candidates if c.fused_rank <= _FIRST] for trace in traces]
    by_words = [any(c.keyword_rank is not None for c in first) for first in placed]
    by_vector = [any(c.vector_rank is not None for c in first) for first in placed]
    found = [_leg("关键词检索", [bool(trace.keyword) for trace in traces], by_words)]
    if patient.options.vector_leg:
        found.append(_leg("向量检索", [bool(trace.vector) for trace in traces], by_vector))
    return [*found, *_notices(stages, traces)]


def _leg(check: str, hit: Sequence[bool], placed: Sequence[bool]) -> Finding:
    said = f"{len(hit)} 个问题中 {_share(hit)} 有命中，{_share(placed)} 进入融合后的前 {_FIRST} 名"
    if any(hit) and any(placed):
        return Finding(check, "ok", said)
    return Finding(check, "bad", said, "确认这些问题与资料有关，再处理上面各行")


def _share(outcomes: Sequence[bool]) -> str:
    return f"{sum(outcomes) / len(outcomes):.0%}"


def _notices(stages: Stages, traces: Sequence[Trace]) -> list[Finding]:
    """The first thing that a stage said of its own work."""
    said = [
        notice.text
        for trace in traces
        for notice in trace.notices
        if notice != stages.embedder_notice and notice.stage != "question"
    ]
    return [Finding.of_sentence("试检索", text, level="warn", otherwise="先处理上面各行") for text in said[:1]]
