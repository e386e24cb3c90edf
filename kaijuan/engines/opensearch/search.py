"""Searching: one round trip a question, repeated only when another build has begun to answer meanwhile."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from kaijuan.engines.base import KeywordQuery, SearchResult, VectorQuery
from kaijuan.engines.opensearch.catalogue import Catalogue, Known, no_version
from kaijuan.engines.opensearch.client import READ_WAITS, Client, ndjson
from kaijuan.engines.opensearch.faults import NothingToSearch
from kaijuan.engines.opensearch.names import Names
from kaijuan.engines.opensearch.question import MOST_TERMS, Asked, lines
from kaijuan.engines.opensearch.reply import Reply, read
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.errors import EngineError, IndexMismatch, IndexMissing
from kaijuan.types import Viewer

_ATTEMPTS = 4
_NO_INDEX, _NO_TEMPLATE = "index_not_found_exception", "resource_not_found_exception"


class Searcher:
    """Asks questions of the builds."""

    def __init__(self, client: Client, names: Names, catalogue: Catalogue, schema: Schema) -> None:
        self._client, self._names, self._catalogue, self._schema = client, names, catalogue, schema

    def search(
        self,
        collection: str,
        keyword: KeywordQuery | None,
        vector: VectorQuery | None,
        viewer: Viewer,
        version: str | None,
    ) -> SearchResult:
        """See Engine.search."""
        # The alias decides in the server which build answers; the hits tell which one did. When it is not the one that
        # is remembered here, the question is asked again.
        target: str | None = self._names.alias(collection)
        for _ in range(_ATTEMPTS):
            known = self._catalogue.known(collection, version)
            asked = self._asked(known, keyword, vector, viewer)
            if version is not None:
                target = known.stored.index
            reply = self._ask(asked, target or known.stored.index)
            if not self._outdated(collection, known, reply, version):
                return read(asked, reply, self._client.server.shown)
            target = None  # the next time of the very index that is remembered then
        raise EngineError(f"集合 {collection} 的索引在检索时一再切换，请稍后重试。")

    def described(
        self, collection: str, keyword: KeywordQuery | None, vector: VectorQuery | None, viewer: Viewer
    ) -> str:
        """See Engine.describe."""
        known = self._catalogue.known(collection, None)
        asked = self._asked(known, keyword, vector, viewer)
        made = lines(asked, self._names.alias(collection), self._schema.ids)
        for line in made:
            params = line.get("params", {})
            if "vector" in params:
                params["vector"] = ",".join([*params["vector"].split(",")[:4], "…]"])
        return "\n".join(json.dumps(line, ensure_ascii=False) for line in made)

    def _asked(self, known: Known, keyword: KeywordQuery | None, vector: VectorQuery | None, viewer: Viewer) -> Asked:
        if vector is not None:
            _check_vector(known, vector)
            if vector.size <= 0 or not known.stored.counts.chunks:
                vector = None
        scored = keyword is not None and keyword.size > 0
        if keyword is not None and (keyword.size <= 0 or not keyword.terms):
            keyword = None
        terms = keyword.terms[:MOST_TERMS] if keyword else ()
        timeout = f"{int(self._client.server.search_timeout * 1000)}ms"
        return Asked(known, terms, known.remembered(terms, viewer), keyword, vector, viewer, timeout, scored)

    def _ask(self, asked: Asked, target: str) -> Reply:
        body = lines(asked, target, self._schema.ids)
        if not body:
            return Reply(None, None, ())
        try:
            reply = self._send(asked, body)
            installed = not reply.failed_with(_NO_TEMPLATE)
        except NothingToSearch:
            installed = False
        if not installed:  # a new server, or a template changed since the last ingest
            self._schema.install(self._client)
            reply = self._send(asked, body)
        for wait in READ_WAITS:
            if not reply.busy():
                break
            time.sleep(wait)
            reply = self._send(asked, body)
        return reply

    def _send(self, asked: Asked, body: list[Any]) -> Reply:
        answer = self._client.read("POST", "/_msearch/template", ndjson(body))
        return Reply.of(asked, answer["responses"])

    def _outdated(self, collection: str, known: Known, reply: Reply, version: str | None) -> bool:
        """Whether the reply came from another build than the remembered one, which is then forgotten."""
        gone = reply.failed_with(_NO_INDEX)
        builds = reply.builds()
        if builds == {known.stored.build} and not gone:
            return False
        if version is not None:
            if builds or gone:
                self._catalogue.forget(collection)
            if gone:
                raise IndexMissing(no_version(collection, version))
            return bool(builds)
        # Without a hit nothing says which build answered; such questions are rare enough to ask.
        return self._catalogue.refreshed(collection).stored != known.stored or bool(builds) or gone


def _check_vector(known: Known, vector: VectorQuery) -> None:
    meta = known.stored.meta
    question = np.asarray(vector.vector, dtype=np.float32)
    if not meta.dims or question.shape != (meta.dims,):
        raise IndexMismatch(
            f"索引 {meta.collection} 的向量为 {meta.dims} 维（{meta.embedder or '无模型'}），"
            f"问题的向量形状是 {question.shape}，请运行 python -m ingest {meta.collection} 重建。"
        )
    if not np.isfinite(question).all():
        raise EngineError("问题的向量含有非有限数值，请检查嵌入模型的文件后重试。")
