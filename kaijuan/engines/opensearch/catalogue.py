"""Which build answers, and what is known of it; remembered, so that a question needs no request for it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.faults import Missing
from kaijuan.engines.opensearch.names import Names, is_version, version_number
from kaijuan.engines.opensearch.stored_meta import Stored, from_meta, is_finished
from kaijuan.errors import EngineError, IndexMissing
from kaijuan.types import Viewer

#: Terms of one build whose frequencies are remembered; about 200 bytes each.
_REMEMBERED = 50_000


class Held(NamedTuple):
    """In how many chunks of a build a term stands: in all of them, and in those open to a viewer."""

    everywhere: int
    open: int


@dataclass(frozen=True, slots=True)
class Known:
    """A finished build and how many of its chunks hold the terms asked for so far; a build never changes.

    `frequencies` is kept by what a viewer may read (None: everything) and term.
    """

    stored: Stored
    frequencies: dict[tuple[frozenset[str] | None, str], Held] = field(default_factory=dict)

    def remembered(self, terms: Iterable[str], viewer: Viewer) -> dict[str, Held]:
        """Frequencies of those terms that were asked for before by a viewer like this one."""
        readers = _readers(viewer)
        return {term: held for term in terms if (held := self.frequencies.get((readers, term))) is not None}

    def remember(self, frequencies: Mapping[str, Held], viewer: Viewer) -> None:
        """Keep frequencies for later questions of viewers like this one."""
        if len(self.frequencies) > _REMEMBERED:
            self.frequencies.clear()
        readers = _readers(viewer)
        self.frequencies.update({(readers, term): held for term, held in frequencies.items()})


def _readers(viewer: Viewer) -> frozenset[str] | None:
    return None if viewer.sees_all else viewer.groups


class Catalogue:
    """Remembers builds; whoever finds that another one answers by now lets it forget."""

    def __init__(self, client: Client, names: Names) -> None:
        self._client = client
        self._names = names
        self._lock = threading.Lock()
        self._active: dict[str, Known] = {}
        self._named: dict[tuple[str, str], Known] = {}

    def known(self, collection: str, version: str | None = None) -> Known:
        """The build that answers, or a named version; raises IndexMissing."""
        alias = self._names.alias(collection)
        if version is not None:
            return self._version(collection, version)
        known = self._active.get(collection)
        if known is None:
            known = self._keep(collection, self._look_up(collection, alias))
        return known

    def refreshed(self, collection: str) -> Known:
        """The build that answers now, asked of the server; raises IndexMissing."""
        return self._keep(collection, self._look_up(collection, self._names.alias(collection)))

    def forget(self, collection: str) -> None:
        """Ask the server next time."""
        with self._lock:
            self._active.pop(collection, None)
            for key in [key for key in self._named if key[0] == collection]:
                del self._named[key]

    def _keep(self, collection: str, stored: Stored) -> Known:
        with self._lock:
            before = self._active.get(collection)
            if before is not None and before.stored == stored:
                return before
            known = self._active[collection] = Known(stored)
        return known

    def _version(self, collection: str, version: str) -> Known:
        known = self._named.get((collection, version))
        if known is None:
            if not is_version(version):
                raise IndexMissing(no_version(collection, version))
            stored = self._look_up(collection, self._names.index(collection, version), version)
            known = self._named[collection, version] = Known(stored)
        return known

    def _look_up(self, collection: str, target: str, version: str | None = None) -> Stored:
        nothing = (
            f"集合 {collection} 尚未建立索引，请运行 python -m ingest {collection}。"
            if version is None
            else no_version(collection, version)
        )
        try:
            found: dict[str, Any] = self._client.read("GET", f"/{target}/_mapping")
        except Missing as error:
            raise IndexMissing(nothing) from error
        if len(found) != 1:
            versions = sorted(filter(None, map(self._names.version, found)), key=version_number)
            remedy = f"rollback {collection} {versions[-1]} 让最新的回答" if versions else f"{collection} 重建"
            raise EngineError(
                f"别名 {target} 指向 {len(found)} 个索引（{'、'.join(sorted(found))}），请运行 python -m ingest {remedy}。"
            )
        [(index, described)] = found.items()
        stored = described["mappings"].get("_meta")
        if not is_finished(stored):
            raise IndexMissing(nothing)
        return from_meta(stored, index, self._names.version(index), collection)


def no_version(collection: str, version: str) -> str:
    """What to say about a version that is not there or not whole."""
    return f"集合 {collection} 没有完整的索引版本“{version[:32]}”，请运行 python -m ingest {collection} 重建。"
