"""JSON Lines, or one JSON array: every object is a document; a broken line costs that line only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kaijuan.readers.limits import Limits
from kaijuan.readers.record import Columns, Record, columns_of, record_document, record_matter, twice
from kaijuan.readers.remarks import Remarks
from kaijuan.readers.result import ReadError, Skipped
from kaijuan.types import Document

_BLANKS = frozenset(" \t\n\r")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One value of the file and the line where it begins; `fault` says why there is none."""

    number: int
    line: int
    value: Any = None
    fault: str = ""


def read_jsonl(text: str, path: str, limits: Limits, remarks: Remarks) -> list[Document | Skipped]:
    """Documents of a JSON text, and lines that were left out; raises ReadError when it is too large or no JSON at all."""
    read = list(_documents(text, path, limits, remarks))
    if not read:
        raise ReadError(f"{path} 里没有任何记录，没有可以索引的内容，请补充内容或删除它。", "empty")
    return read


def _documents(text: str, path: str, limits: Limits, remarks: Remarks) -> Iterator[Document | Skipped]:
    seen: dict[str, int] = {}
    unused: dict[str, None] = {}
    for entry in _entries(text):
        limits.check_rows(entry.number, path)
        columns, found = _document(entry, path, remarks)
        unused.update(dict.fromkeys(columns.others))
        if isinstance(found, Document) and (first := seen.setdefault(found.id, entry.number)) != entry.number:
            yield twice(path, found.id, entry.line, first)
        else:
            yield found
    if unused:
        named = "、".join(list(unused)[:8])
        remarks.say(f"{path} 的字段 {named[:120]} 没有用到，需要检索的内容请写进 text。")


def _document(entry: _Entry, path: str, remarks: Remarks) -> tuple[Columns, Document | Skipped]:
    """One entry as document, or why it is none."""
    value = entry.value
    if entry.fault or not isinstance(value, Mapping):
        fault = entry.fault or "内容不是 {…} 形式的对象"
        message = f"{path} 第 {entry.line} 行{fault}，已跳过这一行；请修正后重新导入。"
        return columns_of(()), Skipped(path, "broken line", message, entry.line)
    fields = {str(name): _texts(field) for name, field in value.items()}
    columns = columns_of(list(fields))
    guard = next((name for name, key in columns.meta.items() if key == "audience"), None)
    if guard is not None and not _is_plain(value[guard]):
        message = (
            f'{path} 第 {entry.line} 行的 {guard} 不是文字或列表，无法确定可见范围，未读入；请写成 ["客服"] 的形式。'
        )
        return columns, Skipped(path, "broken line", message, entry.line)
    record = Record(entry.number, entry.line, {name: texts for name, texts in fields.items() if texts})
    matter = record_matter(record, columns)
    remarks.look_over(matter, entry.line)
    try:
        return columns, record_document(record, columns, matter, path, facts=False)
    except ReadError as error:
        return columns, Skipped(path, error.reason_code, str(error), entry.line)


def _entries(text: str) -> Iterator[_Entry]:
    stripped = text.strip()
    if stripped.startswith("["):
        yield from _elements(text, text.index("[") + 1)
        return
    if stripped.startswith("{") and "\n" in stripped and not _is_object(stripped.split("\n", 1)[0]):
        value = _whole(stripped)
        if value is not None:
            inner = _inner(value)
            # Lines of records inside an object are not known; the number of the record stands in for them.
            yield from (_Entry(n, n, one) for n, one in enumerate(inner or [value], 1))
            return
    number = 0
    for line, row in enumerate(text.split("\n"), 1):
        if row.strip():
            number += 1
            yield _parsed(number, line, row)


def _elements(text: str, at: int) -> Iterator[_Entry]:
    """Elements of an array whose bracket is before `at`; a broken one ends it, as nobody knows where the next begins."""
    decoder = json.JSONDecoder()
    line, counted, number = 1, 0, 0
    while (at := _after_blanks(text, at)) < len(text) and text[at] != "]":
        number += 1
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield _Entry(number, line, fault="起不是有效的 JSON，后面的记录也没有读入")
            return
        yield _Entry(number, line, value)
        at = _after_blanks(text, at)
        at += text[at : at + 1] == ","


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANKS:
        at += 1
    return at


def _whole(text: str) -> Mapping[str, Any] | None:
    """The object that the whole text is, None where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _inner(value: Mapping[str, Any]) -> list[Any] | None:
    """Records of an object that has no text of its own and holds one list of objects ({"data": [...]})."""
    lists = [v for v in value.values() if isinstance(v, list) and v and all(isinstance(one, dict) for one in v)]
    return lists[0] if len(lists) == 1 and columns_of(list(value)).text is None else None


def _parsed(number: int, line: int, row: str) -> _Entry:
    try:
        return _Entry(number, line, json.loads(row))
    except RecursionError:
        return _Entry(number, line, fault="嵌套太深")
    except json.JSONDecodeError as error:
        return _Entry(number, line, fault=f"不是有效的 JSON（第 {error.colno} 个字符处）")
    except ValueError:  # a number of thousands of digits
        return _Entry(number, line, fault="有无法读取的数字")


def _is_object(row: str) -> bool:
    try:
        return isinstance(json.loads(row), dict)
    except (ValueError, RecursionError):
        return False


def _is_plain(value: Any) -> bool:
    """Whether a value is a word, a list of words, or nothing."""
    return (
        value is None or isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value))
    )


def _texts(value: Any) -> list[str]:
    """Words of a value: numbers as written, lists flattened, nothing for null, truth and nested objects."""
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [str(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []
