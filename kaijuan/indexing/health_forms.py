"""The form of passages: tables without a header, and passages in which nothing can be searched.

>>> tables_without_header("| 新疆 | 18 元 |\\n| 西藏 | 22 元 |")
['| 新疆 | 18 元 |']
>>> is_searchable("— — —"), is_searchable("七天退货")
(False, True)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kaijuan.text import analyze

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_RULE_ROW = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\Z")
#: Rows from which lines with bars are a table.
_ROWS = 2


def is_searchable(text: str) -> bool:
    """Whether a text holds a term of two or more characters: a pair of Chinese ones, a word, a code."""
    # The beginning says so of all but the oddest texts.
    return any(len(term) > 1 for part in (text[:80], text) for term in analyze(part).terms)


def tables_without_header(text: str) -> list[str]:
    """First rows of the Markdown tables of a text that have no header row, or one without any text."""
    return [rows[0].strip() for rows in _tables(text) if not _has_header(rows)]


def _tables(text: str) -> Iterator[list[str]]:
    """Runs of lines that begin with a bar, fenced code left out."""
    fence, rows = "", list[str]()
    for line in [*text.split("\n"), ""]:
        marker = _FENCE.match(line)
        if marker and (not fence or marker[1].startswith(fence)):
            fence = "" if fence else marker[1]
        if not fence and line.lstrip().startswith("|"):
            rows.append(line)
            continue
        if len(rows) >= _ROWS:
            yield rows
        rows = []


def _has_header(rows: list[str]) -> bool:
    ruled = _RULE_ROW.match(rows[1]) is not None
    return ruled and any(cell.strip() for cell in rows[0].split("|"))
