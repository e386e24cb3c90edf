"""What is looked at on the server itself: who answers, its plugins and templates, its shards, its disks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kaijuan.engines.opensearch.client import Client
from kaijuan.engines.opensearch.faults import Missing
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.errors import EngineError
from kaijuan.types import Finding

#: The version on which everything here was measured, and the oldest whose vectors and templates can do what is asked.
TESTED, _OLDEST = "2.19.1", (2, 9)
_KNN, _MUSTACHE = "opensearch-knn", "lang-mustache"
_UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "pb": 1 << 50}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmgtp]?b)\Z")
#: Remedies for shards without a node, and for those that are on their way to one.
EXPLAIN, LATER = "用 GET /_cluster/allocation/explain 查看原因", "稍后再看"
_WATERMARK = "cluster.routing.allocation.disk.watermark."


def greeting(client: Client) -> list[Finding]:
    """Whether there is an OpenSearch at the address, and of which version; a bad finding says that there is none."""
    shown = client.server.shown
    try:
        info = client.read("GET", "/")
    except EngineError as error:
        return [Finding.of_sentence("连接", error)]
    version = info.get("version") if isinstance(info, Mapping) else None
    if not isinstance(version, Mapping):
        said = f"{shown} 有回答，但不是搜索引擎的"
        return [Finding("连接", "bad", said, "检查 KAIJUAN_OPENSEARCH_URL 指向的是不是 OpenSearch")]
    connected = Finding("连接", "ok", f"{shown}，集群 {info.get('cluster_name', '—')}")
    return [connected, _version(str(version.get("number", "")), version.get("distribution") == "opensearch")]


def _version(number: str, is_opensearch: bool) -> Finding:
    install = f"换用 OpenSearch {TESTED}"
    if not is_opensearch:
        said = f"不是 OpenSearch（报出的版本是 {number or '无'}，多半是 Elasticsearch），k-NN 的映射和查询不相同"
        return Finding("版本", "bad", said, install)
    if number == TESTED:
        return Finding("版本", "ok", f"OpenSearch {number}")
    parts = tuple(map(int, re.findall(r"\d+", number)[:2]))
    if parts and parts < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        return Finding("版本", "bad", f"OpenSearch {number} 太旧，最低需要 {oldest}", install)
    said = f"OpenSearch {number}，本程序只在 {TESTED} 上测试过"
    return Finding("版本", "warn", said, f"用 python -m kaijuan.evaluation selfcheck 核对结果，或{install}")


def plugins(client: Client) -> list[Finding]:
    """Whether every node has k-NN and the template language."""
    nodes: dict[str, Any] = client.read("GET", "/_nodes/plugins")["nodes"]
    have = {
        _node(node, id_): {part["name"] for kind in ("plugins", "modules") for part in node.get(kind, ())}
        for id_, node in nodes.items()
    }
    return [
        _present(have, _KNN, "不能用向量检索", f"安装与服务端同版本的 {_KNN} 后重启节点"),
        _present(have, _MUSTACHE, "不能提问", f"换用带 {_MUSTACHE} 模块的 OpenSearch（官方发行版都带）"),
    ]


def _present(have: Mapping[str, set[str]], plugin: str, without_it: str, remedy: str) -> Finding:
    without = [name for name, plugins in have.items() if plugin not in plugins]
    if not without:
        return Finding("插件", "ok", f"{plugin}，{len(have)} 个节点都有")
    said = f"{len(have)} 个节点中有 {len(without)} 个没有 {plugin}（{_few(without)}），{without_it}"
    return Finding("插件", "bad", said, remedy)


def templates(client: Client, schema: Schema) -> list[Finding]:
    """Whether the stored templates are those of search_templates/; absent ones are stored by the next question."""
    absent, altered = [], []
    for name, id_ in schema.ids.items():
        try:
            script = client.read("GET", f"/_scripts/{id_}")["script"]
        except Missing:
            absent.append(name)
            continue
        if script["source"] != schema.templates[name]:
            altered.append(id_)
    if altered:
        remedy = f"运行 {'、'.join(f'DELETE /_scripts/{id_}' for id_ in altered)}，下一次提问会重新安装"
        return [Finding("检索模板", "bad", f"服务端的 {_few(altered)} 与 search_templates/ 里的不同", remedy)]
    if absent:
        remedy = "不必处理，下一次 ingest 或提问会自动安装（账号要有写入存储脚本的权限）"
        return [Finding("检索模板", "warn", f"还没有安装 {_few(absent)}", remedy)]
    return [Finding("检索模板", "ok", f"{'、'.join(schema.ids)}，与 search_templates/ 一致")]


def state(client: Client) -> list[Finding]:
    """The cluster's own colour, which covers the indices of other programs too."""
    health = client.read("GET", "/_cluster/health")
    status, unassigned = str(health["status"]), int(health["unassigned_shards"])
    said = f"{status}，{health['number_of_nodes']} 个节点，{unassigned} 个分片没有分配"
    if starting := int(health["initializing_shards"]):
        said += f"，{starting} 个正在启动"
    if status == "green":
        return [Finding("集群状态", "ok", said)]
    remedy = EXPLAIN if unassigned else LATER
    return [Finding("集群状态", "warn" if status == "yellow" else "bad", said, remedy)]


def room(client: Client) -> list[Finding]:
    """Blocks of the whole cluster, and each data node's disk against the watermarks."""
    answer = client.read("GET", "/_cluster/settings", include_defaults="true", flat_settings="true")
    settings = {**answer["defaults"], **answer["persistent"], **answer["transient"]}
    nodes: dict[str, Any] = client.read("GET", "/_nodes/stats/fs")["nodes"]
    data = {id_: node for id_, node in nodes.items() if "data" in node.get("roles", ("data",))}
    disks = [disk(_node(node, id_), node["fs"]["total"], settings) for id_, node in data.items()]
    return [*cluster_blocks(settings), *disks]


def cluster_blocks(settings: Mapping[str, Any]) -> list[Finding]:
    """Blocks that stop every write; none found says nothing."""
    set_ = [
        name
        for name in ("read_only", "read_only_allow_delete", "create_index")
        if str(settings.get(f"cluster.blocks.{name}")).lower() == "true"
    ]
    if not set_:
        return []
    nulls = ", ".join(f'"cluster.blocks.{name}": null' for name in set_)
    remedy = f'腾出磁盘空间后运行 PUT /_cluster/settings {{"persistent": {{{nulls}}}, "transient": {{{nulls}}}}}'
    return [Finding("集群写入", "bad", f"整个集群有锁：{'、'.join(set_)}，不能建立新索引", remedy)]


def disk(node: str, total: Mapping[str, Any], settings: Mapping[str, Any]) -> Finding:
    """One node's disk against the watermarks, as the server itself counts it: by what is available to it."""
    size, free = int(total["total_in_bytes"]), int(total["available_in_bytes"])
    said = f"节点 {node} 剩余 {free / (1 << 30):.1f} GB（已用 {1 - free / size:.0%}）"
    passed = [
        name for name in ("low", "high", "flood_stage") if _passes(str(settings.get(_WATERMARK + name, "")), size, free)
    ]
    off = str(settings.get("cluster.routing.allocation.disk.threshold_enabled")) == "false"
    note = "，服务端没有启用磁盘水位" if off else ""
    if not passed:
        return Finding("磁盘", "ok", said + note)
    worst = passed[-1]
    said += f"，超过水位 {worst}（{settings[_WATERMARK + worst]}）{note}"
    ends = {"low": "新分片不再放到这里", "high": "分片会被移走", "flood_stage": "索引会变成只读"}
    return Finding("磁盘", "warn" if worst == "low" else "bad", f"{said}，{ends[worst]}", "腾出磁盘空间或加大磁盘")


def _passes(watermark: str, size: int, free: int) -> bool:
    """Whether a disk is fuller than a watermark: "85%" or "0.85" used, or "20gb" free."""
    if match := _SIZE.match(watermark.lower()):
        return free < float(match[1]) * _UNITS[match[2]]
    if not watermark:
        return False
    share = float(watermark.removesuffix("%")) / 100 if watermark.endswith("%") else float(watermark)
    return 1 - free / size > share


def _node(node: Mapping[str, Any], id_: str) -> str:
    return str(node.get("name") or node.get("ip") or id_)


def _few(names: Iterable[str]) -> str:
    names = list(names)
    return "、".join(names[:3]) + (" 等" if len(names) > 3 else "")
