"""What other synonyms would change: the labelled questions under the present ones and under the edited ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from kaijuan.evaluation.frozen import final_scores
from kaijuan.evaluation.metrics import QuestionScores
from kaijuan.evaluation.questions import Question
from kaijuan.indexing.gate import COMPARED
from kaijuan.retrieval.retrieve import Options, Stages
from kaijuan.retrieval.synonyms import Synonyms
from kaijuan.types import Synonym


@dataclass(frozen=True, slots=True)
class Change:
    """One question whose figures changed; `before` and `after` hold them in the order of COMPARED, 0 to 1.

    `added` is what the edited synonyms add to it.
    """

    id: str
    question: str
    before: tuple[float, float, float]
    after: tuple[float, float, float]
    added: tuple[Synonym, ...]

    @property
    def better(self) -> bool:
        """Whether it gained: by MRR, where that is the same by recall@5, then by recall@20."""
        (five, twenty, rr), (five_then, twenty_then, rr_then) = self.after, self.before
        return (rr, five, twenty) > (rr_then, five_then, twenty_then)


@dataclass(frozen=True, slots=True)
class Preview:
    """Means of the final ranking over the questions with gold, in the order of COMPARED; None without such questions.

    `touched` questions are searched by other words than now; `changes` are those among them whose figures changed, the
    worse ones first, then by id.
    """

    version: str
    scored: int
    touched: int
    before: tuple[float, float, float] | None
    after: tuple[float, float, float] | None
    changes: tuple[Change, ...]

    @property
    def worse(self) -> bool:
        """Whether any mean fell; what changes nothing is not worse."""
        return any(now < then - 1e-12 for now, then in zip(self.after or (), self.before or (), strict=True))

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {**asdict(self), "figures": list(COMPARED), "worse": self.worse}


def preview(
    collection: str,
    questions: Sequence[Question],
    stages: Stages,
    options: Options,
    edited: Synonyms | None,
    progress: Callable[[int], None] | None = None,
) -> Preview:
    """Ask every question with gold under the synonyms of `options`, and once more where the edited ones search otherwise.

    The build that answers is asked throughout; a present file that cannot be read adds nothing, as for any question.
    Raises what `retrieve` raises.
    """
    version = next((v.name for v in stages.engine.versions(collection) if v.active), None)
    now = replace(options, version=version)
    then = replace(now, synonyms=edited)
    befores: list[QuestionScores] = []
    afters: list[QuestionScores] = []
    changes: list[Change] = []
    touched = 0
    for question in questions:
        if question.gold:
            added = _added(edited, question)
            same = added == _added(options.synonyms, question)
            befores.append(final_scores(question, collection, stages, now))
            afters.append(befores[-1] if same else final_scores(question, collection, stages, then))
            touched += not same
            if _figures(befores[-1]) != _figures(afters[-1]):
                changes.append(Change(question.id, question.text, _figures(befores[-1]), _figures(afters[-1]), added))
        if progress:
            progress(1)
    ordered = sorted(changes, key=lambda one: (one.better, one.id))
    return Preview(version or "", len(befores), touched, _means(befores), _means(afters), tuple(ordered))


def _added(synonyms: Synonyms | None, question: Question) -> tuple[Synonym, ...]:
    return synonyms.expand(question.text) if synonyms else ()


def _figures(scores: QuestionScores) -> tuple[float, float, float]:
    return scores.recall5, scores.recall20, scores.rr


def _means(scores: Sequence[QuestionScores]) -> tuple[float, float, float] | None:
    if not scores:
        return None
    recall5, recall20, rr = (sum(column) / len(scores) for column in zip(*map(_figures, scores), strict=True))
    return recall5, recall20, rr
