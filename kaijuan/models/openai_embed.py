"""Vectors from an embedding model behind an OpenAI-compatible service, many texts a call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import openai

from kaijuan.errors import ModelFailed
from kaijuan.models.base import Vector
from kaijuan.models.openai_client import Connection, Refusals
from kaijuan.models.openai_faults import odd
from kaijuan.models.openai_service import Service

#: Texts of one call; a service that takes fewer is found out, and asked with fewer from then on.
BATCH = 64
#: Models of a fixed length refuse to be told one.
_OPTIONAL = {"dimensions": "dimension", "matryoshka": "matryoshka"}


class OpenAIEmbedder:
    """The embedding model; safe to share between threads."""

    floor: float | None = None

    def __init__(self, service: Service, dims: int) -> None:
        """Raises SettingsError for an address or a key that cannot be used; nothing is connected yet."""
        # One model gives vectors of several lengths: an index of another length is another model's.
        self.name = f"{service.model}@{dims}"
        self.dims = dims
        self._service = service
        self._connection = Connection(service)
        self._refused = Refusals(_OPTIONAL)
        self._batch = BATCH

    def passage(self, text: str) -> Vector:
        """Vector of one passage; raises ModelFailed."""
        return self.query(text)

    def sentence(self, text: str) -> Vector:
        """Vector of a sentence, by the same encoder; raises ModelFailed."""
        return self.query(text)

    def query(self, text: str) -> Vector:
        """Vector of one question; raises ModelFailed."""
        vector: Vector = self.embed_passages([text])[0]
        if not abs(float(np.linalg.norm(vector)) - 1.0) < 1e-3:  # so written, it finds NaN too
            raise odd(self._service, "向量没有方向")
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """See BatchEmbedder.embed_passages; raises ModelFailed."""
        rows = [np.zeros((0, self.dims), dtype=np.float32)]
        start = 0
        while start < len(texts):
            batch = texts[start : start + self._batch]
            try:
                rows.append(self._embedded(batch))
            except ModelFailed as failed:
                if failed.kind not in ("refused", "too_long") or len(batch) == 1:
                    raise
                self._batch = len(batch) // 2
                continue
            start += len(batch)
        return np.concatenate(rows)

    def close(self) -> None:
        """Give up the connections that are kept open."""
        self._connection.close()

    def _embedded(self, texts: Sequence[str]) -> Vector:
        answer = self._connection.repeat(lambda: self._refused.settle(lambda: self._asked(texts), self._service))
        return _units(self._rows(answer, len(texts)))

    def _asked(self, texts: Sequence[str]) -> Any:
        fixed = "dimensions" in self._refused or "matryoshka" in self._refused
        response = self._connection.client.embeddings.with_raw_response.create(
            model=self._service.model,
            input=list(texts),
            dimensions=openai.omit if fixed else self.dims,
            # Not every server knows the SDK's own choice, base64.
            encoding_format="float",
        )
        return json.loads(response.content)

    def _rows(self, answer: Any, count: int) -> Any:
        """The vectors (count, dims) in the order of the texts; raises ModelFailed when they are not all there."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
            raise odd(self._service, "没有向量")
        if len(data) != count:
            raise odd(self._service, f"发出 {count} 段文字，收到 {len(data)} 个向量")
        if any("index" in row for row in data):
            places = {row.get("index"): row for row in data if isinstance(row.get("index"), int)}
            if sorted(places) != list(range(count)):
                raise odd(self._service, "向量的编号对不上")
            data = [places[number] for number in range(count)]
        try:
            rows = np.array([row.get("embedding") for row in data], dtype=np.float64)
        except (TypeError, ValueError):
            raise odd(self._service, "向量不是等长的数字") from None
        if rows.ndim != 2:
            raise odd(self._service, "向量不是等长的数字")
        if rows.shape[1] != self.dims:
            raise ModelFailed(
                f"模型 {self._service.model} 的向量是 {rows.shape[1]} 维，设置 KAIJUAN_OPENAI_EMBEDDING_DIMS 是 {self.dims}，请改成一致后重新运行 ingest。",
                "odd",
            )
        return rows


def _units(rows: Any) -> Vector:
    """Rows at unit length; one that has no direction stays as it is, for whoever names the text that it belongs to."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        usable = np.isfinite(lengths) & (lengths > 0.0)
        units: Vector = np.where(usable, rows / np.where(usable, lengths, 1.0), rows).astype(np.float32)
    return units
