"""A diagnosis as lines for a terminal: the verdict, the stages from the last to the first, evidence and remedy."""

from __future__ import annotations

from collections.abc import Iterator

from kaijuan.diagnosis.types import STAGE_NAMES, VERDICT_NAMES, Diagnosis


def diagnosis_lines(found: Diagnosis) -> Iterator[str]:
    """Everything that is to be said, the guilty stage marked."""
    yield found.said
    if found.passage:
        where = " > ".join((found.passage.title, *found.passage.headings))
        yield f"片段：{found.passage.id}  {where}"
    yield "五个阶段，从右往左："
    for check in found.checks:
        mark = "→" if check.stage == found.stage else " "
        yield f" {mark} {STAGE_NAMES[check.stage]}  {VERDICT_NAMES[check.verdict]}  {check.said}"
    if found.evidence:
        yield "证据："
        yield from (f"   {fact.name}：{fact.seen}" for fact in found.evidence)
    if found.remedy:
        yield f"办法：{found.remedy}。"
    if found.command:
        yield f"  {found.command}"
