"""Stage 4, the context: whether the candidate's order, the number of passages and the budget let it in."""

from __future__ import annotations

from kaijuan.answering.prompt import DROPPED
from kaijuan.diagnosis.asked import Asked
from kaijuan.diagnosis.types import Check, Fact
from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Candidate, Chunk

#: The most passages that the setting allows in the context.
MOST = 20


def check_assemble(own: Chunk | None, asked: Asked, options: Options) -> Check:
    """The verdict on fusion, reranking and the choice of the context."""
    candidate = asked.candidate(own.id) if own else None
    entered = asked.in_context(own.id) if own else None
    if entered:
        facts = (*_order(entered, options), _taken(asked, options))
        return Check("assemble", "kept", f"进入上下文，编号 [{entered.context_number}]", facts)
    if candidate is None:
        return Check("assemble", "not_reached", "不是候选片段")
    evidence = (Fact("没有进入的原因", candidate.context_reason), *_order(candidate, options), _taken(asked, options))
    said, remedy, command = _why(candidate, asked, options)
    return Check("assemble", "lost", said, evidence, remedy, command)


def _why(candidate: Candidate, asked: Asked, options: Options) -> tuple[str, str, str]:
    """What kept a candidate out: what was said, the remedy, and the setting as it would be written."""
    if candidate.context_reason == DROPPED:
        return (
            "选进了上下文，但超出模型的篇幅，没有交给模型",
            "调大 KAIJUAN_MODEL_CONTEXT_TOKENS，或换篇幅更大的模型",
            "",
        )
    # Its tokens are counted when it is tried; a search that ended early tried no more.
    tried = candidate.tokens > 0
    if tried or len(asked.trace.context) < options.context_chunks:
        needed = asked.trace.context_tokens + candidate.tokens
        setting = f"KAIJUAN_CONTEXT_TOKENS={needed}" if tried else ""
        return (
            "超出上下文的词元预算",
            f"调大 KAIJUAN_CONTEXT_TOKENS（现为 {options.context_tokens}），或把片段切小",
            setting,
        )
    rank = candidate.final_rank
    enough = f"KAIJUAN_CONTEXT_CHUNKS={rank}" if rank <= MOST else ""
    more = f"把 KAIJUAN_CONTEXT_CHUNKS 从 {options.context_chunks} 调到 {rank}" if enough else "让资料的说法更贴近问题"
    if candidate.fused_rank <= options.context_chunks:
        return (
            f"被重排从第 {candidate.fused_rank} 名降到第 {rank} 名",
            f"换一种重排（KAIJUAN_RERANKER），或{more}",
            enough,
        )
    if candidate.fused_rank > options.rerank_pool and candidate.rerank_score is None and options.rerank:
        return (
            f"融合后第 {candidate.fused_rank} 名，没有轮到重排",
            f"把 KAIJUAN_RERANK_POOL 从 {options.rerank_pool} 调到不少于 {candidate.fused_rank}，或{more}",
            f"KAIJUAN_RERANK_POOL={candidate.fused_rank}" if candidate.fused_rank <= 100 else "",
        )
    best = min(r for r in (candidate.keyword_rank, candidate.vector_rank) if r is not None)
    if best <= options.context_chunks:
        said = f"有一路排第 {best} 名，融合和重排之后是第 {rank} 名，只取前 {options.context_chunks} 名"
        return said, f"{more}，或换一种重排（KAIJUAN_RERANKER）", enough
    return f"排在第 {rank} 名，上下文只取前 {options.context_chunks} 名", f"{more}，或让资料的说法更贴近问题", enough


def _order(candidate: Candidate, options: Options) -> tuple[Fact, ...]:
    score = "没有重排" if candidate.rerank_score is None else f"得分 {candidate.rerank_score:.3f}"
    keyword, vector = candidate.keyword_rank or "—", candidate.vector_rank or "—"
    return (
        Fact("名次", f"关键词 {keyword} · 向量 {vector} · 融合 {candidate.fused_rank} · 重排 {candidate.final_rank}（{score}）"),
        Fact("词元", f"{candidate.tokens}，预算 {options.context_tokens}" if candidate.tokens else "没有数到"),
    )  # fmt: skip


def _taken(asked: Asked, options: Options) -> Fact:
    ids = "、".join(c.chunk.id for c in reversed(asked.trace.context)) or "无"
    return Fact("上下文", f"{ids}（{asked.trace.context_tokens} 词元，最多 {options.context_chunks} 段）")
