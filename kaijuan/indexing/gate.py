"""The quality gate: the frozen questions asked of the new build and of the one that answers, before anything switches.

A build is refused when recall@5, recall@20 or MRR falls by more than the tolerance. Both builds are measured there and
then, with the same questions and the same program; where the old one cannot be asked (another embedding model), the
figures noted when it was built count, provided that the questions are still the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from kaijuan.collection import Collection
from kaijuan.engines.base import Version
from kaijuan.errors import IndexMismatch, IndexMissing, IngestError

Outcome = Literal["passed", "refused", "overridden", "first", "unlabelled", "incomparable"]
#: The figures that are compared, with their names for people.
COMPARED = {"recall5": "recall@5", "recall20": "recall@20", "rr": "MRR"}
#: Name under which a verdict is kept in a version's notes.
NOTE = "gate"


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the frozen questions that have gold, 0 to 1; `questions` is a hash of their texts and labels.

    `by_question` holds each question's own figures, in the order of COMPARED; it is empty for figures read from notes.
    """

    questions: str
    scored: int
    recall5: float
    recall20: float
    rr: float
    by_question: Mapping[str, tuple[float, float, float]]


#: Figures of one version of a collection; None when the collection has no labelled questions.
Measure = Callable[[Collection, str], Figures | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of a new build; `lost` are ids of questions that did better before (unknown from notes)."""

    outcome: Outcome
    after: Figures | None
    before: Figures | None = None
    lost: tuple[str, ...] = ()

    @property
    def switches(self) -> bool:
        """Whether the build may answer."""
        return self.outcome != "refused"

    def as_note(self) -> dict[str, Any]:
        """The verdict as plain data, without the figures of single questions."""
        return {
            "outcome": self.outcome,
            "after": _plain(self.after),
            "before": _plain(self.before),
            "lost": list(self.lost[:20]),
        }


class GateRefused(IngestError):
    """The frozen questions got worse; the build was dropped and the old one answers."""

    def __init__(self, collection: str, verdict: Verdict) -> None:
        self.verdict = verdict
        lost = f"，变差的问题：{'、'.join(verdict.lost[:8])}" if verdict.lost else ""
        super().__init__(
            f"集合 {collection} 的新索引没有通过质量门禁（{changes(verdict)}{lost}），旧索引照常可用；"
            f"请检查改动的文档，确认无误时用 python -m ingest {collection} --no-gate 强制切换。"
        )


def judge(
    collection: Collection,
    current: Version | None,
    new: Version,
    measure: Measure | None,
    tolerance: float,
    force: bool,
) -> Verdict:
    """The verdict on a finished build that does not answer yet; `force` turns a refusal into "overridden"."""
    after = measure(collection, new.name) if measure else None
    if after is None or measure is None:
        return Verdict("unlabelled", None)
    if current is None:
        return Verdict("first", after)
    before = _before(collection, current, measure, after.questions)
    if before is None:
        return Verdict("incomparable", after)
    lost = tuple(id_ for id_, old in before.by_question.items() if _worse(after.by_question.get(id_), old))
    # A hair above the tolerance is what rounding leaves of a difference that equals it.
    fallen = any(getattr(before, name) - getattr(after, name) > tolerance + 1e-9 for name in COMPARED)
    return Verdict(("overridden" if force else "refused") if fallen else "passed", after, before, lost)


def changes(verdict: Verdict) -> str:
    """The figures in one line, with those before where there are any.

    >>> changes(Verdict("first", Figures("", 4, 0.5, 1.0, 0.25, {})))
    '4 题 recall@5 50.0%，recall@20 100.0%，MRR 25.0%'
    """
    after, before = verdict.after, verdict.before
    if after is None:
        return "没有标注的问题"
    shown = []
    for name, label in COMPARED.items():
        value = f"{label} {getattr(after, name):.1%}"
        shown.append(f"{value}（原 {getattr(before, name):.1%}）" if before else value)
    return f"{after.scored} 题 {'，'.join(shown)}"


def _before(collection: Collection, current: Version, measure: Measure, questions: str) -> Figures | None:
    """Figures of the build that answers, measured now or as noted; None when neither can be compared."""
    try:
        return measure(collection, current.name)
    except (IndexMismatch, IndexMissing):
        noted = current.notes.get(NOTE, {}).get("after")
        if not noted or noted.get("questions") != questions:
            return None
        return Figures(**noted, by_question={})


def _worse(now: tuple[float, float, float] | None, then: tuple[float, float, float]) -> bool:
    return now is None or any(a < b for a, b in zip(now, then, strict=True))


def _plain(figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    plain = asdict(figures)
    del plain["by_question"]
    return plain
