"""Gaps: questions that were not answered well, grouped by likeness, each group with a draft entry to fill in.

Greedy and in order: a question joins the first group whose head it is like enough, so the outcome depends on nothing but
the questions. With an embedding model likeness is the cosine, else the share of common character pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kaijuan.models.base import Embedder
from kaijuan.text import fold, query_terms

#: Likeness from which two questions ask for the same.
SAME_COSINE, SAME_WORDS = 0.82, 0.5
#: Titles of passages named beside a group.
NEAREST = 3


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions like each other, the most frequent wording first; `count` counts every time one was asked."""

    questions: tuple[str, ...]
    count: int
    nearest: tuple[str, ...] = ()

    def draft(self) -> str:
        """A document to be written, as Markdown: what is asked stands there, what is to be answered does not."""
        head = self.questions[0]
        others = "".join(f"- {question}\n" for question in self.questions[1:])
        also = f"\n也这样问：\n\n{others}" if others else ""
        return f"---\ntitle: {head}\nupdated: （填写日期，如 2026-03-05）\ndepartment: （填写部门）\nstatus: 草案\n---\n\n## {head}\n\n（在这里写答案；写完后把 status 改为现行。）\n{also}"


def find_gaps(
    questions: Sequence[str], embedder: Embedder | None, nearest: Callable[[str], Sequence[str]] | None = None
) -> list[Gap]:
    """Groups of questions, the most asked first, then in order of appearance; `nearest` names passages for a question."""
    wordings: dict[str, list[str]] = {}
    for question in questions:
        if question.strip():
            wordings.setdefault(fold(question).strip(" ？?。"), []).append(question.strip())
    alike = _likeness(embedder)
    groups: list[list[list[str]]] = []
    for same in sorted(wordings.values(), key=len, reverse=True):
        group = next((g for g in groups if alike(g[0][0], same[0])), None)
        if group is None:
            groups.append([same])
        else:
            group.append(same)
    gaps = [Gap(tuple(same[0] for same in group), sum(map(len, group))) for group in groups]
    gaps.sort(key=lambda gap: -gap.count)
    if nearest is None:
        return gaps
    return [replace(gap, nearest=tuple(nearest(gap.questions[0]))[:NEAREST]) for gap in gaps]


def _likeness(embedder: Embedder | None) -> Callable[[str, str], bool]:
    if embedder is None:
        return _same_words
    model = embedder

    def alike(first: str, second: str) -> bool:
        return float(model.query(first) @ model.query(second)) >= SAME_COSINE

    return alike


def _same_words(first: str, second: str) -> bool:
    ours, theirs = set(query_terms(first)), set(query_terms(second))
    return bool(ours and theirs) and len(ours & theirs) / min(len(ours), len(theirs)) >= SAME_WORDS
