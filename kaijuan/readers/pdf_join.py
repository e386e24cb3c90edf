"""Joining the lines of running text: no blank between Chinese characters, hyphenation undone.

>>> joined("不予退", "货"), joined("the war-", "ranty"), joined("SF-", "3000"), joined("in", "force")
('不予退货', 'the warranty', 'SF-3000', 'in force')
"""

from __future__ import annotations

from kaijuan.readers.pdf_lines import is_chinese


def joined(before: str, after: str) -> str:
    """The text of two lines, one after the other."""
    if not before or not after:
        return before or after
    if before.endswith("-") and len(before) > 1 and before[-2].isalnum():
        hyphenated = before[-2].islower() and before[-2].isascii() and after[0].islower() and after[0].isascii()
        return (before[:-1] if hyphenated else before) + after
    together = is_chinese(before[-1]) or is_chinese(after[0])
    return before + ("" if together else " ") + after
