"""A passage is embedded once: vectors kept by model name and content hash in one SQLite file."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kaijuan.errors import IngestError
from kaijuan.models.base import BatchEmbedder, Embedder, Vector
from kaijuan.text import clean


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors (n, dims) of n texts, how many were computed now, and why the ones at some positions are unusable."""

    vectors: Vector
    computed: int
    unusable: dict[int, str]


class VectorCache:
    """Vectors of texts already embedded; safe for several processes (WAL, one short write a batch)."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            raise IngestError(f"向量缓存 {path.name} 无法使用（{error}），请删除这个文件或检查权限后重试。") from error

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def embed(self, embedder: Embedder, texts: Sequence[str]) -> Embedded:
        """Vectors of `texts`, stored ones first; raises IngestError for a vector of another length than the model's."""
        cleaned = [clean(text) for text in texts]
        keys = [hashlib.sha256(f"{embedder.name}\0{text}".encode()).digest() for text in cleaned]
        known = {key: vector for key in keys if (vector := self._get(key)) is not None}
        new = {key: text for key, text in zip(keys, cleaned, strict=True) if key not in known}
        computed = dict(zip(new, _passages(embedder, list(new.values())), strict=True))
        vectors = np.zeros((len(texts), embedder.dims), dtype=np.float32)
        unusable = {}
        for i, (key, text) in enumerate(zip(keys, cleaned, strict=True)):
            vector = known[key] if key in known else computed[key]
            if vector.shape != (embedder.dims,):
                raise IngestError(
                    f"模型 {embedder.name} 给“{text[:20]}…”的向量是 {vector.shape} 维，应为 {embedder.dims} 维，"
                    "请检查模型文件后重新运行 ingest。"
                )
            if fault := unusable_because(vector):
                unusable[i] = fault
                continue
            if key in computed:
                self._db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, vector.tobytes()))
            vectors[i] = vector
        self._db.commit()
        return Embedded(vectors, len(computed), unusable)

    def _get(self, key: bytes) -> Vector | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)


def _passages(embedder: Embedder, texts: Sequence[str]) -> Iterable[Vector]:
    """Vectors of the texts, in one call where the model takes many."""
    if isinstance(embedder, BatchEmbedder) and texts:
        return embedder.embed_passages(texts)
    return map(embedder.passage, texts)


def unusable_because(vector: Vector) -> str | None:
    """Why a cosine with this vector would mean nothing, None when it is finite and of unit length."""
    if not np.isfinite(vector).all():
        return "向量含有非有限数值"
    length = float(np.linalg.norm(vector))
    return None if abs(length - 1.0) <= 1e-3 else f"向量长度是 {length:.4f}，应为 1"
