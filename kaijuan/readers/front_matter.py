"""Front matter: the `key: value` lines between two `---` at the head of a file.

>>> matter, body = split("---\\ntitle: 换货指引\\ndate: 2026年3月5日\\naudience: [客服, 财务]\\n---\\n# 换货\\n")
>>> matter.title, matter.updated, matter.audience, body
('换货指引', '2026-03-05', ('客服', '财务'), '# 换货\\n')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kaijuan.readers.dates import parse_date

_KEYS = {
    "id": "id", "编号": "id", "title": "title", "标题": "title", "updated": "updated", "更新日期": "updated",
    "更新时间": "updated", "date": "date", "日期": "date", "department": "department", "部门": "department",
    "kind": "kind", "类型": "kind", "audience": "audience", "可见范围": "audience",
}  # fmt: skip
_FENCE = re.compile(r"-{3,}[ \t]*\Z")
_CLOSING = re.compile(r"(?:-{3,}|\.{3})[ \t]*\Z")
_ENTRY = re.compile(r"([^\s:：#\-\[{\"'][^:：]{0,40}?)\s*(?::(?=\s|\Z)|：)\s*(.*)\Z")
_ITEM = re.compile(r"\s*-\s+(.*)\Z")
_COMMENT = re.compile(r"\s+#\s.*\Z")
_SEPARATOR = re.compile(r"[,，、;；]")
#: Front matter longer than this many lines is text between two rules.
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file says about itself; None or empty where it says nothing. `undated` is a date that is none."""

    id: str | None = None
    title: str | None = None
    updated: str | None = None
    department: str | None = None
    kind: str | None = None
    audience: tuple[str, ...] = ()
    undated: str | None = None


def split(text: str) -> tuple[FrontMatter, str]:
    """Front matter and the body behind it; a text without front matter comes back whole.

    Tolerant: lines that are neither entries nor list items are passed over, and where the closing line is missing
    the front matter ends with its last entry, so that an audience is never lost.
    """
    head = text[: len(text) - len(text.lstrip())]
    rows = text[len(head) :].split("\n", _LONGEST + 1)
    if not _FENCE.match(rows[0]):
        return FrontMatter(), text
    closing = next((n for n, row in enumerate(rows[1 : _LONGEST + 1], 1) if _CLOSING.match(row)), None)
    inner = rows[1:closing] if closing else _leading(rows[1:])
    values = _values(inner)
    if not _plausible(inner, values, closing is not None):
        return FrontMatter(), text
    body = rows[(closing or len(inner)) + 1 :]
    return _front_matter(values), "\n".join(body)


def _leading(rows: list[str]) -> list[str]:
    """Rows up to the first that is no part of front matter, for a file whose closing line is missing."""
    count = next((n for n, row in enumerate(rows) if not (_ENTRY.match(row) or _ITEM.match(row))), len(rows))
    return rows[:count]


def _plausible(rows: list[str], values: Mapping[str, list[str]], closed: bool) -> bool:
    """Whether this is front matter and not text between two rules."""
    strange = sum(bool(row.strip()) and not _ENTRY.match(row) and not row.startswith((" ", "#", "-")) for row in rows)
    if values.keys() & _KEYS.values():
        return strange <= len(values)
    if not closed or strange:
        return False
    return all(key.isascii() for key in values) if values else not any(row.strip() for row in rows)


def _values(rows: list[str]) -> dict[str, list[str]]:
    """Entries by their standard key, each a list of values; unknown keys are kept under their own name."""
    values: dict[str, list[str]] = {}
    current: list[str] | None = None
    for row in rows:
        if row.lstrip().startswith("#") or not row.strip():
            continue
        item, entry = _ITEM.match(row), _ENTRY.match(row)
        if entry:
            key = entry[1].strip().lower()
            current = values[_KEYS.get(key, key)] = _listed(entry[2])
        elif item and current is not None:
            current.append(_bare(item[1]))
        elif row[0] in " \t" and current is not None:  # a folded value goes on
            current[:] = [" ".join([*current, row.strip()])]
    return values


def _listed(value: str) -> list[str]:
    value = _COMMENT.sub("", value).strip()
    if value.startswith("[") and value.endswith("]"):
        return [bare for part in _SEPARATOR.split(value[1:-1]) if (bare := _bare(part))]
    return [] if value in ("", "|", ">", "|-", ">-", "~", "null") else [_bare(value)]


def _bare(value: str) -> str:
    value = _COMMENT.sub("", value).strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].strip()
    return value


def _front_matter(values: Mapping[str, list[str]]) -> FrontMatter:
    def one(key: str) -> str | None:
        return ", ".join(values.get(key, [])) or None

    written = one("updated") or one("date")
    updated = parse_date(written) if written else None
    groups = (group.strip() for value in values.get("audience", []) for group in _SEPARATOR.split(value))
    return FrontMatter(
        id=one("id"),
        title=one("title"),
        updated=updated,
        department=one("department"),
        kind=one("kind"),
        audience=tuple(dict.fromkeys(group for group in groups if group)),
        undated=written if updated is None else None,
    )
