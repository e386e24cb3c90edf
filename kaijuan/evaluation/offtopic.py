"""How well refusal tells good questions from another collection's questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kaijuan.answering.refusal import decide
from kaijuan.answering.similarity import Similarity, spoken_weights
from kaijuan.errors import QuestionError
from kaijuan.evaluation.questions import Question
from kaijuan.evaluation.run import EVALUATOR
from kaijuan.retrieval.retrieve import Options, Stages, best_cosine, retrieve


@dataclass(frozen=True, slots=True)
class RefusalRate:
    """Refused questions of one set, by reason; `rate` is None for an empty set."""

    name: str
    asked: int
    refused: int
    reasons: dict[str, int]

    @property
    def rate(self) -> float | None:
        """Share of the questions that were refused."""
        return self.refused / self.asked if self.asked else None


def refusal_rate(
    name: str,
    questions: Sequence[Question],
    collection: str,
    stages: Stages,
    options: Options,
    progress: Callable[[int], None] | None = None,
) -> RefusalRate:
    """Put every question to the collection and count the refusals decided on retrieval's evidence."""
    reasons: Counter[str] = Counter()
    for question in questions:
        reasons[_reason(question, collection, stages, options)] += 1
        if progress:
            progress(1)
    refused = {reason: count for reason, count in sorted(reasons.items()) if reason}
    return RefusalRate(name, len(questions), sum(refused.values()), refused)


def _reason(question: Question, collection: str, stages: Stages, options: Options) -> str:
    try:
        trace = retrieve(question.text, collection, stages, options, EVALUATOR)
    except QuestionError:
        return "no_terms"
    similarity = Similarity(stages.embedder if trace.vector else None)

    def nearest(text: str) -> float:
        return best_cosine(text, collection, stages, EVALUATOR, trace.version)

    refusal = decide(trace, similarity, spoken_weights(trace), nearest)
    return refusal.reason if refusal else ""
