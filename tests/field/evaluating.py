"""`eval.*`: the metrics, and what the evaluation makes of questions without gold, with given rankings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kaijuan.engines.base import BuildMeta, KeywordQuery, SearchResult, VectorQuery
from kaijuan.evaluation.metrics import hit, mean, recall, reciprocal_rank
from kaijuan.evaluation.questions import Question
from kaijuan.evaluation.run import FIGURES, EvaluationResult, evaluate
from kaijuan.retrieval.retrieve import Options, Stages
from kaijuan.types import Chunk, Hit, Viewer
from tests.field.cases import Case
from tests.field.outcome import Check, Mismatch, compare, equal
from tests.field.staging import COLLECTION, Workshop, build_meta

_AT = re.compile(r"(recall|hit)@(\d+)\Z")
_MEASURES = {"recall": recall, "hit": hit}


def run(case: Case, workshop: Workshop) -> None:
    """Score the given rankings, alone and through the real evaluation over an engine that returns them."""
    case.only_inputs("gold", "ranked", "k", "queries")
    rows = case.input.get("queries") or [case.input]
    scored = [row for row in rows if row["gold"]]
    evaluated = _evaluate(rows)
    rr = mean([reciprocal_rank(row["gold"], row["ranked"]) for row in scored])
    checks: dict[str, Check] = {
        "rr": _close(rr),
        "mrr": _close(rr, evaluated.tier("keyword").figures["rr"]),
        "scored": equal(evaluated.scored),
        "skipped": equal(evaluated.skipped),
        "value_is_none_or_dash": equal(all(evaluated.tier("keyword").figures[figure] is None for figure in FIGURES)),
    }
    for key in case.exact:
        if match := _AT.match(key):
            checks[key] = _measure(scored, match[1], int(match[2]), evaluated)
    compare(case.exact, checks)


def _measure(rows: Sequence[Mapping[str, Any]], name: str, k: int, evaluated: EvaluationResult) -> Check:
    value = mean([_MEASURES[name](row["gold"], row["ranked"], k) for row in rows])
    figure = f"{name}{k}"
    return _close(value, evaluated.tier("keyword").figures[figure]) if figure in FIGURES else _close(value)


def _close(*values: float | None) -> Check:
    """A check of one figure however it was come by."""

    def check(wanted: Any) -> None:
        for got in values:
            if got is None or wanted is None:
                if got is not wanted:
                    raise Mismatch("differs", "no value" if wanted is None else wanted, got)
            elif abs(got - wanted) > 1e-6:
                raise Mismatch("differs", wanted, got)

    return check


def _evaluate(rows: Sequence[Mapping[str, Any]]) -> EvaluationResult:
    rankings = {f"case{n}": [str(id_) for id_ in row["ranked"]] for n, row in enumerate(rows)}
    questions = [Question(term, term, tuple(map(str, row["gold"]))) for term, row in zip(rankings, rows, strict=True)]
    stages = Stages(_Rankings(rankings), None, None, len, "characters")
    return evaluate("field", COLLECTION, questions, stages, Options())


class _Rankings:
    """The reading half of an engine: answers each question with the ranking that was given for it, doubles included."""

    name = "rankings"

    def __init__(self, rankings: Mapping[str, list[str]]) -> None:
        self._rankings = rankings

    def search(
        self,
        collection: str,
        keyword: KeywordQuery | None,
        vector: VectorQuery | None,
        viewer: Viewer,
        version: str | None = None,
    ) -> SearchResult:
        """See Engine.search."""
        ids = self._rankings[keyword.terms[0]] if keyword else []
        hits = [Hit(Chunk(id_, id_, "", id_), rank, 1.0 / rank) for rank, id_ in enumerate(ids, start=1)]
        return SearchResult("given", tuple(hits), (), {})

    def meta(self, collection: str, version: str | None = None) -> BuildMeta:
        """See Engine.meta."""
        return build_meta((), None)

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"an evaluation has no business with Engine.{name}")
