"""The body of a request → what is asked; anything else is refused with the sentence that says why."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from starlette.requests import Request

from kaijuan.service.faults import Refused

#: Bytes of a body.
MOST_BYTES = 64 * 1024
#: Hits that each leg may be asked for, and questions that may have come before.
MOST_HITS, MOST_EARLIER = 200, 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks; `size` None is the collection's own size of a leg, `earlier` are the questions before, oldest first."""

    collection: str
    question: str
    size: int | None = None
    earlier: tuple[str, ...] = ()


async def read_body(request: Request) -> bytes:
    """The whole body; raises Refused (413) as soon as it is too large, starlette's ClientDisconnect."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MOST_BYTES:
        raise _too_large()
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise _too_large()
    return bytes(body)


def wanted_of(body: bytes, optional: str) -> Wanted:
    """What a body asks; `optional` is the one field that may stand beside collection and question. Raises Refused (400)."""
    fields = _object(body)
    known = ("collection", "question", optional)
    if unknown := [name for name in fields if name not in known]:
        _refuse(f"字段“{unknown[0][:40]}”不认识，请只用 {'、'.join(known)}")
    return Wanted(
        _text(fields, "collection"),
        _text(fields, "question"),
        _size(fields.get("size")),
        _earlier(fields.get("earlier")),
    )


def _object(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        _refuse("请求的正文不是合格的 JSON，请检查引号、逗号和 UTF-8 编码")
    if not isinstance(fields, dict):
        _refuse("请求的正文不是 JSON 对象，请写成 {“collection”: …, “question”: …}")
    return fields


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        _refuse(f"字段 {name} 应为不空的字符串，请补上")
    return _encodable(value)


def _size(value: object) -> int | None:
    # True is an int for Python, and no size.
    if value is not None and (type(value) is not int or not 1 <= value <= MOST_HITS):
        _refuse(f"字段 size 应为 1 到 {MOST_HITS} 之间的整数，请改正")
    return value if isinstance(value, int) else None


def _earlier(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MOST_EARLIER or not all(isinstance(said, str) for said in value):
        _refuse(f"字段 earlier 应为字符串的列表，最多 {MOST_EARLIER} 个，请改正")
    return tuple(map(_encodable, value))


def _encodable(text: str) -> str:
    r"""The text with what UTF-8 cannot hold replaced: a `\ud800` of its own is good JSON."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _too_large() -> Refused:
    return Refused(413, f"请求的正文超过了 {MOST_BYTES} 字节，请缩短后重试。", {"Connection": "close"})


def _refuse(sentence: str) -> NoReturn:
    raise Refused(400, f"{sentence}。")
