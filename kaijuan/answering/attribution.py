"""The attribution ledger of a run of answers: how many cited, how many invented a citation, how many cited nothing.

And where the answers were checked: how many say what their sources do not, and how many of their sentences do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kaijuan.answering.support import Counts


@dataclass(frozen=True, slots=True)
class Attribution:
    """Counts over answers; `invented` are answers with at least one citation that did not exist.

    Of the `checked` answers: those with at least one sentence that its sources do not support, with one that cites
    nothing, with a figure or code that no source holds. `sentences` are their sentences by verdict.
    """

    answers: int = 0
    invented: int = 0
    empty: int = 0
    checked: int = 0
    unsupported: int = 0
    uncited: int = 0
    wrong: int = 0
    sentences: Counts = field(default_factory=Counts)

    def add(self, cited: Sequence[int], removed: Sequence[int], counts: Counts | None = None) -> Attribution:
        """The ledger with one more answer; `counts` are those of its check, None when it was not checked."""
        found = counts or Counts()
        return Attribution(
            answers=self.answers + 1,
            invented=self.invented + bool(removed),
            empty=self.empty + (not cited),
            checked=self.checked + (counts is not None),
            unsupported=self.unsupported + bool(found.unsupported),
            uncited=self.uncited + bool(found.uncited),
            wrong=self.wrong + bool(found.wrong),
            sentences=self.sentences + found,
        )
