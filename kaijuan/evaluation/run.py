"""Running labelled questions through the real retrieval and scoring its tiers: keyword, vector, fused, reranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from kaijuan.errors import CorpusError, QuestionError
from kaijuan.evaluation.metrics import QuestionScores, bootstrap, mean, score
from kaijuan.evaluation.questions import Question
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.types import Chunk, Trace, Viewer

TIERS = ("keyword", "vector", "fused", "reranked")
FIGURES = ("recall5", "recall20", "rr", "hit5")
#: Evaluation reads everything and says so under a name of its own.
EVALUATOR = Viewer(name="evaluation", sees_all=True)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A tier against the tier before it, paired on the same questions, for one figure."""

    figure: str
    difference: float
    interval: tuple[float, float]
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class TierResult:
    """One tier: its mean figures (None when nothing was scored), milliseconds a question and its comparisons."""

    tier: str
    figures: dict[str, float | None]
    p50_ms: float | None
    p95_ms: float | None
    against: str | None
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """All tiers over one set of questions; `skipped` questions have no gold and are never scored."""

    name: str
    version: str
    scored: int
    skipped: int
    tiers: tuple[TierResult, ...]
    questions: tuple[dict[str, Any], ...]

    def tier(self, name: str) -> TierResult:
        """The tier of this name."""
        return next(t for t in self.tiers if t.tier == name)

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return asdict(self)


def ranked_ids(chunks: Sequence[Chunk], gold: Sequence[str]) -> list[str]:
    """Ids of ranked chunks in the unit of the labels: the document's id where the gold names documents."""
    wanted = set(gold)
    return [chunk.source_id if chunk.source_id in wanted and chunk.id not in wanted else chunk.id for chunk in chunks]


def tier_chunks(trace: Trace) -> dict[str, list[Chunk]]:
    """The ranking of each tier, as one trace holds them."""
    by_fusion = sorted(trace.candidates, key=lambda c: c.fused_rank)
    return {
        "keyword": [hit.chunk for hit in trace.keyword],
        "vector": [hit.chunk for hit in trace.vector],
        "fused": [candidate.chunk for candidate in by_fusion],
        "reranked": [candidate.chunk for candidate in trace.candidates],
    }


def evaluate(
    name: str,
    collection: str,
    questions: Sequence[Question],
    stages: Stages,
    options: Options,
    progress: Callable[[int], None] | None = None,
) -> EvaluationResult:
    """Score every question that has gold; milliseconds of a tier are those of all that it needs.

    Raises CorpusError where the collection's synonyms cannot be read, and what `retrieve` raises.
    """
    if options.synonyms is not None and options.synonyms.fault:
        raise CorpusError(options.synonyms.fault)
    rows: list[dict[str, Any]] = []
    scores: dict[str, list[QuestionScores]] = {tier: [] for tier in TIERS}
    times: dict[str, list[float]] = {tier: [] for tier in TIERS}
    version = ""
    for question in questions:
        if question.gold:
            trace = _trace(question, collection, stages, options)
            version = trace.version if trace else version
            ranked = tier_chunks(trace) if trace else {tier: [] for tier in TIERS}
            row: dict[str, Any] = {
                "id": question.id,
                "question": question.text,
                "gold": list(question.gold),
                "tiers": {},
            }
            for tier in TIERS:
                ids = ranked_ids(ranked[tier], question.gold)
                scores[tier].append(score(question.gold, ids))
                row["tiers"][tier] = {**asdict(scores[tier][-1]), "top": list(dict.fromkeys(ids))[:20]}
            rows.append(row)
            for tier, seconds in _seconds(question, collection, stages, options, trace).items():
                times[tier].append(seconds * 1000)
        if progress:
            progress(1)
    tiers = tuple(_tier(tier, i, scores, times) for i, tier in enumerate(TIERS))
    return EvaluationResult(name, version, len(rows), len(questions) - len(rows), tiers, tuple(rows))


def _trace(question: Question, collection: str, stages: Stages, options: Options) -> Trace | None:
    try:
        return retrieve(question.text, collection, stages, options, EVALUATOR)
    except QuestionError:
        return None  # nothing searchable in it: no hits in any tier


def _seconds(
    question: Question, collection: str, stages: Stages, options: Options, trace: Trace | None
) -> dict[str, float]:
    """Seconds that each tier needs: its share of embedding the question, searching, fusing and reranking.

    The embedding is timed at its first call (it is remembered afterwards), everything else once the passages are warm.
    """
    if trace is None:
        return {}
    embed = _took(trace)["embed"]
    both = _took(retrieve(question.text, collection, stages, options, EVALUATOR))
    keyword = _took(retrieve(question.text, collection, stages, replace(options, vector_leg=False), EVALUATOR))
    vector = _took(retrieve(question.text, collection, stages, replace(options, keyword_leg=False), EVALUATOR))
    fused = embed + both["search"] + both["fuse"]
    return {
        "keyword": keyword["search"],
        "vector": embed + vector["search"],
        "fused": fused,
        "reranked": fused + both["rerank"],
    }


def _took(trace: Trace) -> dict[str, float]:
    return {stage.stage: stage.seconds for stage in trace.stages}


def _tier(tier: str, place: int, scores: dict[str, list[QuestionScores]], times: dict[str, list[float]]) -> TierResult:
    own = scores[tier]
    figures = {figure: mean([getattr(s, figure) for s in own]) for figure in FIGURES}
    before = TIERS[place - 1] if place else None
    comparisons = tuple(_compare(figure, own, scores[before]) for figure in FIGURES) if before and own else ()
    p50, p95 = (float(np.percentile(times[tier], q)) if times[tier] else None for q in (50, 95))
    return TierResult(tier, figures, p50, p95, before, comparisons)


def _compare(figure: str, own: Sequence[QuestionScores], other: Sequence[QuestionScores]) -> Comparison:
    differences = [getattr(a, figure) - getattr(b, figure) for a, b in zip(own, other, strict=True)]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    interval = bootstrap(differences)
    assert interval is not None
    return Comparison(
        figure, sum(differences) / len(differences), interval, wins, losses, len(differences) - wins - losses
    )
