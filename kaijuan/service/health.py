"""Whether questions can be answered now, part by part; each part that fails is one sentence without paths or secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kaijuan.errors import KaijuanError
from kaijuan.service.as_json import Json
from kaijuan.service.faults import status_and_sentence
from kaijuan.wiring import Services

#: An absolute path, with its last name; what stands behind "://" or inside a word is none.
_PATH = re.compile(r"(?<![\w:/.])/(?:[^/\s“”，。；：（）'\"]+/)+([^/\s“”，。；：（）'\"]+)")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that answering needs; `said` is the sentence of a part that fails or has something to tell."""

    name: str
    ok: bool
    said: str = ""

    def as_json(self) -> Json:
        """The part as plain data."""
        return {"part": self.name, "ok": self.ok, **({"said": self.said} if self.said else {})}


def readiness(services: Services) -> list[Part]:
    """All parts: every collection's index, the embedding model, the records."""
    return [*_collections(services), _embedder(services), _records(services)]


def failed(name: str, error: Exception) -> Part:
    """A part that an error makes fail."""
    return Part(name, False, _without_paths(status_and_sentence(error)[1]))


def _collections(services: Services) -> Iterator[Part]:
    names = services.collection_names()
    if not names:
        yield Part("collections", False, "还没有任何集合，请放入带 collection.toml 的文件夹后运行 python -m ingest。")
    for name in names:
        try:
            yield _collection(services, name)
        except KaijuanError as error:
            yield failed(f"collection:{name}", error)


def _collection(services: Services, name: str) -> Part:
    """Whether a collection can be asked with the model in use; raises KaijuanError."""
    part = f"collection:{name}"
    services.collection(name)
    meta = services.engine.meta(name)
    # An engine may remember what it knows of a build; the list of versions it has to look up.
    if not any(version.active for version in services.engine.versions(name)):
        return Part(part, False, f"集合 {name} 没有可用的索引，请运行 python -m ingest {name}。")
    embedder = services.embedder_name
    if embedder and meta.embedder and meta.embedder != embedder:
        said = (
            f"集合 {name} 的索引是用模型 {meta.embedder} 建的，现在用的是 {embedder}，请运行 python -m ingest {name}。"
        )
        return Part(part, False, said)
    return Part(part, True)


def _embedder(services: Services) -> Part:
    """The embedding model; without one the keyword leg answers alone, which has to be told but is no failure."""
    notice = services.stages.embedder_notice
    return Part("embedder", True, _without_paths(notice.text) if notice else "")


def _records(services: Services) -> Part:
    """Whether the records can be written, by a transaction that changes nothing."""
    if services.records is None:
        return Part("records", True, "没有配置记录，回答不会留存。")
    try:
        services.records.change(lambda db: None)
    except KaijuanError as error:
        return failed("records", error)
    return Part("records", True)


def _without_paths(sentence: str) -> str:
    """The sentence with the last name of every path in its place.

    >>> _without_paths("文件 /srv/data/ca.pem 读不了（https://node:9200/x/y）。")
    '文件 ca.pem 读不了（https://node:9200/x/y）。'
    """
    return _PATH.sub(r"\1", sentence)
