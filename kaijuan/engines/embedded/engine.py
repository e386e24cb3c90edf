"""The embedded engine: builds as memory-mapped folders, searched in this process.

<index dir>/<collection>/ is described in home.py. Any number of processes may read while one writes.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kaijuan.engines.base import BuildMeta, KeywordQuery, SearchResult, VectorQuery, Version
from kaijuan.engines.embedded.build import EmbeddedBuild
from kaijuan.engines.embedded.health import findings
from kaijuan.engines.embedded.home import Home, Identity
from kaijuan.engines.embedded.meta_file import FORMAT, read_meta, read_notes, write_notes
from kaijuan.engines.embedded.snapshot import Snapshot
from kaijuan.errors import EngineError, IndexMismatch, IndexMissing
from kaijuan.types import Chunk, Finding, Viewer

#: Versions of one collection that stay opened.
_OPENED = 3
_ATTEMPTS = 5
#: What reading damaged files ends in.
_DAMAGE = (OSError, EOFError, ValueError, LookupError, TypeError)


class EmbeddedEngine:
    """Engine in this process; see Engine for what its methods promise."""

    name = "embedded"
    form = f"embedded/{FORMAT}"

    def __init__(self, index_dir: Path) -> None:
        self._dir = index_dir
        self._lock = threading.Lock()
        self._homes: dict[str, Home] = {}
        self._opened: dict[tuple[str, str], tuple[Identity, Snapshot]] = {}
        self._answering: dict[str, tuple[Identity, Snapshot]] = {}

    def search(
        self,
        collection: str,
        keyword: KeywordQuery | None,
        vector: VectorQuery | None,
        viewer: Viewer,
        version: str | None = None,
    ) -> SearchResult:
        """See Engine.search."""
        return self.snapshot(collection, version).search(keyword, vector, viewer)

    def describe(
        self, collection: str, keyword: KeywordQuery | None, vector: VectorQuery | None, viewer: Viewer
    ) -> str:
        """See Engine.describe."""
        legs: dict[str, Any] = {
            "collection": collection,
            "readers": "all" if viewer.sees_all else sorted(viewer.groups),
        }
        if keyword is not None:
            legs["keyword"] = {"terms": keyword.terms, "size": keyword.size, "k1": keyword.k1, "b": keyword.b}
        if vector is not None:
            first = [round(float(number), 4) for number in vector.vector[:4]]
            legs["vector"] = {"size": vector.size, "dims": len(vector.vector), "vector": [*first, "…"]}
        return json.dumps(legs, ensure_ascii=False, indent=1)

    def meta(self, collection: str, version: str | None = None) -> BuildMeta:
        """See Engine.meta."""
        return self.snapshot(collection, version).meta

    def fetch(self, collection: str, chunk_ids: Sequence[str], viewer: Viewer) -> list[Chunk]:
        """See Engine.fetch."""
        store = self.snapshot(collection).store
        found = [store[n] for n in map(store.ordinal, chunk_ids) if n is not None]
        return [chunk for chunk in found if viewer.may_read(chunk.audience)]

    def document(self, collection: str, source_id: str, viewer: Viewer) -> list[Chunk]:
        """See Engine.document."""
        chunks = self.snapshot(collection).store.of_source(source_id)
        return [chunk for chunk in chunks if viewer.may_read(chunk.audience)]

    def source_ids(self, collection: str, viewer: Viewer) -> list[str]:
        """See Engine.source_ids."""
        return self.snapshot(collection).store.source_ids(viewer)

    def open_build(self, meta: BuildMeta) -> EmbeddedBuild:
        """See Engine.open_build; raises EngineError when meta contradicts itself or nothing can be written."""
        if (meta.embedder is None) != (meta.dims == 0):
            raise EngineError(
                f"索引 {meta.collection} 的模型是 {meta.embedder}，向量却有 {meta.dims} 维，请检查嵌入模型的设置。"
            )
        try:
            version, folder = self._home(meta.collection).start_build()
        except OSError as error:
            raise EngineError(f"索引文件夹 {self._dir} 无法写入（{error.strerror}），请检查设置和权限。") from error
        return EmbeddedBuild(folder, version, meta)

    def versions(self, collection: str) -> list[Version]:
        """See Engine.versions; builds of another format and damaged ones are left out, so that a new one can be made."""
        home = self._home(collection)
        active = home.active()
        described = []
        for folder in home.finished():
            try:
                meta, chunks, documents = read_meta(folder)
            except (IndexMismatch, *_DAMAGE):
                continue
            version = Version(folder.name, folder.name == active, chunks, documents, meta, read_notes(folder))
            described.append(version)
        return described

    def note(self, collection: str, version: str, notes: Mapping[str, Any]) -> None:
        """See Engine.note."""
        folder = self._home(collection).version_folder(version)
        if folder is None:
            raise EngineError(_no_version(collection, version))
        try:
            write_notes(folder, {**read_notes(folder), **notes})
        except OSError as error:
            raise EngineError(f"索引文件夹 {folder} 无法写入（{error.strerror}），请检查磁盘空间和权限。") from error

    def activate(self, collection: str, version: str) -> None:
        """See Engine.activate; a version that cannot be opened is refused too."""
        home = self._home(collection)
        if home.version_folder(version) is None:
            raise EngineError(_no_version(collection, version))
        try:
            self.snapshot(collection, version)
        except IndexMissing as error:
            raise EngineError(str(error)) from error
        home.activate(version)

    def delete(self, collection: str, version: str) -> None:
        """See Engine.delete; raises EngineError also where there is no such version."""
        home = self._home(collection)
        if version == home.active():
            raise EngineError(f"版本 {version} 正在回答集合 {collection} 的问题，不能删除；请先切换到别的版本。")
        folder = home.version_folder(version)
        if folder is None:
            raise EngineError(_no_version(collection, version))
        home.delete(folder)
        with self._lock:
            self._opened.pop((collection, version), None)

    def clean_up(self, collection: str) -> list[str]:
        """See Engine.clean_up; to be called only while nobody else builds this collection."""
        return self._home(collection).clean_up()

    def health(self, collections: Sequence[str]) -> list[Finding]:
        """See Engine.health."""
        return findings(self._dir, collections)

    def snapshot(self, collection: str, version: str | None = None) -> Snapshot:
        """The opened build; the pointer is looked at in every call, so a switch is seen by the next question."""
        home = self._home(collection)
        if version is not None:
            return self._open(home, version)
        switched = home.switched()  # before its content is read, so that a switch in between shows next time
        known = self._answering.get(collection)
        if known is not None and known[0] == switched:
            return known[1]
        snapshot = self._open_active(home)
        if switched is not None:
            self._answering[collection] = (switched, snapshot)
        return snapshot

    def _open_active(self, home: Home) -> Snapshot:
        for _ in range(_ATTEMPTS):
            wanted = home.active()
            if wanted is None:
                break
            try:
                return self._open(home, wanted)
            except IndexMissing:
                # Between reading the name and opening its files, a writer may have switched and deleted the old ones.
                if home.active() == wanted:
                    raise
        raise IndexMissing(f"集合 {home.collection} 尚未建立索引，请运行 python -m ingest {home.collection}。")

    def _open(self, home: Home, version: str) -> Snapshot:
        key = (home.collection, version)
        identity = home.identity(version)
        if identity is None:
            raise IndexMissing(_no_version(home.collection, version))
        opened = self._opened.get(key)
        if opened is None or opened[0] != identity:
            with self._lock:
                opened = self._opened.get(key)
                if opened is None or opened[0] != identity:
                    opened = (identity, _load(home, version))
                    self._keep(key, opened)
        return opened[1]

    def _keep(self, key: tuple[str, str], opened: tuple[Identity, Snapshot]) -> None:
        self._opened.pop(key, None)
        self._opened[key] = opened
        # The longest opened ones are let go; whoever searches them still holds them.
        for old in [other for other in self._opened if other[0] == key[0]][:-_OPENED]:
            del self._opened[old]

    def _home(self, collection: str) -> Home:
        home = self._homes.get(collection)
        if home is None:
            home = Home(self._dir, collection)
            if home.folder.is_dir():  # so that made-up names leave nothing behind
                self._homes[collection] = home
        return home


def _load(home: Home, version: str) -> Snapshot:
    try:
        return Snapshot(home.folder / version)
    except _DAMAGE as error:
        raise IndexMissing(
            f"集合 {home.collection} 的索引版本 {version} 已损坏（{error}），请运行 python -m ingest {home.collection} 重建。"
        ) from error


def _no_version(collection: str, version: str) -> str:
    return f"集合 {collection} 没有完整的索引版本“{version[:32]}”，请运行 python -m ingest {collection} 重建。"
