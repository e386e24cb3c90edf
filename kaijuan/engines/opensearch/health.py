"""Health of a server and of the indices on it, in the order in which a person would look; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from kaijuan.engines.opensearch import cluster_health, index_health
from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.faults import Unreachable
from kaijuan.engines.opensearch.names import Names
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.errors import KaijuanError
from kaijuan.types import Finding, Level

#: What reading an answer that has not the form of OpenSearch's ends in.
_STRANGE = (LookupError, TypeError, ValueError, AttributeError)


def findings(client: Client, names: Names, schema: Schema, collections: Sequence[str]) -> list[Finding]:
    """See Engine.health."""
    found = cluster_health.greeting(client)
    if _bad(found):
        return found
    try:
        with _noting(found, "插件", "warn"):
            found += cluster_health.plugins(client)
        with _noting(found, "检索模板"):
            found += cluster_health.templates(client, schema)
        with _noting(found, "集群状态", "warn"):
            found += cluster_health.state(client)
        with _noting(found, "磁盘", "warn"):
            found += cluster_health.room(client)
        for collection in collections:
            own = _of_collection(client, names, schema, collection)
            found += [replace(finding, collection=collection) for finding in own]
    except Unreachable as error:  # the rest would only wait as long and say the same
        found.append(Finding.of_sentence("连接", error))
    return found


def _of_collection(client: Client, names: Names, schema: Schema, collection: str) -> list[Finding]:
    found: list[Finding] = []
    index: index_health.Index | None = None
    with _noting(found, "别名"):
        finding, index = index_health.alias(client, names, schema, collection)
        found.append(finding)
    if index is None:
        return found
    with _noting(found, "只读"):
        found += index_health.blocks(index)
    with _noting(found, "分片"):
        found += index_health.shards(client, index)
    with _noting(found, "索引"):
        found += index_health.build(index)
    if "read" in index.blocks or _bad([finding for finding in found if finding.check != "只读"]):
        return found  # what is left could not be asked, or says the same
    with _noting(found, "结构"):
        found += index_health.form(index, schema)
    with _noting(found, "段落数"):
        found += index_health.count(client, index)
    with _noting(found, "分词"):
        found += index_health.tokens(client, index)
    return found


@contextmanager
def _noting(found: list[Finding], check: str, unseen: Level = "bad") -> Iterator[None]:
    """Not being able to look is a finding of this level; raises Unreachable alone."""
    try:
        yield
    except Unreachable:
        raise
    except KaijuanError as error:
        found.append(Finding.of_sentence(check, error, level=unseen))
    except _STRANGE as error:
        said = f"服务端的回答看不懂（{type(error).__name__}：{error}）"
        remedy = f"换用 OpenSearch {cluster_health.TESTED}，或检查中间的代理"
        found.append(Finding(check, unseen, said, remedy))


def _bad(found: Sequence[Finding]) -> bool:
    return any(finding.level == "bad" for finding in found)
