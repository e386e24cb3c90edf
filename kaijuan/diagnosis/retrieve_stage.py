"""Stage 3, retrieval: whether one of the legs brought the passage among its hits, and its real rank where none did."""

from __future__ import annotations

from kaijuan.diagnosis.asked import Asked
from kaijuan.diagnosis.types import Check, Fact
from kaijuan.text import analyze
from kaijuan.types import Chunk, LegName

_LEGS: tuple[tuple[LegName, str], ...] = (("keyword", "关键词名次"), ("vector", "向量名次"))
#: The most hits that a collection may take from each leg.
LARGEST_LEG = 1000


def check_retrieve(own: Chunk | None, asked: Asked, leg_size: int, collection: str) -> Check:
    """The verdict on both legs, each of which gives `leg_size` hits."""
    if own is None:
        return Check("retrieve", "not_reached", "索引里没有，无从检索")
    evidence = (*(_rank(own, asked, leg, name, leg_size) for leg, name in _LEGS), _terms(own, asked))
    if hop := next((hop for hop in asked.trace.hops if hop.added == own.id), None):
        return Check("retrieve", "kept", f"由第二次检索找到，找的是“{hop.term}”", evidence)
    if candidate := asked.candidate(own.id):
        return Check("retrieve", "kept", f"是候选片段，融合后第 {candidate.fused_rank} 名", evidence)
    notices = tuple(Fact("提示", n.text) for n in asked.trace.notices if n.stage in ("embed", "search", "question"))
    remedy, command = _remedy(own, asked, leg_size, collection)
    said = f"两路检索的前 {leg_size} 名里都没有它"
    return Check("retrieve", "lost", said, (*evidence, *notices), remedy, command)


def _rank(own: Chunk, asked: Asked, leg: LegName, name: str, leg_size: int) -> Fact:
    hits = asked.wide.keyword if leg == "keyword" else asked.wide.vector
    hit = asked.hit(leg, own.id)
    if not hits:
        return Fact(name, "没有一份资料含有问题的词" if leg == "keyword" else "这一路没有结果")
    if hit is None:
        why = f"在前 {len(hits)} 名之外"
        if leg == "keyword" and not _held(own, asked):
            why = "片段里没有问题的任何一个词"
        return Fact(name, f"不在其中（{why}，这一路共 {len(hits)} 个命中）")
    last = hits[min(leg_size, len(hits)) - 1]
    form = "得分 {:.2f}" if leg == "keyword" else "余弦 {:.3f}"
    within = f"第 {last.rank} 名的{form.format(last.score)}"
    return Fact(name, f"第 {hit.rank} 名，{form.format(hit.score)}（取前 {leg_size} 名，{within}）")


def _terms(own: Chunk, asked: Asked) -> Fact:
    """The question's words that the passage holds, and those that it does not."""
    held = _held(own, asked)
    missing = [term for term in asked.trace.terms if term not in held]
    return Fact("问题的词", f"片段里有：{'、'.join(held) or '无'}；没有：{'、'.join(missing) or '无'}")


def _held(own: Chunk, asked: Asked) -> list[str]:
    analysis = analyze(own.search_text)
    here = {*analysis.terms, *analysis.extras}
    return [term for term in asked.trace.terms if term in here]


def _remedy(own: Chunk, asked: Asked, leg_size: int, collection: str) -> tuple[str, str]:
    ranks = [hit.rank for leg, _ in _LEGS if (hit := asked.hit(leg, own.id))]
    larger = f"在 {collection}/collection.toml 里把 leg_size 从 {leg_size} 调到不少于 {min(ranks, default=0)}"
    words = f"在资料 {own.source_id} 里补上客人的说法（同义词）"
    if asked.hit("keyword", own.id) is None:
        reachable = f"，或{larger}" if ranks and min(ranks) <= LARGEST_LEG else ""
        return f"{words}，再重新入库{reachable}", f"python -m ingest {collection}"
    if min(ranks) <= LARGEST_LEG:
        return f"{larger}（不用重新入库），或{words}", ""
    return f"{words}，再重新入库", f"python -m ingest {collection}"
