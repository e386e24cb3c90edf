"""Answers held against labels: who is refused, what citations are worth, whether disputes are shown.

Every figure is a share with its count; None where nothing could be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.types import Answer, Finished
from kaijuan.errors import QuestionError
from kaijuan.evaluation.questions import Question
from kaijuan.evaluation.run import EVALUATOR
from kaijuan.types import Viewer

#: Kind of a labelled question whose sources are known to disagree.
DISPUTED = "conflict"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    @property
    def rate(self) -> float | None:
        """The share, None of nothing."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """What a run of answers came to.

    refusal_recall: unanswerable questions refused. false_refusals: answerable ones refused. precision: cited sentences
    that their sources support. coverage: gold of the answered questions that was cited. empty and invented: answers
    without a citation, and with one that did not exist. wrong: answers with a figure that its source does not hold.
    disputed: questions known to be disputed whose dispute was shown. incomplete: answers that broke off.
    """

    answered: int
    refusal_recall: Share
    false_refusals: Share
    precision: Share
    coverage: Share
    empty: Share
    invented: Share
    wrong: Share
    uncited: Share
    disputed: Share
    incomplete: Share
    rows: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return asdict(self)


def evaluate_answers(
    questions: Sequence[Question],
    collection: str,
    answering: Answering,
    progress: Callable[[int], None] | None = None,
    viewer: Viewer = EVALUATOR,
) -> AnswerFigures:
    """Answer every question and count; a question without searchable text counts as refused."""
    given: list[tuple[Question, Answer | None]] = []
    for question in questions:
        given.append((question, ask(question.text, collection, answering, viewer)))
        if progress:
            progress(1)
    return _figures(given)


def ask(question: str, collection: str, answering: Answering, viewer: Viewer = EVALUATOR) -> Answer | None:
    """The finished answer; None for a question that cannot be searched."""
    try:
        events = answer(question, collection, answering, viewer)
        return next(event.answer for event in events if isinstance(event, Finished))
    except QuestionError:
        return None


def _figures(given: Sequence[tuple[Question, Answer | None]]) -> AnswerFigures:
    said = [(question, own) for question, own in given if own is not None and not own.refused]
    checks = [own.checked.counts for _, own in said if own.checked is not None]
    gold = [(set(question.gold), _cited(own)) for question, own in said if question.gold]
    disputed = [own is not None and bool(own.conflicts) for question, own in given if question.kind == DISPUTED]
    return AnswerFigures(
        answered=len(said),
        refusal_recall=_share([_refused(own) for question, own in given if not question.gold]),
        false_refusals=_share([_refused(own) for question, own in given if question.gold]),
        precision=Share(sum(c.supported for c in checks), sum(c.supported + c.weak + c.unsupported for c in checks)),
        coverage=Share(sum(len(wanted & cited) for wanted, cited in gold), sum(len(wanted) for wanted, _ in gold)),
        empty=_share([not own.sources for _, own in said]),
        invented=_share([bool(own.removed) for _, own in said]),
        wrong=_share([c.wrong > 0 for c in checks]),
        uncited=Share(sum(c.uncited for c in checks), sum(c.stated for c in checks)),
        disputed=_share(disputed),
        incomplete=_share([own.incomplete for _, own in said]),
        rows=tuple(_row(question, own) for question, own in given),
    )


def _refused(own: Answer | None) -> bool:
    return own is None or own.refused


def _cited(own: Answer) -> set[str]:
    """Ids of cited chunks and of their documents, so that gold of either kind is found."""
    return {name for source in own.sources for name in (source.chunk.id, source.chunk.source_id)}


def _share(values: Sequence[bool]) -> Share:
    return Share(sum(values), len(values))


def _row(question: Question, own: Answer | None) -> dict[str, Any]:
    row: dict[str, Any] = {"id": question.id, "question": question.text, "gold": list(question.gold)}
    if own is None:
        return {**row, "refused": "no_terms"}
    counts = asdict(own.checked.counts) if own.checked else {}
    return {
        **row,
        "refused": own.refusal.reason if own.refusal else "",
        "text": own.text,
        "cited": [source.chunk.id for source in own.sources],
        "removed": list(own.removed),
        "conflicts": len(own.conflicts),
        "incomplete": own.incomplete,
        **counts,
    }
