"""The indices of a collection: made, listed, switched to in one request, deleted."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kaijuan.engines.base import BuildMeta, Version
from kaijuan.engines.opensearch.catalogue import no_version
from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.faults import AlreadyThere, Missing
from kaijuan.engines.opensearch.names import Names, is_version, version_number
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.engines.opensearch.stored_meta import from_meta, is_finished, to_meta
from kaijuan.errors import EngineError, IndexMismatch

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Index:
    """One index of a collection as the server describes it."""

    name: str
    version: str
    active: bool
    stored: Any

    @property
    def finished(self) -> bool:
        """Whether its build was finished."""
        return is_finished(self.stored)


class Versions:
    """Keeps the indices and the alias of each collection."""

    def __init__(self, client: Client, names: Names, schema: Schema) -> None:
        self._client, self._names, self._schema = client, names, schema

    def indices(self, collection: str) -> list[Index]:
        """All indices of a collection, unfinished ones included, oldest first; one request."""
        alias, pattern = self._names.alias(collection), self._names.pattern(collection)
        try:
            found: dict[str, Any] = self._client.read("GET", f"/{pattern}", allow_no_indices="true")
        except Missing:
            return []
        described = [
            Index(name, self._names.version(name), alias in index["aliases"], index["mappings"].get("_meta"))
            for name, index in found.items()
        ]
        return sorted((index for index in described if index.version), key=lambda index: version_number(index.version))

    def create(self, meta: BuildMeta) -> tuple[str, str, str]:
        """Make the empty index of a new build: its name, its version, its mark."""
        taken = [version_number(index.version) for index in self.indices(meta.collection)]
        number = max(taken, default=0)
        mark = secrets.token_hex(8)
        described = to_meta(meta, mark, self._schema.fingerprint, None)
        body = self._schema.index_body(meta, described)
        for _ in range(_ATTEMPTS):
            number += 1
            version = f"v{number:04d}"
            index = self._names.index(meta.collection, version)
            try:
                self._client.once("PUT", f"/{index}", body)
            except AlreadyThere:  # somebody else took the number in between
                continue
            return index, version, mark
        raise EngineError(f"集合 {meta.collection} 有别的程序在不断建立新索引，请等它们结束后重新运行 ingest。")

    def listed(self, collection: str) -> list[Version]:
        """Finished versions, oldest first; those of another format are left out, so that a new one can be made."""
        versions = []
        for index in self.indices(collection):
            if not index.finished:
                continue
            try:
                stored = from_meta(index.stored, index.name, index.version, collection)
            except IndexMismatch:
                continue
            versions.append(stored.as_version(index.active))
        return versions

    def note(self, collection: str, version: str, notes: Mapping[str, Any]) -> None:
        """Keep plain data in `_meta` of a finished version."""
        wanted = self._finished(self.indices(collection), collection, version)
        stored = {**wanted.stored, "notes": {**(wanted.stored.get("notes") or {}), **notes}}
        try:
            self._client.read("PUT", f"/{wanted.name}/_mapping", {"_meta": stored})
        except Missing as error:
            raise EngineError(no_version(collection, version)) from error

    def activate(self, collection: str, version: str) -> None:
        """Move the alias to a finished version, in one request that happens as a whole or not at all."""
        alias = self._names.alias(collection)
        wanted = self._finished(self.indices(collection), collection, version)
        actions: list[Any] = [
            {"remove": {"index": index, "alias": alias}} for index in self._holders(alias) if index != wanted.name
        ]
        actions.append({"add": {"index": wanted.name, "alias": alias}})
        try:
            self._client.once("POST", "/_aliases", {"actions": actions})
        except Missing as error:
            raise EngineError(no_version(collection, version)) from error

    def delete(self, collection: str, version: str) -> None:
        """Remove a finished version that does not answer."""
        wanted = self._finished(self.indices(collection), collection, version)
        if wanted.active:
            raise EngineError(f"版本 {version} 正在回答集合 {collection} 的问题，不能删除；请先切换到别的版本。")
        self._drop(wanted.name)

    def clean_up(self, collection: str) -> list[str]:
        """Remove unfinished builds; to be called only while nobody else builds this collection."""
        left = [index.name for index in self.indices(collection) if not index.finished and not index.active]
        for name in left:
            self._drop(name)
        return left

    def _holders(self, alias: str) -> list[str]:
        """Names of all indices that carry the alias, closed ones and those of strangers among them."""
        try:
            found: dict[str, Any] = self._client.read("GET", f"/{alias}")
        except Missing:
            return []
        return sorted(index for index in found if index != alias)

    def _finished(self, indices: list[Index], collection: str, version: str) -> Index:
        found = [index for index in indices if index.version == version and index.finished]
        if not is_version(version) or not found:
            raise EngineError(no_version(collection, version))
        return found[0]

    def _drop(self, index: str) -> None:
        try:
            self._client.once("DELETE", f"/{index}")
        except Missing:
            return
