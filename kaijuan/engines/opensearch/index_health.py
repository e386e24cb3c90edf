"""What is looked at of the index that answers for one collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.cluster_health import EXPLAIN, LATER
from kaijuan.engines.opensearch.documents import token_line
from kaijuan.engines.opensearch.faults import Missing
from kaijuan.engines.opensearch.names import Names
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.engines.opensearch.stored_meta import Stored, from_meta, is_finished
from kaijuan.engines.opensearch.versions import Versions
from kaijuan.text import analyze
from kaijuan.types import Finding

#: A sentence with a code, full-width letters and Chinese on both sides of them.
PROBE = "退款用的ＳＦ－３０００扫码枪打不开，报错E4032怎么处理"
_PROBE_CODES = ("sf-3000", "e4032")
#: No word of the probe has as many characters; what has is not a word.
_GIANT = 10
#: Where metadata is blocked too, the server does not even say so: the look at the alias fails.
_BLOCKS = ("read", "read_only", "read_only_allow_delete", "write")


@dataclass(frozen=True, slots=True)
class Index:
    """The one index that a collection's alias names, as the server describes it."""

    collection: str
    name: str
    version: str
    settings: Mapping[str, Any]
    mappings: Mapping[str, Any]

    @property
    def stored(self) -> Any:
        """Its `_meta`, None without one."""
        return self.mappings.get("_meta")

    @property
    def blocks(self) -> list[str]:
        """Names of the blocks on it."""
        blocks: Mapping[str, Any] = self.settings.get("blocks", {})
        return [name for name in _BLOCKS if str(blocks.get(name)) == "true"]

    @property
    def reindex(self) -> str:
        """The remedy where an ingest sees for itself that the index is out of date."""
        return f"运行 python -m ingest {self.collection} 重建"

    @property
    def make_anew(self) -> str:
        """The remedy where it would find the same documents and leave all as it is."""
        return f"运行 DELETE /{self.name}，再{self.reindex}（其间集合不能回答）"

    def read_meta(self) -> Stored:
        """Its `_meta`; raises IndexMismatch."""
        return from_meta(self.stored, self.name, self.version, self.collection)


def alias(client: Client, names: Names, schema: Schema, collection: str) -> tuple[Finding, Index | None]:
    """Whether the alias names exactly one index of ours, and that one."""
    name = names.alias(collection)
    try:
        found: dict[str, Any] = client.read("GET", f"/{name}")
    except Missing:
        found = {}
    if name in found:
        said = f"{name} 应是别名，却是一个索引"
        return _no_alias(said, f"确认内容后运行 DELETE /{name}，再运行 python -m ingest {collection}"), None
    if strangers := sorted(index for index in found if index != f"{name}.{names.version(index)}"):
        actions = ", ".join(f'{{"remove": {{"index": "{index}", "alias": "{name}"}}}}' for index in strangers)
        said = f"别名 {name} 指向不属于本程序的索引 {'、'.join(strangers)}"
        return _no_alias(said, f'运行 POST /_aliases {{"actions": [{actions}]}}'), None
    if len(found) == 1:
        [(index, described)] = found.items()
        version, settings = names.version(index), described["settings"]["index"]
        return (
            Finding("别名", "ok", f"{name} → {index}"),
            Index(collection, index, version, settings, described["mappings"]),
        )
    finished = Versions(client, names, schema).listed(collection)
    remedy = f"运行 python -m ingest {collection}"
    if finished:
        remedy = f"运行 python -m ingest rollback {collection} {finished[-1].name}，让这个版本回答"
    if found:
        return _no_alias(f"别名 {name} 指向 {len(found)} 个索引（{'、'.join(sorted(found))}）", remedy), None
    return _no_alias(f"别名 {name} 不存在，{'索引还在' if finished else '集合尚未建立索引'}", remedy), None


def _no_alias(said: str, remedy: str) -> Finding:
    return Finding("别名", "bad", said, remedy)


def build(index: Index) -> list[Finding]:
    """Whether the index was finished and says what it was made with."""
    if not is_finished(index.stored):
        return [Finding("索引", "bad", f"{index.name} 没有“已写完”的标记，或不是本程序建的", index.reindex)]
    stored = index.read_meta()
    counts, meta = stored.counts, stored.meta
    said = (
        f"{index.version}，{counts.documents} 篇 {counts.chunks} 段，{meta.embedder or '没有向量'}，建于 {meta.created}"
    )
    return [Finding("索引", "ok", said)]


def form(index: Index, schema: Schema) -> list[Finding]:
    """Whether settings and mapping are those of search_templates/index.json."""
    return _wrong_form(index, schema) or [
        Finding("结构", "ok", f"与 search_templates/index.json（{schema.fingerprint}）一致")
    ]


def _wrong_form(index: Index, schema: Schema) -> list[Finding]:
    found = []
    made_from = index.stored.get("schema")
    if made_from != schema.fingerprint:
        said = f"建索引时的 index.json 是 {made_from}，现在的是 {schema.fingerprint}"
        found.append(Finding("结构", "warn", said, index.reindex))
    if (dynamic := str(index.mappings.get("dynamic", "true"))) != "strict":
        remedy = f'运行 PUT /{index.name}/_mapping {{"dynamic": "strict"}}'
        found.append(Finding("结构", "warn", f"映射的 dynamic 是 {dynamic}，应为 strict", remedy))
    if (primaries := str(index.settings.get("number_of_shards"))) != "1":
        said = f"主分片有 {primaries} 个，应为 1，否则各分片各算各的词频"
        found.append(Finding("结构", "warn", said, f"把 index.json 的 number_of_shards 改回 1，再{index.reindex}"))
    dims = index.read_meta().meta.dims
    field = index.mappings["properties"].get("vector", {})
    if dims and (field.get("type"), field.get("dimension")) != ("knn_vector", dims):
        said = f"向量字段是 {field.get('type', '没有')}（{field.get('dimension', 0)} 维），应为 knn_vector（{dims} 维）"
        found.append(Finding("结构", "bad", said, index.make_anew))
    return found


def blocks(index: Index) -> list[Finding]:
    """Blocks on the index; the server sets read_only_allow_delete itself when a disk is full."""
    set_ = index.blocks
    if not set_:
        return [Finding("只读", "ok", "没有只读锁")]
    nulls = ", ".join(f'"index.blocks.{name}": null' for name in set_)
    said = f"{index.name} 有锁：{'、'.join(set_)}"
    if "read_only_allow_delete" in set_:
        said += "，通常是磁盘写满时服务端自己设的"
    return [Finding("只读", "bad", said, f"确认磁盘有空间后运行 PUT /{index.name}/_settings {{{nulls}}}")]


def shards(client: Client, index: Index) -> list[Finding]:
    """Whether the index is open and every shard of it has a node."""
    if str(index.settings.get("verified_before_close")) == "true":
        return [Finding("分片", "bad", f"{index.name} 被关闭了，不能回答", f"运行 POST /{index.name}/_open")]
    health = client.read("GET", f"/_cluster/health/{index.name}")
    status, unassigned = str(health["status"]), int(health["unassigned_shards"])
    if status == "green":
        return [Finding("分片", "ok", f"{health['active_shards']} 个都已分配")]
    if status == "red":
        said = f"主分片{'没有分配' if unassigned else '正在启动'}，{index.name} 现在不能回答"
        return [Finding("分片", "bad", said, EXPLAIN if unassigned else LATER)]
    if not unassigned:
        return [Finding("分片", "warn", "副本正在启动，检索不受影响", LATER)]
    said = f"{unassigned} 个副本没有分配，检索不受影响"
    if int(health["number_of_data_nodes"]) > 1:
        return [Finding("分片", "warn", said, f"{LATER}；一直如此时{EXPLAIN}")]
    remedy = f'运行 PUT /{index.name}/_settings {{"index.auto_expand_replicas": "0-1"}}，或加一个节点'
    return [Finding("分片", "warn", f"{said}：只有一个数据节点，副本没有地方放", remedy)]


def count(client: Client, index: Index) -> list[Finding]:
    """Whether the index holds as many passages as were counted when it was finished."""
    there = int(client.read("GET", f"/{index.name}/_count")["count"])
    wanted = index.read_meta().counts.chunks
    if there != wanted:
        return [
            Finding("段落数", "bad", f"索引里有 {there} 段，建好时有 {wanted} 段，有别的程序改过它", index.make_anew)
        ]
    return [Finding("段落数", "ok", f"{there} 段，与建好时相同")]


def tokens(client: Client, index: Index) -> list[Finding]:
    """Whether the index's analyzers still make of the probe what they should."""
    line = token_line(analyze(PROBE))
    ready = _analyzed(client, index, {"field": "search", "text": line})
    if ready != re.split(r"[ |]", line):
        said = f"字段 search 改动了交给它的词（{line} → {' '.join(ready)[:120]}）"
        return [Finding("分词", "bad", said, f"恢复 search_templates/index.json 的 kaijuan_tokens，再{index.reindex}")]
    problem = misread(_analyzed(client, index, {"analyzer": "kaijuan_text", "text": PROBE}))
    if problem:
        said = f"手写查询用的 kaijuan_text {problem}"
        return [Finding("分词", "bad", said, f"恢复 search_templates/index.json 的 kaijuan_text，再{index.reindex}")]
    return [Finding("分词", "ok", f"试切 {len(ready)} 个词，与本程序一致")]


def misread(tokens: list[str]) -> str:
    """What is wrong with the tokens of the probe, empty when nothing is."""
    if giant := [token for token in tokens if len(token) >= _GIANT]:
        return f"没有切开文字（{giant[0]}）"
    chinese = [token for token in tokens if not token.isascii()]
    if all(len(token) == 1 for token in chinese):
        return f"把中文切成了单字（{' '.join(chinese)[:60]}）"
    if lost := [code for code in _PROBE_CODES if code not in tokens]:
        return f"切坏了编号 {'、'.join(lost)}"
    return ""


def _analyzed(client: Client, index: Index, body: dict[str, str]) -> list[str]:
    answer = client.read("POST", f"/{index.name}/_analyze", body)
    return [str(token["token"]) for token in answer["tokens"]]
