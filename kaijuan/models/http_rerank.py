"""A /rerank service as reranker: a true cross-encoder behind the interface of Jina, Cohere, TEI or llama.cpp.

The question waits for it, so it has a budget for everything together, the name's look-up and a trickling answer included.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import httpx2

from kaijuan.errors import ModelFailed, ModelFault, SettingsError
from kaijuan.models.deadline import within
from kaijuan.models.endpoint import check_key, host_of, wrong_proxy
from kaijuan.types import Candidate, Hit

#: Bytes of an answer that are read: a hundred scores take a few thousand.
_LONGEST = 4_000_000
#: Seconds that an idle connection is kept: between two questions, so that the next one need not connect.
_KEPT = 120.0
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes


class HttpReranker:
    """Asks a /rerank service once a question; safe to share between threads."""

    def __init__(self, url: str, key: str = "", model: str = "", timeout: float = 0.3) -> None:
        """`timeout` is seconds for everything; raises SettingsError for an address or a key that cannot be used."""
        check_key(key, "KAIJUAN_RERANK_API_KEY")
        self._host = host_of(url)
        self.name = f"http:{model or self._host}"
        self._url, self._model, self._timeout = url, model, timeout
        # Most servers call the passages "documents", TEI "texts". One body with both would not do: Cohere refuses
        # fields that it does not know. So the name is found out by the refusal, once.
        self._field = "documents"
        try:
            httpx2.URL(url)
        except httpx2.InvalidURL as error:
            raise SettingsError(
                f"设置 KAIJUAN_RERANK_URL 的地址“{self._host}”不能用（{error}），请改正后重试。"
            ) from error
        try:
            self._client = httpx2.Client(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=timeout,
                limits=httpx2.Limits(max_keepalive_connections=8, keepalive_expiry=_KEPT),
            )
        except (ImportError, ValueError) as error:
            raise wrong_proxy() from error

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: Sequence[Hit], term_weights: dict[str, float]
    ) -> list[float | None]:
        """See Reranker.scores, on the service's own scale; None for a candidate that it left out."""
        del vector_hits, term_weights
        if not candidates:
            return []
        texts = [candidate.chunk.search_text for candidate in candidates]
        deadline = time.monotonic() + self._timeout
        try:
            answer = within(self._timeout, lambda: self._asked(question, texts, deadline))
        except (TimeoutError, httpx2.TimeoutException):
            why = f"在 {self._timeout:g} 秒内没有回答，请检查服务或调大 KAIJUAN_RERANK_TIMEOUT"
            raise self._failed(why, "timeout") from None
        except (httpx2.HTTPError, OSError) as error:
            reason = " ".join(str(error).split())[:_SHOWN].rstrip("。.")
            raise self._failed(f"连不上（{reason}），请检查 KAIJUAN_RERANK_URL 和网络", "unreachable") from None
        if not 200 <= answer.status < 300:
            raise self._refused(answer.status)
        return self._read(answer.body, len(texts))

    def close(self) -> None:
        """Give up the connections that are kept open."""
        self._client.close()

    def _asked(self, question: str, texts: Sequence[str], deadline: float) -> _Answer:
        answer = self._posted(question, texts, deadline)
        if answer.status in (400, 422) and self._field == "documents" and b"texts" in answer.body:
            self._field = "texts"
            answer = self._posted(question, texts, deadline)
        return answer

    def _posted(self, question: str, texts: Sequence[str], deadline: float) -> _Answer:
        body = {"query": question, self._field: list(texts)} | ({"model": self._model} if self._model else {})
        with self._client.stream("POST", self._url, json=body) as response:
            read = bytearray()
            for block in response.iter_bytes():
                read += block
                if time.monotonic() >= deadline:
                    raise TimeoutError  # nobody waits any more
                if len(read) > _LONGEST:
                    raise self._failed("的回答太长，请检查 KAIJUAN_RERANK_URL 是否指向 /rerank 接口", "odd")
            return _Answer(response.status_code, bytes(read))

    def _read(self, body: bytes, count: int) -> list[float | None]:
        try:
            answer = json.loads(body)
        except ValueError:
            raise self._failed("的回答不是 JSON，请检查 KAIJUAN_RERANK_URL", "odd") from None
        rows = answer.get("results", answer.get("data")) if isinstance(answer, dict) else answer
        found: dict[int, float] = {}
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict):
                place, score = row.get("index"), row.get("relevance_score", row.get("score"))
                if _is_number(score) and type(place) is int and 0 <= place < count:
                    found.setdefault(place, float(score))
        if not found:
            raise self._failed("的回答里没有评分，请检查 KAIJUAN_RERANK_URL 是否指向 /rerank 接口", "odd")
        return [found.get(place) for place in range(count)]

    def _refused(self, status: int) -> ModelFailed:
        if status in (401, 403):
            return self._failed(f"不接受密钥（HTTP {status}），请检查 KAIJUAN_RERANK_API_KEY", "auth")
        if status == 404:
            return self._failed(
                "没有这个地址或模型（HTTP 404），请检查 KAIJUAN_RERANK_URL 和 KAIJUAN_RERANK_MODEL", "no_model"
            )
        if status == 429 or (status >= 500 and status != 501):
            return self._failed(f"太忙或出错了（HTTP {status}），请检查服务后再试", "busy")
        return self._failed(
            f"拒绝了请求（HTTP {status}），请检查 KAIJUAN_RERANK_URL 和 KAIJUAN_RERANK_MODEL", "refused"
        )

    def _failed(self, what: str, kind: ModelFault) -> ModelFailed:
        return ModelFailed(f"重排服务 {self._host} {what}。", kind)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 1e9
