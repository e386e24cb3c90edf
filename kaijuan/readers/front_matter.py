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
from kaijuan.types import Standing, Status

#: Names under which a file says something about itself, by the standard key.
KEYS = {
    "id": "id", "编号": "id", "title": "title", "标题": "title", "updated": "updated", "更新日期": "updated",
    "更新时间": "updated", "date": "date", "日期": "date", "department": "department", "部门": "department",
    "kind": "kind", "类型": "kind", "audience": "audience", "可见范围": "audience",
    "status": "status", "状态": "status", "supersedes": "supersedes", "取代": "supersedes", "替代": "supersedes",
    "valid_from": "valid_from", "valid-from": "valid_from", "生效日期": "valid_from",
    "valid_until": "valid_until", "valid-until": "valid_until", "失效日期": "valid_until", "有效期至": "valid_until",
}  # fmt: skip
_STATUSES: dict[str, Status] = {
    "in_force": "in_force", "current": "in_force", "active": "in_force", "published": "in_force", "现行": "in_force",
    "有效": "in_force", "生效": "in_force", "已生效": "in_force", "已发布": "in_force", "superseded": "superseded", "replaced": "superseded",
    "deprecated": "superseded", "已替代": "superseded", "已被替代": "superseded", "已被取代": "superseded", "旧版": "superseded",
    "withdrawn": "withdrawn", "retired": "withdrawn", "obsolete": "withdrawn", "archived": "withdrawn", "废止": "withdrawn",
    "已废止": "withdrawn", "作废": "withdrawn", "已作废": "withdrawn", "失效": "withdrawn", "已失效": "withdrawn", "撤回": "withdrawn",
    "已撤回": "withdrawn", "draft": "draft", "草案": "draft", "草稿": "draft", "征求意见稿": "draft", "未生效": "draft",
}  # fmt: skip
_HEAD_COMMENT = re.compile(r"\s*(?:<(?:!doctype|html|head)\b[^<>]*>\s*)*<!--(.*?)-->", re.DOTALL | re.IGNORECASE)
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
    """What a file says about itself; None or empty where it says nothing.

    `undated` is a date that is none, `odd` are other values that mean nothing here, as (key, value).
    """

    id: str | None = None
    title: str | None = None
    updated: str | None = None
    department: str | None = None
    kind: str | None = None
    audience: tuple[str, ...] = ()
    undated: str | None = None
    supersedes: tuple[str, ...] = ()
    standing: Standing | None = None
    odd: tuple[tuple[str, str], ...] = ()


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
    return matter_of(values), "\n".join(body)


def split_comment(text: str) -> tuple[FrontMatter, str]:
    """Front matter of an HTML text, in lines between two `---` or in a comment at its head, and what is behind it.

    >>> split_comment("<!-- id: s07 -->\\n<p>退货</p>")[0].id
    's07'
    """
    matter, body = split(text)
    if matter != FrontMatter() or body != text:
        return matter, body
    comment = _HEAD_COMMENT.match(text)
    values = _values([row.strip() for row in comment[1].split("\n", _LONGEST)]) if comment else {}
    if not comment or not values.keys() & set(KEYS.values()):
        return FrontMatter(), text
    return matter_of(values), text[: comment.start(1)] + text[comment.end(1) :]


def _leading(rows: list[str]) -> list[str]:
    """Rows up to the first that is no part of front matter, for a file whose closing line is missing."""
    count = next((n for n, row in enumerate(rows) if not (_ENTRY.match(row) or _ITEM.match(row))), len(rows))
    return rows[:count]


def _plausible(rows: list[str], values: Mapping[str, list[str]], closed: bool) -> bool:
    """Whether this is front matter and not text between two rules."""
    strange = sum(bool(row.strip()) and not _ENTRY.match(row) and not row.startswith((" ", "#", "-")) for row in rows)
    if values.keys() & KEYS.values():
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
            current = values[KEYS.get(key, key)] = _listed(entry[2])
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


def matter_of(values: Mapping[str, list[str]]) -> FrontMatter:
    """Front matter of values by their standard keys, as data files and tables give them."""

    def one(key: str) -> str | None:
        return ", ".join(values.get(key, [])) or None

    written = one("updated") or one("date")
    updated = parse_date(written) if written else None
    standing, odd = _standing(one("status"), one("valid_from"), one("valid_until"))
    return FrontMatter(
        id=one("id"),
        title=one("title"),
        updated=updated,
        department=one("department"),
        kind=one("kind"),
        audience=_several(values, "audience"),
        undated=written if updated is None else None,
        supersedes=_several(values, "supersedes"),
        standing=standing,
        odd=odd,
    )


def _several(values: Mapping[str, list[str]], key: str) -> tuple[str, ...]:
    parts = (part.strip() for value in values.get(key, []) for part in _SEPARATOR.split(value))
    return tuple(dict.fromkeys(part for part in parts if part))


def _standing(
    status: str | None, valid_from: str | None, valid_until: str | None
) -> tuple[Standing | None, tuple[tuple[str, str], ...]]:
    """The standing that is written, and what of it means nothing."""
    named = _STATUSES.get(status.strip().lower()) if status else "in_force"
    first, last = (parse_date(day) if day else None for day in (valid_from, valid_until))
    written = (("status", status, named), ("valid_from", valid_from, first), ("valid_until", valid_until, last))
    odd = tuple((key, value) for key, value, meant in written if value and meant is None)
    standing = Standing(named or "in_force", valid_from=first, valid_until=last)
    return (None if standing == Standing() else standing), odd
