"""A build being written: an index of its own that no alias names until it is activated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kaijuan.engines.base import BuildMeta, Version, check_vectors
from kaijuan.engines.opensearch.bulk import Bulk, Item
from kaijuan.engines.opensearch.client import Client, ndjson
from kaijuan.engines.opensearch.documents import analysis_of, document_id, to_document
from kaijuan.engines.opensearch.faults import Missing
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.engines.opensearch.stored_meta import Counts, Stored, to_meta
from kaijuan.errors import EngineError
from kaijuan.models.base import Vector
from kaijuan.types import Chunk

#: Decimals of a vector's numbers in a request; enough to get every float32 back that matters to a cosine.
_DECIMALS = 10


class OpenSearchBuild:
    """Write side of the engine; memory grows with the ids of chunks and documents only."""

    def __init__(self, client: Client, schema: Schema, index: str, version: str, mark: str, meta: BuildMeta) -> None:
        """`index` exists, is empty and of this build's own; `mark` is what its documents carry as `build`."""
        self.version = version
        self._client, self._schema, self._index, self._mark, self._meta = client, schema, index, mark, meta
        self._bulk = Bulk(client, index)
        self._documents: dict[str, tuple[str, int]] = {}
        self._duplicate: str | None = None

    def add(self, chunks: Sequence[Chunk], vectors: Vector | None) -> None:
        """Add chunks and their vectors; raises IndexMismatch or EngineError before anything of them is sent."""
        check_vectors(self._meta, chunks, vectors)
        numbers = None if vectors is None or not self._meta.dims else _numbers(vectors)
        for place, chunk in enumerate(chunks):
            if chunk.id in self._documents:
                self._duplicate = self._duplicate or chunk.id
                continue
            analysis = analysis_of(chunk)
            document = to_document(chunk, analysis, self._mark)
            if numbers is not None:
                document["vector"] = numbers[place]
            lines = ndjson([{"create": {"_id": document_id(chunk.id)}}, document])
            self._send(Item(chunk.id, lines))
            self._documents[chunk.id] = chunk.source_id, len(analysis.terms)

    @property
    def rejected(self) -> tuple[tuple[str, str], ...]:
        """See Build.rejected."""
        return tuple(self._bulk.refused)

    def finish(self) -> Version:
        """Send the rest, let it be searched, compare the count, and only then say in `_meta` that the build is whole."""
        if self._duplicate:
            raise EngineError(f"段落编号 {self._duplicate} 出现了两次，请检查语料中的文档编号后重新运行 ingest。")
        self._send(None)
        counts = self._counts()
        try:
            self._client.read("POST", f"/{self._index}/_refresh")
            self._client.read("POST", f"/{self._index}/_flush")
            there = int(self._client.read("GET", f"/{self._index}/_count")["count"])
            found = self._client.read("GET", f"/{self._index}/_mapping")[self._index]["mappings"].get("_meta") or {}
        except Missing as error:
            raise self._gone() from error
        if found.get("build") != self._mark:  # deleted, and made again by a server that makes indices of its own accord
            raise self._gone()
        if there != counts.chunks:
            raise EngineError(
                f"新索引 {self._index} 有 {there} 个段落，应有 {counts.chunks} 个，请重新运行 ingest；旧索引照常可用。"
            )
        described = to_meta(self._meta, self._mark, self._schema.fingerprint, counts)
        self._client.read("PUT", f"/{self._index}/_mapping", {"_meta": described})
        stored = Stored(self._index, self.version, self._mark, self._meta, counts)
        return stored.as_version(active=False)

    def _send(self, item: Item | None) -> None:
        """One document more, or the rest."""
        try:
            if item is None:
                self._bulk.flush()
            else:
                self._bulk.add(item)
        except Missing as error:
            raise self._gone() from error

    def _counts(self) -> Counts:
        """Of what the server took."""
        if self._bulk.refused and len(self._bulk.refused) == len(self._documents):
            chunk_id, why = self._bulk.refused[0]
            raise EngineError(
                f"搜索引擎拒收了全部 {len(self._documents)} 个段落（第一个是 {chunk_id}：{why}），"
                "请检查 search_templates/index.json 后重新运行 ingest；旧索引照常可用。"
            )
        refused = {chunk_id for chunk_id, _ in self._bulk.refused}
        taken = [row for chunk_id, row in self._documents.items() if chunk_id not in refused]
        return Counts(len(taken), len({source for source, _ in taken}), sum(terms for _, terms in taken))

    def abandon(self) -> None:
        """Drop the index."""
        try:
            self._client.once("DELETE", f"/{self._index}")
        except Missing:
            return

    def _gone(self) -> EngineError:
        return EngineError(
            f"新索引 {self._index} 在写入时被删除，请确认没有别的程序在清理它，然后重新运行 ingest；旧索引照常可用。"
        )


def _numbers(vectors: Vector) -> list[list[float]]:
    numbers: list[list[float]] = np.round(vectors.astype(np.float64), _DECIMALS).tolist()
    return numbers
