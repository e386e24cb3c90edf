"""Evaluation results as HTML: bars and tables of the tiers, comparisons with their intervals, questions won and lost."""

from __future__ import annotations

from collections.abc import Sequence

from kaijuan.evaluation.history import Outcome, Run, differences
from kaijuan.evaluation.run import FIGURES, Comparison, EvaluationResult, TierResult
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.messages import say
from kaijuan.ui.tables import table_html

#: Names of the figures, the same in every language.
NAMES = {"recall5": "recall@5", "recall20": "recall@20", "rr": "MRR@20", "hit5": "hit@5"}
_HEAD_COMPARED = ("figure", "difference", "interval", "score", "verdict")
_NONE = "—"


def tier_name(tier: str) -> str:
    """A tier as people call it."""
    return say(f"evaluation.tier_{tier}")


def short(digest: str) -> str:
    """A hash as shown."""
    return digest[:8]


def bars_html(result: EvaluationResult) -> Safe:
    """One group of bars a figure, one bar a tier, 0 to 100 %."""
    groups = (
        tag(
            "section",
            tag("h3", NAMES[figure], class_="kj-label"),
            *(_bar(tier, tier.figures[figure]) for tier in result.tiers),
        )
        for figure in FIGURES
    )
    return tag("div", *groups, class_="kj-tiers")


def tiers_html(result: EvaluationResult) -> Safe:
    """The figures of each tier and the milliseconds of a question."""
    head = (say("evaluation.tier"), *(NAMES[figure] for figure in FIGURES), "p50 ms", "p95 ms")
    rows = [
        (tier_name(t.tier), *(points(t.figures[f]) for f in FIGURES), _number(t.p50_ms), _number(t.p95_ms))
        for t in result.tiers
    ]
    return table_html(say("evaluation.tiers"), head, rows)


def steps_html(result: EvaluationResult) -> Safe:
    """Each tier against the one before it."""
    head = (say("evaluation.tier"), *(say(f"evaluation.{name}") for name in _HEAD_COMPARED))
    rows = [
        (say("evaluation.step", after=tier_name(tier.tier), before=tier_name(tier.against)), *_compared(comparison))
        for tier in result.tiers
        if tier.against
        for comparison in tier.comparisons
    ]
    return table_html(say("evaluation.steps"), head, rows)


def comparisons_html(label: str, comparisons: Sequence[Comparison]) -> Safe:
    """Comparisons of two runs, one row a figure."""
    head = tuple(say(f"evaluation.{name}") for name in _HEAD_COMPARED)
    return table_html(label, head, [_compared(comparison) for comparison in comparisons])


def outcomes_html(label: str, outcomes: Sequence[Outcome]) -> Safe:
    """One row a question, in the order given."""
    head = tuple(say(f"evaluation.{name}") for name in ("outcome", "before", "after", "question", "id"))
    rows = [(_outcome(one), points(one.before), points(one.after), one.question, one.id) for one in outcomes]
    return table_html(label, head, rows, wide=3)


def history_html(runs: Sequence[Run], chosen: Run) -> Safe:
    """Runs as given, with whether each can be compared to the chosen one."""
    columns = ("at", "version", "settings", "question_set", "scored")
    head = (*(say(f"evaluation.{name}") for name in columns), *_history_names(), say("evaluation.comparable"))
    rows = [
        (
            run.at[:19].replace("T", " "),
            run.result.version or _NONE,
            short(run.settings),
            short(run.questions),
            str(run.result.scored),
            *(points(run.result.tier("reranked").figures[figure]) for figure in FIGURES[:3]),
            say("evaluation.is_chosen") if run is chosen else comparable(run, chosen),
        )
        for run in runs
    ]
    return table_html(say("evaluation.history"), head, rows, next(i for i, run in enumerate(runs) if run is chosen))


def comparable(run: Run, chosen: Run) -> str:
    """Whether two runs can be compared, and why not."""
    found = why_not(run, chosen)
    return say("evaluation.no", why=found) if found else say("evaluation.yes")


def why_not(run: Run, chosen: Run) -> str:
    """Why two runs cannot be compared, empty when they can."""
    return " · ".join(say(f"evaluation.differs_{what}") for what in differences(run, chosen))


def points(value: float | None) -> str:
    """A share as percent."""
    return _NONE if value is None else f"{value:.1%}"


def _history_names() -> tuple[str, ...]:
    return tuple(NAMES[figure] for figure in FIGURES[:3])


def _bar(tier: TierResult, value: float | None) -> Safe:
    width = f"width:{(value or 0.0) * 100:.1f}%"
    fill = tag("span", style=width, class_=f"kj-fill kj-fill-{tier.tier}")
    name, said = tier_name(tier.tier), points(value)
    return tag("div", tag("span", name), tag("span", fill, class_="kj-track"), tag("b", said), class_="kj-tier")


def _compared(comparison: Comparison) -> tuple[str, ...]:
    low, high = comparison.interval
    beyond = low > 0 or high < 0
    return (
        NAMES[comparison.figure],
        f"{comparison.difference * 100:+.1f}",
        f"[{low * 100:+.1f}, {high * 100:+.1f}]",
        f"{comparison.wins} / {comparison.losses} / {comparison.ties}",
        say("evaluation.beyond") if beyond else say("evaluation.within"),
    )


def _outcome(one: Outcome) -> Safe:
    if not one.change:
        return join([say("evaluation.tied")])
    won = one.change > 0
    return tag("span", say("evaluation.won") if won else say("evaluation.lost"), class_="kj-up" if won else "kj-down")


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.1f}"
