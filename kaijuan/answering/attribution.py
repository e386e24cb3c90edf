"""The attribution ledger of a run of answers: how many cited, how many invented a citation, how many cited nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Attribution:
    """Counts over answers; `invented` are answers with at least one citation that did not exist."""

    answers: int = 0
    invented: int = 0
    empty: int = 0

    def add(self, cited: Sequence[int], removed: Sequence[int]) -> Attribution:
        """The ledger with one more answer."""
        return replace(
            self,
            answers=self.answers + 1,
            invented=self.invented + bool(removed),
            empty=self.empty + (not cited),
        )
