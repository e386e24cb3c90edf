"""What is looked at on the server itself, against nodes that answer over real HTTP what a healthy server does not."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.cluster_health import cluster_blocks, disk
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.types import Finding
from tests.engines.builders import built, passage
from tests.opensearch.node import Answer, node

GREETING = {"cluster_name": "c", "version": {"distribution": "opensearch", "number": "2.19.1"}}
ELASTIC = {"cluster_name": "c", "version": {"number": "8.13.0"}, "tagline": "You Know, for Search"}
HEALTHY = {
    "/": GREETING,
    "/_nodes/plugins": {
        "nodes": {
            "x": {"name": "n1", "plugins": [{"name": "opensearch-knn"}], "modules": [{"name": "lang-mustache"}]},
            "y": {"name": "", "ip": "10.0.0.2", "plugins": [{"name": "opensearch-knn"}, {"name": "lang-mustache"}]},
        }
    },
    "/_cluster/health": {
        "status": "green",
        "number_of_nodes": 2,
        "number_of_data_nodes": 2,
        "unassigned_shards": 0,
        "initializing_shards": 0,
    },
    "/_cluster/settings": {"persistent": {}, "transient": {}, "defaults": {}},
    "/_nodes/stats/fs": {
        "nodes": {
            "x": {"name": "n1", "roles": ["data"], "fs": {"total": {"total_in_bytes": 10, "available_in_bytes": 9}}}
        }
    },
}
WATERMARK = "cluster.routing.allocation.disk.watermark."


def health(answers: dict[str, Answer], *collections: str) -> list[Finding]:
    with node(answers) as url:
        engine = OpenSearchEngine(Server(url))
        found = engine.health(collections)
        engine.close()
    assert all(finding.remedy for finding in found if finding.level != "ok"), found
    return found


def bad(found: list[Finding]) -> list[str]:
    return [finding.check for finding in found if finding.level == "bad"]


def the(found: list[Finding], check: str) -> Finding:
    [finding] = [finding for finding in found if finding.check == check]
    return finding


def test_a_healthy_server_is_green() -> None:
    found = health(HEALTHY)
    assert bad(found) == []
    assert [f.check for f in found] == ["连接", "版本", "插件", "插件", "检索模板", "集群状态", "磁盘"]
    assert the(found, "检索模板").level == "warn", "none is stored yet"
    assert [f.said for f in found if f.check == "插件"] == [
        "opensearch-knn，2 个节点都有",
        "lang-mustache，2 个节点都有",
    ]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("<html>", "不是 OpenSearch 的格式"),
        ({"couchdb": "Welcome", "version": "3.3"}, "不是搜索引擎的"),
        ([1], "不是搜索引擎的"),
        ((401, {"error": "no"}), "用户名、密码"),
        ((403, {"error": {"type": "security_exception", "reason": "no permissions"}}), "权限不够"),
        ((503, {"error": {"reason": "cluster_manager not discovered"}}), "503"),
        ((500, {"error": {"reason": "x"}}), "500"),
        (None, "连接不上"),
    ],
)
def test_who_cannot_be_spoken_to_is_one_finding(answer: Answer, said: str) -> None:
    found = health({"/": answer}, "shop", "yunti")
    assert bad(found) == ["连接"] and len(found) == 1
    assert said in found[0].said and found[0].collection == ""


def test_a_server_that_never_answers_is_waited_for_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        engine = OpenSearchEngine(Server(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.3))
        [finding] = engine.health(["shop", "yunti"])
        engine.close()
    assert finding.level == "bad" and "规定时间" in finding.said and "KAIJUAN_OPENSEARCH_TIMEOUT" in finding.remedy


def test_a_port_on_which_nobody_listens_is_one_finding_without_the_password() -> None:
    engine = OpenSearchEngine(Server("http://me:geheim@127.0.0.1:1", timeout=2))
    [finding] = engine.health(["shop", "yunti"])
    assert (finding.check, finding.level) == ("连接", "bad") and "http://127.0.0.1:1 连接不上" in finding.said
    assert "KAIJUAN_OPENSEARCH_URL" in finding.remedy and "geheim" not in repr(finding)
    engine.close()


@pytest.mark.parametrize(
    ("version", "level", "said"),
    [
        ({"distribution": "opensearch", "number": "2.19.1"}, "ok", "OpenSearch 2.19.1"),
        ({"distribution": "opensearch", "number": "2.9.0"}, "warn", "只在 2.19.1 上测试过"),
        ({"distribution": "opensearch", "number": "3.1.0"}, "warn", "只在 2.19.1 上测试过"),
        ({"distribution": "opensearch", "number": "odd"}, "warn", "只在 2.19.1 上测试过"),
        ({"distribution": "opensearch", "number": "2.8.0"}, "bad", "太旧，最低需要 2.9"),
        ({"distribution": "opensearch", "number": "1.3.20"}, "bad", "太旧"),
        (ELASTIC["version"], "bad", "不是 OpenSearch（报出的版本是 8.13.0"),
        ({}, "bad", "不是 OpenSearch（报出的版本是 无"),
    ],
)
def test_versions(version: dict[str, str], level: str, said: str) -> None:
    found = health({**HEALTHY, "/": {**GREETING, "version": version}})
    assert the(found, "版本").level == level and said in the(found, "版本").said
    assert (len(found) == 2) == (level == "bad"), "nothing else is asked of such a server"


@pytest.mark.parametrize("plugin", ["opensearch-knn", "lang-mustache"])
def test_a_plugin_that_one_node_lacks(plugin: str) -> None:
    nodes = HEALTHY["/_nodes/plugins"]["nodes"]
    poorer = {"name": "", "ip": "10.0.0.2", "plugins": [p for p in nodes["y"]["plugins"] if p["name"] != plugin]}
    found = health({**HEALTHY, "/_nodes/plugins": {"nodes": {"x": nodes["x"], "y": poorer}}})
    assert bad(found) == ["插件"]
    [finding] = [f for f in found if f.level == "bad"]
    assert finding.said.startswith(f"2 个节点中有 1 个没有 {plugin}（10.0.0.2），不能")


@pytest.mark.parametrize(
    ("status", "unassigned", "starting", "level", "remedy"),
    [
        ("yellow", 2, 0, "warn", "allocation/explain"),
        ("yellow", 0, 1, "warn", "稍后"),
        ("red", 1, 0, "bad", "allocation/explain"),
        ("green", 0, 0, "ok", ""),
    ],
)
def test_the_colour_of_the_cluster(status: str, unassigned: int, starting: int, level: str, remedy: str) -> None:
    answer = {**HEALTHY["/_cluster/health"], "status": status, "unassigned_shards": unassigned}
    found = health({**HEALTHY, "/_cluster/health": {**answer, "initializing_shards": starting}})
    finding = the(found, "集群状态")
    assert finding.level == level and remedy in finding.remedy and status in finding.said


@pytest.mark.parametrize(
    ("settings", "level", "said"),
    [
        ({"low": "85%", "high": "90%", "flood_stage": "95%"}, "ok", "剩余 2.0 GB（已用 80%）"),
        ({"low": "75%", "high": "90%", "flood_stage": "95%"}, "warn", "超过水位 low（75%）"),
        ({"low": "0.75", "high": "0.79", "flood_stage": "0.95"}, "bad", "超过水位 high（0.79）"),
        ({"low": "5gb", "high": "2.5gb", "flood_stage": "2100mb"}, "bad", "超过水位 flood_stage（2100mb）"),
        ({"low": "5gb", "high": "2000mb", "flood_stage": "1gb"}, "warn", "超过水位 low（5gb）"),
        ({"low": "80%", "high": "2gb", "flood_stage": "1024b"}, "ok", "剩余"),
        ({}, "ok", "剩余"),
    ],
)
def test_watermarks_of_every_form(settings: dict[str, str], level: str, said: str) -> None:
    total = {"total_in_bytes": 10 << 30, "available_in_bytes": 2 << 30}
    finding = disk("n1", total, {WATERMARK + name: value for name, value in settings.items()})
    assert finding.level == level and said in finding.said and bool(finding.remedy) == (level != "ok")


def test_settings_made_by_hand_count_before_the_defaults_and_only_data_nodes_have_disks() -> None:
    full = {"total": {"total_in_bytes": 10, "available_in_bytes": 0}}
    nodes = {**HEALTHY["/_nodes/stats/fs"]["nodes"], "y": {"name": "n2", "roles": ["cluster_manager"], "fs": full}}
    answers = {**HEALTHY, "/_nodes/stats/fs": {"nodes": nodes}}
    settings: dict[str, Any] = {"defaults": {WATERMARK + "low": "85%"}, "persistent": {}, "transient": {}}
    assert the(health({**answers, "/_cluster/settings": settings}), "磁盘").level == "ok"
    settings["persistent"] = {WATERMARK + "low": "5%"}
    assert the(health({**answers, "/_cluster/settings": settings}), "磁盘").level == "warn"
    settings["transient"] = {WATERMARK + "low": "50%"}
    assert the(health({**answers, "/_cluster/settings": settings}), "磁盘").level == "ok"


def test_a_block_of_the_whole_cluster() -> None:
    assert cluster_blocks({"cluster.blocks.read_only": "false"}) == []
    [finding] = cluster_blocks({"cluster.blocks.read_only": "true", "cluster.blocks.create_index": True})
    assert finding.level == "bad" and "read_only、create_index" in finding.said
    settings = {"defaults": {}, "persistent": {"cluster.blocks.read_only_allow_delete": "true"}, "transient": {}}
    found = health({**HEALTHY, "/_cluster/settings": settings})
    assert bad(found) == ["集群写入"] and "read_only_allow_delete" in the(found, "集群写入").remedy


@pytest.mark.parametrize("path", ["/_nodes/plugins", "/_cluster/health", "/_cluster/settings", "/_nodes/stats/fs"])
@pytest.mark.parametrize(
    "answer", [(403, {"error": {"type": "security_exception", "reason": "no permissions"}}), {}, [], {"nodes": 3}]
)
def test_what_may_not_be_looked_at_is_said_and_the_rest_goes_on(path: str, answer: Answer) -> None:
    found = health({**HEALTHY, path: answer}, "shop")
    unseen = [finding for finding in found if finding.level == "warn" and finding.check != "检索模板"]
    assert len(unseen) == 1 and ("权限不够" in unseen[0].said or "看不懂" in unseen[0].said)
    assert bad(found) == ["别名"], "shop has no index here"


def test_a_server_that_goes_away_meanwhile_is_asked_no_more() -> None:
    found = health({"/": GREETING, "/_nodes/plugins": HEALTHY["/_nodes/plugins"], "*": None}, "shop", "yunti")
    assert [f.check for f in found if f.level == "bad"] == ["连接"]
    assert found[-1].check == "连接" and not any(f.collection for f in found)


@pytest.mark.slow
def test_a_node_without_knn_before_a_real_index(server: Server) -> None:
    engine = OpenSearchEngine(server)
    built(engine, [passage("a#0", "退货")])
    engine.close()

    def without_knn(answer: Any) -> Any:
        for described in answer["nodes"].values():
            described["plugins"] = [p for p in described["plugins"] if p["name"] != "opensearch-knn"]
        return answer

    with node({"/_nodes/plugins": without_knn}, behind=server.url) as url:
        poorer = OpenSearchEngine(Server(url, prefix=server.prefix))
        found = [finding for finding in poorer.health(["shop"]) if finding.check != "集群状态"]
        poorer.close()
    assert bad(found) == ["插件"]
    assert {finding.level for finding in found if finding.collection == "shop"} == {"ok"}
