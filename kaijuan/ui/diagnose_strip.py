"""A diagnosis as HTML: the verdict, the five stages from right to left with the guilty one marked, the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from kaijuan.diagnosis.types import STAGES, Check, Diagnosis, Fact
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.links import source_url
from kaijuan.ui.messages import say

_MARKS = {"kept": "✓", "lost": "✗", "not_reached": "–"}


def diagnosis_html(found: Diagnosis) -> Safe:
    """Verdict, strip, evidence and remedy; the command to run is drawn apart, so that it can be copied."""
    parts = [
        _verdict(found),
        tag("p", f"← {say('diagnose.direction')}", class_="kj-detail kj-direction"),
        _strip(found),
    ]
    if found.passage:
        url = source_url(found.collection, found.passage.source_id, found.passage.id)
        where = " › ".join((found.passage.title, *found.passage.headings))
        link = tag("a", f"{found.passage.id} · {where}", href=url, target="_self")
        parts.append(tag("p", tag("b", say("diagnose.followed")), " ", link))
    parts.append(tag("h2", say("diagnose.evidence"), class_="kj-label"))
    parts.append(facts_html(found.evidence))
    if found.remedy:
        parts.append(tag("div", tag("b", say("diagnose.remedy")), " ", f"{found.remedy}。", class_="kj-note kj-remedy"))
    return tag("div", *parts, class_="kj-diagnosis")


def facts_html(facts: Sequence[Fact]) -> Safe:
    """Evidence as a table of what was looked at and what was seen."""
    head = tag("tr", tag("th", say("diagnose.fact"), scope="col"), tag("th", say("diagnose.seen"), scope="col"))
    rows = [tag("tr", tag("th", fact.name, scope="row"), tag("td", fact.seen)) for fact in facts]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="kj-evidence")


def every_stage_html(found: Diagnosis) -> Safe:
    """The evidence of all stages, the last stage first."""
    parts = []
    for check in found.checks:
        parts.append(tag("h3", _name(check), class_="kj-label"))
        parts.append(tag("p", f"{check.said}。"))
        if check.evidence:
            parts.append(facts_html(check.evidence))
    return tag("div", *parts, class_="kj-diagnosis")


def _verdict(found: Diagnosis) -> Safe:
    if found.stage is None:
        return tag("h2", say("diagnose.none_lost"), class_="kj-verdict", role="status")
    number = STAGES.index(found.stage) + 1
    said = say("diagnose.lost_at", number=number, stage=say(f"diagnose.stage_{found.stage}"))
    return tag("h2", said, class_="kj-verdict", role="status")


def _strip(found: Diagnosis) -> Safe:
    """In the order of reading; the style sheet lays it from right to left where there is room."""
    return tag("ol", *(_stage(check, check.stage == found.stage) for check in found.checks), class_="kj-strip")


def _stage(check: Check, guilty: bool) -> Safe:
    verdict = [tag("b", f"{_MARKS[check.verdict]} {say(f'diagnose.{check.verdict}')}")]
    if guilty:
        verdict.append(tag("span", say("diagnose.guilty"), class_="kj-badge kj-stale"))
    return tag(
        "li",
        tag("div", _name(check), class_="kj-stage-name"),
        tag("div", join(verdict, " ")),
        tag("div", check.said, class_="kj-stage-said"),
        class_=f"kj-stage kj-stage-{check.verdict}" + (" kj-guilty" if guilty else ""),
        aria_current="step" if guilty else None,
    )


def _name(check: Check) -> str:
    return f"{STAGES.index(check.stage) + 1} {say(f'diagnose.stage_{check.stage}')}"
