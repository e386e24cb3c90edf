"""Evaluation results as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from kaijuan.evaluation.offtopic import RefusalRate
from kaijuan.evaluation.preview import Preview
from kaijuan.evaluation.run import EvaluationResult, TierResult
from kaijuan.indexing.gate import COMPARED

_NAMES = {"recall5": "recall@5", "recall20": "recall@20", "rr": "MRR@20", "hit5": "hit@5"}


def result_lines(result: EvaluationResult) -> Iterator[str]:
    """The tiers as a table, then each tier against the one before it."""
    yield f"{result.name}（版本 {result.version or '—'}）：计分 {result.scored} 题，未标注而跳过 {result.skipped} 题"
    yield f"{'tier':<10}" + "".join(f"{name:>11}" for name in _NAMES.values()) + f"{'p50 ms':>10}{'p95 ms':>10}"
    for tier in result.tiers:
        figures = "".join(f"{_points(tier.figures[figure]):>11}" for figure in _NAMES)
        yield f"{tier.tier:<10}{figures}{_number(tier.p50_ms):>10}{_number(tier.p95_ms):>10}"
    for tier in result.tiers:
        yield from _comparison_lines(tier)


def _comparison_lines(tier: TierResult) -> Iterator[str]:
    for comparison in tier.comparisons:
        low, high = comparison.interval
        beyond = "*" if low > 0 or high < 0 else " "
        yield (
            f"{tier.tier} 对 {tier.against} {_NAMES[comparison.figure]:<10}{comparison.difference * 100:+6.1f}{beyond} "
            f"[{low * 100:+.1f}, {high * 100:+.1f}]  胜 {comparison.wins} 负 {comparison.losses} 平 {comparison.ties}"
        )


def refusal_lines(rates: list[RefusalRate]) -> Iterator[str]:
    """One line a set of questions."""
    for rate in rates:
        share = "—" if rate.rate is None else f"{rate.rate * 100:.1f}%"
        reasons = "、".join(f"{reason} {count}" for reason, count in rate.reasons.items())
        yield f"拒答 {rate.name}：{rate.refused}/{rate.asked} = {share}{f'（{reasons}）' if reasons else ''}"


def preview_lines(name: str, seen: Preview) -> Iterator[str]:
    """The figures under present and edited synonyms, then every question that changed, the worse ones first."""
    yield f"{name}（版本 {seen.version or '—'}）：计分 {seen.scored} 题，检索词因同义词改变的 {seen.touched} 题"
    if seen.before is None or seen.after is None:
        yield "没有标注的问题，无法比较。"
        return
    for label, then, now in zip(COMPARED.values(), seen.before, seen.after, strict=True):
        yield f"{label:<10}{_points(then):>7} → {_points(now):>5}  {(now - then) * 100:+.1f}"
    for one in seen.changes:
        figures = "，".join(
            f"{label} {_points(then)} → {_points(now)}"
            for label, then, now in zip(COMPARED.values(), one.before, one.after, strict=True)
            if then != now
        )
        yield f"{'变好' if one.better else '变差'} {one.id} {one.question}（{figures}）"


def _points(value: float | None) -> str:
    return "—" if value is None else f"{value * 100:.1f}"


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.1f}"
