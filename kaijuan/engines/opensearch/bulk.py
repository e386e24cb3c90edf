"""Sending documents in batches: every document's own answer is read, and only what the server puts off is sent again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.faults import Busy, TooLarge, Unreachable, of_status
from kaijuan.errors import EngineError

#: Waits in seconds before documents that were put off are sent again.
WAITS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
#: A request is sent when it has grown to this many bytes.
BATCH_BYTES = 4_000_000
_PUT_OFF = (429, 503)
#: The document itself is what is wrong; any other status is about the index or the server, and the same for all.
_OWN_FAULT = 400


@dataclass(frozen=True, slots=True)
class Item:
    """One document to be sent: its chunk's id, for messages, and its two lines."""

    chunk_id: str
    lines: bytes


class Bulk:
    """Collects documents for one index and sends them."""

    def __init__(self, client: Client, index: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._index = index
        self._sleep = sleep
        self.refused: list[tuple[str, str]] = []
        self._waiting: list[Item] = []
        self._size = 0

    def add(self, item: Item) -> None:
        """Take a document; sends what has gathered when it is enough."""
        self._waiting.append(item)
        self._size += len(item.lines)
        if self._size >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send everything that waits; raises EngineError when documents are put off too often.

        A document that the server refuses is left out; `refused` has its chunk's id and the reason.
        """
        items, self._waiting, self._size = self._waiting, [], 0
        self._send(items)

    def _send(self, items: Sequence[Item]) -> None:
        repeated = False
        for wait in (*WAITS, None):
            if not items:
                return
            try:
                put_off = self._once(items, repeated)
                why = "服务端一直忙"
            except TooLarge:
                if len(items) == 1:
                    size = len(items[0].lines)
                    self.refused.append((items[0].chunk_id, f"{size} 字节，超过服务端的 http.max_content_length"))
                    return
                half = len(items) // 2
                self._send(items[:half])
                self._send(items[half:])
                return
            except (Busy, Unreachable) as error:
                # Documents are created, never replaced, so sending them again cannot make two of them.
                put_off, why = list(items), str(error).rstrip("。")
            items, repeated = put_off, True
            if items and wait is None:
                raise EngineError(
                    f"{len(items)} 个段落写不进搜索引擎（第一个是 {items[0].chunk_id}：{why}），"
                    "请稍后重新运行 ingest；旧索引照常可用。"
                )
            if items and wait is not None:
                self._sleep(wait)

    def _once(self, items: Sequence[Item], repeated: bool) -> list[Item]:
        """Those that the server put off."""
        body = b"".join(item.lines for item in items)
        answer = self._client.once("POST", f"/{self._index}/_bulk", body)
        put_off = []
        for item, result in zip(items, answer["items"], strict=True):
            outcome = result["create"]
            status = outcome["status"]
            if status in _PUT_OFF:
                put_off.append(item)
            elif status >= 300 and not (status == 409 and repeated):
                if status != _OWN_FAULT:
                    raise of_status(self._client.server.shown, status, "", _why(outcome))
                self.refused.append((item.chunk_id, _why(outcome)))
        return put_off


def _why(outcome: dict[str, Any]) -> str:
    error = outcome.get("error") or {}
    inner = error.get("caused_by") or {}
    return str(inner.get("reason") or error.get("reason") or outcome["status"])[:160]
