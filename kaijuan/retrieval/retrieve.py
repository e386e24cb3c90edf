"""One question's way to its context: tokenise and embed, search both legs, fuse, rerank, choose the context.

Chat, evaluation and the command line all call `retrieve`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from kaijuan.engines.base import BuildMeta, Engine, KeywordQuery, SearchResult, VectorQuery
from kaijuan.errors import IndexMismatch, KaijuanError, QuestionError
from kaijuan.models.base import Embedder, Reranker, Vector
from kaijuan.retrieval.context import choose_context
from kaijuan.retrieval.fusion import fuse
from kaijuan.retrieval.synonyms import Synonyms, added_words, only_told
from kaijuan.text import clean, query_terms
from kaijuan.types import Candidate, Evidence, Hit, Notice, StageTime, Synonym, Trace, Viewer

#: Hits of each leg that are compared for agreement.
AGREEMENT_SIZE = 20


@dataclass(frozen=True, slots=True)
class Stages:
    """What retrieval is made of: the engine, the models (None = not there, with the notice why) and a token counter."""

    engine: Engine
    embedder: Embedder | None
    reranker: Reranker | None
    count_tokens: Callable[[str], int]
    token_counter: str
    embedder_notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Sizes and switches of one retrieval; `question_chars` is how much of a question is searched.

    `synonyms` are those of the collection, None without any.
    """

    leg_size: int = 50
    rrf_k: int = 60
    rerank_pool: int = 40
    context_chunks: int = 5
    context_tokens: int = 3000
    question_chars: int = 1000
    keyword_leg: bool = True
    vector_leg: bool = True
    rerank: bool = True
    k1: float | None = None
    b: float | None = None
    version: str | None = None
    synonyms: Synonyms | None = None

    def as_json(self) -> dict[str, Any]:
        """The options as plain data, synonyms by their digest and only where there are any."""
        plain = asdict(replace(self, synonyms=None))
        del plain["synonyms"]
        return plain if self.synonyms is None else plain | {"synonyms": self.synonyms.digest or self.synonyms.fault}


@dataclass(slots=True)
class _Clock:
    """Seconds a stage took, in the order of the stages."""

    stages: list[StageTime] = field(default_factory=list)
    last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.stages.append(StageTime(stage, now - self.last))
        self.last = now


def retrieve(question: str, collection: str, stages: Stages, options: Options, viewer: Viewer) -> Trace:
    """Everything that was found out about a question before anything is answered.

    Raises QuestionError for a question without searchable text, IndexMissing, and IndexMismatch when the index was
    built with another embedding model.
    """
    clock = _Clock()
    searched, notices = _shorten(question, options.question_chars)
    terms = query_terms(searched)
    if not terms:
        raise QuestionError(_no_terms(question))
    synonyms, synonym_notices = added_words(searched, options.synonyms)
    vector, vector_notices = _embed(searched, stages, options, stages.engine.meta(collection, options.version))
    clock.lap("embed")
    result = stages.engine.search(
        collection,
        _keyword(terms, synonyms, options) if options.keyword_leg else None,
        None if vector is None else VectorQuery(vector, options.leg_size),
        viewer,
        options.version,
    )
    result, synonyms = only_told(result, synonyms)
    clock.lap("search")
    candidates = _fuse(result, options.rrf_k, f"只取前 {options.context_chunks} 段")
    clock.lap("fuse")
    reranker = stages.reranker if options.rerank else None
    candidates, rerank_notices = _rerank(searched, candidates, result, reranker, options.rerank_pool)
    clock.lap("rerank")
    candidates, context = choose_context(
        candidates, options.context_chunks, options.context_tokens, stages.count_tokens
    )
    clock.lap("context")
    return Trace(
        question=question,
        searched=searched,
        terms=terms,
        collection=collection,
        version=result.version,
        keyword=result.keyword,
        vector=result.vector,
        candidates=candidates,
        context=context,
        term_weights=result.term_weights,
        evidence=_evidence(result, stages.embedder),
        stages=tuple(clock.stages),
        notices=(*notices, *synonym_notices, *vector_notices, *result.notices, *rerank_notices),
        question_tokens=stages.count_tokens(searched),
        context_tokens=sum(c.tokens for c in context),
        token_counter=stages.token_counter,
        synonyms=synonyms,
    )


def best_cosine(text: str, collection: str, stages: Stages, viewer: Viewer, version: str | None = None) -> float:
    """Cosine of the nearest passage open to the viewer to a text; 0.0 without a vector leg or for nothing to embed.

    Raises EngineError or IndexMissing when the engine goes away in between: silence must not pass for "nothing near".
    """
    if stages.embedder is None or not text.strip():
        return 0.0
    try:
        query = VectorQuery(stages.embedder.query(text), 1)
    except KaijuanError:
        return 0.0
    hits = stages.engine.search(collection, None, query, viewer, version).vector
    return hits[0].score if hits else 0.0


def search_again(
    text: str, collection: str, stages: Stages, options: Options, viewer: Viewer, version: str | None = None
) -> list[Hit]:
    """Hits of both legs for another text, in fused order; empty when nothing can be searched or found."""
    terms = query_terms(text)
    if not terms:
        return []
    try:
        vector = stages.embedder.query(text) if stages.embedder and options.vector_leg else None
        result = stages.engine.search(
            collection,
            KeywordQuery(terms, options.leg_size, options.k1, options.b) if options.keyword_leg else None,
            None if vector is None else VectorQuery(vector, options.leg_size),
            viewer,
            version,
        )
    except KaijuanError:
        return []  # the first look's answer stands
    hits = {hit.chunk.id: hit for hit in (*reversed(result.vector), *reversed(result.keyword))}
    fused = fuse([[h.chunk.id for h in result.keyword], [h.chunk.id for h in result.vector]], options.rrf_k)
    return [hits[f.id] for f in fused]


def _shorten(question: str, limit: int) -> tuple[str, tuple[Notice, ...]]:
    """The part of a question that is searched: all of it, or its beginning and its end, where people ask."""
    text = clean(question).strip()
    if len(text) <= limit:
        return text, ()
    head = limit // 2
    said = f"问题有 {len(text)} 个字，只检索了开头和结尾共 {limit} 个字；请把问题写短一些。"
    return f"{text[:head]}\n{text[head - limit :]}", (Notice("question", said),)


def _no_terms(question: str) -> str:
    shown = question.strip()[:20]
    return f"“{shown}”里没有可以检索的文字，请用文字写出问题。" if shown else "问题是空的，请输入问题。"


def _keyword(terms: tuple[str, ...], synonyms: Sequence[Synonym], options: Options) -> KeywordQuery:
    added = (term for one in synonyms for term in one.terms)
    return KeywordQuery((*terms, *added), options.leg_size, options.k1, options.b)


def _embed(
    searched: str, stages: Stages, options: Options, meta: BuildMeta
) -> tuple[Vector | None, tuple[Notice, ...]]:
    embedder = stages.embedder
    if not options.vector_leg:
        return None, ()
    said = (stages.embedder_notice,) if stages.embedder_notice else ()
    if embedder is None:
        return None, said or (Notice("embed", "没有可用的嵌入模型，只用了关键词检索；请运行 scripts/setup 获取模型。"),)
    if meta.embedder is None:
        rebuild = (
            f"索引 {meta.collection} 里没有向量，只用了关键词检索；请运行 python -m ingest {meta.collection} 重建。"
        )
        return None, (*said, Notice("embed", rebuild))
    if meta.embedder != embedder.name:
        raise IndexMismatch(
            f"索引 {meta.collection} 是用模型 {meta.embedder} 建的，现在用的是 {embedder.name}，请运行 python -m ingest {meta.collection} 重建。"
        )
    try:
        return embedder.query(searched), said
    except KaijuanError as error:
        return None, (*said, Notice("embed", f"问题没能转成向量，只用了关键词检索：{error}"))


def _fuse(result: SearchResult, k: int, left_out: str) -> tuple[Candidate, ...]:
    keyword = {hit.chunk.id: hit for hit in reversed(result.keyword)}
    vector = {hit.chunk.id: hit for hit in reversed(result.vector)}
    fused = fuse([[h.chunk.id for h in result.keyword], [h.chunk.id for h in result.vector]], k)
    return tuple(
        _candidate(keyword.get(f.id), vector.get(f.id), f.shares, f.score, rank, left_out)
        for rank, f in enumerate(fused, start=1)
    )


def _candidate(
    keyword: Hit | None, vector: Hit | None, shares: tuple[float, ...], fused: float, rank: int, left_out: str
) -> Candidate:
    hit = keyword or vector
    assert hit is not None, "a fused id comes from some leg"
    return Candidate(
        chunk=hit.chunk,
        keyword_rank=keyword.rank if keyword else None,
        keyword_score=keyword.score if keyword else hit.other_score,
        vector_rank=vector.rank if vector else None,
        vector_score=vector.score if vector else hit.other_score,
        keyword_share=shares[0],
        vector_share=shares[1],
        fused=fused,
        fused_rank=rank,
        terms=keyword.terms if keyword else hit.terms,
        final_rank=rank,
        context_reason=left_out,
    )


def _rerank(
    searched: str, candidates: tuple[Candidate, ...], result: SearchResult, reranker: Reranker | None, pool: int
) -> tuple[tuple[Candidate, ...], tuple[Notice, ...]]:
    if reranker is None:
        return candidates, ()
    head = candidates[:pool]
    try:
        scores = reranker.scores(searched, head, result.vector, result.term_weights)
    except KaijuanError as error:
        return candidates, (Notice("rerank", f"重排没有完成，资料按融合的名次排列：{error}"),)
    # Ties, and candidates without a score behind all others, keep the fused order, which is decided by id.
    order = sorted(range(len(head)), key=lambda i: (scores[i] is None, -(scores[i] or 0.0), i))
    ranked = [replace(head[i], rerank_score=scores[i], final_rank=rank) for rank, i in enumerate(order, start=1)]
    return (*ranked, *candidates[pool:]), ()


def _evidence(result: SearchResult, embedder: Embedder | None) -> Evidence:
    has_vector = bool(result.vector)
    return Evidence(
        best_cosine=result.vector[0].score if has_vector else None,
        floor=embedder.floor if embedder and has_vector else None,
        agreement=_agreement(result.keyword, result.vector),
        best_keyword=result.keyword[0].score if result.keyword else 0.0,
    )


def _agreement(keyword: Sequence[Hit], vector: Sequence[Hit]) -> float:
    first = {hit.chunk.id for hit in keyword[:AGREEMENT_SIZE]}
    second = {hit.chunk.id for hit in vector[:AGREEMENT_SIZE]}
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0
