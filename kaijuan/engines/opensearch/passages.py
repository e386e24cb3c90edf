"""Reading passages without searching: by id, by document, and the ids of all documents. The viewer's filter is inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.documents import Json, from_source, reader_filter
from kaijuan.engines.opensearch.faults import Missing
from kaijuan.engines.opensearch.names import Names
from kaijuan.errors import IndexMissing
from kaijuan.types import Chunk, Viewer

#: What is asked for at a time; the server gives no more than 10,000 hits to a request.
_PAGE = 1000


class Passages:
    """Reads from the build that answers."""

    def __init__(self, client: Client, names: Names) -> None:
        self._client, self._names = client, names

    def fetch(self, collection: str, chunk_ids: Sequence[str], viewer: Viewer) -> list[Chunk]:
        """See Engine.fetch."""
        found: dict[str, Chunk] = {}
        wanted = list(dict.fromkeys(chunk_ids))
        for start in range(0, len(wanted), _PAGE):
            page = wanted[start : start + _PAGE]
            hits = self._hits(collection, {"terms": {"id": page}}, viewer, {"size": len(page)})
            found |= {chunk.id: chunk for chunk in map(_chunk, hits)}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def document(self, collection: str, source_id: str, viewer: Viewer) -> list[Chunk]:
        """See Engine.document."""
        chunks: list[Chunk] = []
        more: Json = {}
        while True:
            paging = {"size": _PAGE, "sort": [{"position": "asc"}, {"id": "asc"}], **more}
            hits = self._hits(collection, {"term": {"source_id": source_id}}, viewer, paging)
            chunks += map(_chunk, hits)
            if len(hits) < _PAGE:
                return chunks
            more = {"search_after": hits[-1]["sort"]}

    def source_ids(self, collection: str, viewer: Viewer) -> list[str]:
        """See Engine.source_ids."""
        return sorted(self._source_ids(collection, viewer))

    def _source_ids(self, collection: str, viewer: Viewer) -> Iterator[str]:
        more: Json = {}
        while True:
            composite = {"size": _PAGE, "sources": [{"id": {"terms": {"field": "source_id"}}}], **more}
            body = {
                "size": 0,
                "query": {"bool": {"filter": reader_filter(viewer)}},
                "aggs": {"documents": {"composite": composite}},
            }
            answer = self._search(collection, body)["aggregations"]["documents"]
            yield from (str(bucket["key"]["id"]) for bucket in answer["buckets"])
            if len(answer["buckets"]) < _PAGE:
                return
            more = {"after": answer["after_key"]}

    def _hits(self, collection: str, clause: Json, viewer: Viewer, paging: Json) -> list[Json]:
        query = {"bool": {"filter": [clause, *reader_filter(viewer)]}}
        answer = self._search(collection, {"query": query, "_source": ["chunk"], **paging})
        hits: list[Json] = answer["hits"]["hits"]
        return hits

    def _search(self, collection: str, body: Json) -> Any:
        try:
            return self._client.read("POST", f"/{self._names.alias(collection)}/_search", body)
        except Missing as error:
            raise IndexMissing(f"集合 {collection} 尚未建立索引，请运行 python -m ingest {collection}。") from error


def _chunk(hit: Json) -> Chunk:
    return from_source(hit["_source"])
