"""The OpenSearch engine: a collection is an alias, each of its builds an index (see names.py, search_templates/)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from kaijuan.engines.base import BuildMeta, KeywordQuery, SearchResult, VectorQuery, Version
from kaijuan.engines.opensearch.build import OpenSearchBuild
from kaijuan.engines.opensearch.catalogue import Catalogue
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.health import findings
from kaijuan.engines.opensearch.names import Names
from kaijuan.engines.opensearch.passages import Passages
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.engines.opensearch.search import Searcher
from kaijuan.engines.opensearch.stored_meta import FORMAT
from kaijuan.engines.opensearch.versions import Versions
from kaijuan.errors import EngineError
from kaijuan.types import Chunk, Finding, Viewer


class OpenSearchEngine:
    """Engine on an OpenSearch server; see Engine for what its methods promise. Connects with the first request."""

    name = "opensearch"

    def __init__(self, server: Server, schema: Schema | None = None) -> None:
        self._names = names = Names(server.prefix)
        self._schema = schema or Schema()
        self._client = Client(server)
        self._catalogue = Catalogue(self._client, names)
        self._versions = Versions(self._client, names, self._schema)
        self._passages = Passages(self._client, names)
        self._searcher = Searcher(self._client, names, self._catalogue, self._schema)

    @property
    def form(self) -> str:
        """See Engine.form; a changed index.json is another form."""
        return f"opensearch/{FORMAT}/{self._schema.fingerprint}"

    def search(
        self,
        collection: str,
        keyword: KeywordQuery | None,
        vector: VectorQuery | None,
        viewer: Viewer,
        version: str | None = None,
    ) -> SearchResult:
        """See Engine.search."""
        return self._searcher.search(collection, keyword, vector, viewer, version)

    def describe(
        self, collection: str, keyword: KeywordQuery | None, vector: VectorQuery | None, viewer: Viewer
    ) -> str:
        """See Engine.describe: the lines of the multi-search, the vector cut to its first numbers."""
        return self._searcher.described(collection, keyword, vector, viewer)

    def meta(self, collection: str, version: str | None = None) -> BuildMeta:
        """See Engine.meta; a switch by another process shows with the next question."""
        return self._catalogue.known(collection, version).stored.meta

    def fetch(self, collection: str, chunk_ids: Sequence[str], viewer: Viewer) -> list[Chunk]:
        """See Engine.fetch."""
        return self._passages.fetch(collection, chunk_ids, viewer)

    def document(self, collection: str, source_id: str, viewer: Viewer) -> list[Chunk]:
        """See Engine.document."""
        return self._passages.document(collection, source_id, viewer)

    def source_ids(self, collection: str, viewer: Viewer) -> list[str]:
        """See Engine.source_ids."""
        return self._passages.source_ids(collection, viewer)

    def open_build(self, meta: BuildMeta) -> OpenSearchBuild:
        """See Engine.open_build; installs the templates too. Raises EngineError when meta contradicts itself."""
        if (meta.embedder is None) != (meta.dims == 0):
            raise EngineError(
                f"索引 {meta.collection} 的模型是 {meta.embedder}，向量却有 {meta.dims} 维，请检查嵌入模型的设置。"
            )
        index, version, mark = self._versions.create(meta)
        build = OpenSearchBuild(self._client, self._schema, index, version, mark, meta)
        try:
            self._schema.install(self._client)
        except EngineError:
            with suppress(EngineError):  # the first fault is the one to be named
                build.abandon()
            raise
        return build

    def versions(self, collection: str) -> list[Version]:
        """See Engine.versions."""
        return self._versions.listed(collection)

    def note(self, collection: str, version: str, notes: Mapping[str, Any]) -> None:
        """See Engine.note."""
        self._versions.note(collection, version, notes)

    def activate(self, collection: str, version: str) -> None:
        """See Engine.activate."""
        self._versions.activate(collection, version)
        self._catalogue.forget(collection)

    def delete(self, collection: str, version: str) -> None:
        """See Engine.delete; raises EngineError also where there is no such version."""
        self._versions.delete(collection, version)
        self._catalogue.forget(collection)

    def clean_up(self, collection: str) -> list[str]:
        """See Engine.clean_up; to be called only while nobody else builds this collection."""
        return self._versions.clean_up(collection)

    def health(self, collections: Sequence[str]) -> list[Finding]:
        """See Engine.health."""
        return findings(self._client, self._names, self._schema, collections)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
