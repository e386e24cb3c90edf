"""Health of a real server's indices: every finding green, then red for the reason it names, then green by its remedy."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.settings import ROOT
from kaijuan.types import Finding
from tests.engines.builders import built, by_vector, passage, unit

pytestmark = pytest.mark.slow

TEXTS = [passage("a#0", "退货运费由谁承担"), passage("b#0", "SF-3000 打不开")]
#: What is looked at of a collection, in this order.
CHECKS = ["别名", "只读", "分片", "索引", "结构", "段落数", "分词"]


#: The request in a remedy.
_REQUEST = re.compile(r"(PUT|POST|DELETE) (/[^\s，（）]+)(?: (\{.*\}))?")


def carry_out(client: Client, finding: Finding) -> None:
    """Do what the remedy says, word for word."""
    request = _REQUEST.search(finding.remedy)
    assert request, finding.remedy
    method, path, body = request.groups()
    client.once(method, path, json.loads(body) if body else None)


def copied(folder: Path) -> Path:
    """A copy of search_templates/."""
    return Path(shutil.copytree(ROOT / "search_templates", folder / "search_templates"))


def edited(folder: Path, edit: Callable[[Any], None]) -> Schema:
    """search_templates/ with another index.json."""
    file = copied(folder) / "index.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    edit(body)
    file.write_text(json.dumps(body), encoding="utf-8")
    return Schema(file.parent)


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    client = Client(server)
    yield client
    client.close()


@pytest.fixture
def index(opensearch: OpenSearchEngine, server: Server) -> str:
    """Name of a healthy index that answers for shop."""
    return f"{server.prefix}shop.{built(opensearch, TEXTS).name}"


def of_shop(engine: OpenSearchEngine) -> list[Finding]:
    return [finding for finding in engine.health(["shop"]) if finding.collection == "shop"]


def unwell(engine: OpenSearchEngine) -> Finding:
    """The one finding that is not ok."""
    [finding] = [finding for finding in of_shop(engine) if finding.level != "ok"]
    assert finding.remedy
    return finding


def check_well(engine: OpenSearchEngine) -> None:
    assert [(f.check, f.level) for f in of_shop(engine)] == [(check, "ok") for check in CHECKS]


def test_a_healthy_index_is_green_and_looking_changes_nothing(
    opensearch: OpenSearchEngine, client: Client, server: Server, index: str
) -> None:
    before = client.read("GET", f"/{server.prefix}*")
    general = [finding for finding in opensearch.health([]) if finding.check != "集群状态"]  # others use the server too
    assert {finding.check for finding in general} == {"连接", "版本", "插件", "检索模板", "磁盘"}
    assert [finding for finding in general if finding.level == "bad"] == []
    check_well(opensearch)
    assert client.read("GET", f"/{server.prefix}*") == before


def test_a_collection_without_an_index_says_what_to_run(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    finding = unwell(opensearch)
    assert (finding.check, finding.level, finding.remedy) == ("别名", "bad", "运行 python -m ingest shop")
    assert client.read("GET", f"/{server.prefix}*", allow_no_indices="true") == {}


def test_an_alias_on_two_indices(opensearch: OpenSearchEngine, client: Client, server: Server, index: str) -> None:
    newer = built(opensearch, TEXTS).name
    alias = f"{server.prefix}shop"
    client.once("POST", "/_aliases", {"actions": [{"add": {"index": index, "alias": alias}}]})
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("别名", "bad") and "2 个索引" in finding.said
    assert f"python -m ingest rollback shop {newer}" in finding.remedy
    opensearch.activate("shop", newer)
    check_well(opensearch)


def test_an_alias_that_is_gone_while_its_index_is_there(
    opensearch: OpenSearchEngine, client: Client, server: Server, index: str
) -> None:
    client.once("POST", "/_aliases", {"actions": [{"remove": {"index": index, "alias": f"{server.prefix}shop"}}]})
    finding = unwell(opensearch)
    assert "索引还在" in finding.said and "python -m ingest rollback shop v0001" in finding.remedy
    opensearch.activate("shop", "v0001")
    check_well(opensearch)


def test_an_index_of_somebody_else_under_the_alias(
    opensearch: OpenSearchEngine, client: Client, server: Server, index: str
) -> None:
    stranger, alias = f"{server.prefix}stranger", f"{server.prefix}shop"
    client.once("PUT", f"/{stranger}", {"aliases": {alias: {}}})
    finding = unwell(opensearch)
    assert finding.level == "bad" and stranger in finding.said
    carry_out(client, finding)
    check_well(opensearch)


def test_an_index_called_like_the_alias(opensearch: OpenSearchEngine, client: Client, server: Server) -> None:
    client.once("PUT", f"/{server.prefix}shop")
    finding = unwell(opensearch)
    assert finding.level == "bad" and f"DELETE /{server.prefix}shop，" in finding.remedy


@pytest.mark.parametrize("block", ["read_only_allow_delete", "read_only", "write"])
def test_a_block_and_its_removal(opensearch: OpenSearchEngine, client: Client, index: str, block: str) -> None:
    client.once("PUT", f"/{index}/_settings", {f"index.blocks.{block}": True})
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("只读", "bad") and block in finding.said
    assert ("磁盘写满" in finding.said) == (block == "read_only_allow_delete")
    carry_out(client, finding)
    check_well(opensearch)


def test_a_block_that_hides_the_passages_is_named_too(opensearch: OpenSearchEngine, client: Client, index: str) -> None:
    client.once("PUT", f"/{index}/_settings", {"index.blocks.read": True})
    finding = unwell(opensearch)
    assert finding.check == "只读" and "read" in finding.said
    assert [f.check for f in of_shop(opensearch)] == ["别名", "只读", "分片", "索引"], "the rest could not be asked"
    carry_out(client, finding)
    check_well(opensearch)


def test_a_closed_index(opensearch: OpenSearchEngine, client: Client, index: str) -> None:
    client.once("POST", f"/{index}/_close")
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("分片", "bad") and "被关闭了" in finding.said
    carry_out(client, finding)
    check_well(opensearch)


def test_a_changed_index_json_asks_for_a_new_build(server: Server, index: str, tmp_path: Path) -> None:
    changed = OpenSearchEngine(
        server, edited(tmp_path, lambda body: body["settings"]["index"].update(max_ngram_diff=1))
    )
    finding = unwell(changed)
    assert (finding.check, finding.level) == ("结构", "warn") and "python -m ingest shop" in finding.remedy
    assert changed.form != changed.meta("shop").form  # by which the ingest sees it
    built(changed, TEXTS)
    check_well(changed)
    changed.close()


def test_a_mapping_that_takes_anything(opensearch: OpenSearchEngine, client: Client, index: str) -> None:
    client.once("PUT", f"/{index}/_mapping", {"dynamic": True})
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("结构", "warn") and "dynamic 是 true" in finding.said
    carry_out(client, finding)
    check_well(opensearch)


def test_several_primary_shards(server: Server, tmp_path: Path) -> None:
    engine = OpenSearchEngine(server, edited(tmp_path, lambda b: b["settings"]["index"].update(number_of_shards=2)))
    built(engine, TEXTS)
    finding = unwell(engine)
    assert (finding.check, finding.level) == ("结构", "warn") and "主分片有 2 个" in finding.said
    engine.close()


def test_vectors_that_the_server_does_not_take_for_such(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    built(opensearch, TEXTS, dims=0, embedder=None)
    check_well(opensearch)
    index = f"{server.prefix}shop.v0001"
    stored = client.read("GET", f"/{index}/_mapping")[index]["mappings"]["_meta"]
    client.once("PUT", f"/{index}/_mapping", {"_meta": {**stored, "meta_dims": 4, "meta_embedder": "toy"}})
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("结构", "bad") and "knn_vector（4 维）" in finding.said


def test_passages_that_somebody_deleted(opensearch: OpenSearchEngine, client: Client, index: str) -> None:
    client.once("DELETE", f"/{index}/_doc/a%230", refresh="true")
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("段落数", "bad") and "有 1 段，建好时有 2 段" in finding.said


@pytest.mark.parametrize(
    ("change", "said"),
    [({"finished": False}, "写完"), ({"format": 99}, "格式是 99"), ({"counts": 3}, "读不懂")],
)
def test_what_an_index_says_of_itself(
    opensearch: OpenSearchEngine, client: Client, index: str, change: dict[str, Any], said: str
) -> None:
    stored = client.read("GET", f"/{index}/_mapping")[index]["mappings"]["_meta"]
    client.once("PUT", f"/{index}/_mapping", {"_meta": {**stored, **change}})
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("索引", "bad") and said in finding.said
    assert "python -m ingest shop" in finding.remedy
    built(opensearch, TEXTS)
    check_well(opensearch)


def analysis(part: str, name: str, **changes: Any) -> Callable[[Any], None]:
    return lambda body: body["settings"]["index"]["analysis"][part][name].update(changes)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (analysis("analyzer", "kaijuan_tokens", tokenizer="standard"), "search 改动了"),
        (analysis("analyzer", "kaijuan_tokens", filter=[]), "search 改动了"),
        (analysis("analyzer", "kaijuan_text", filter=["cjk_width", "lowercase", "hyphens"]), "切成了单字"),
        (analysis("analyzer", "kaijuan_text", tokenizer="keyword"), "没有切开"),
        (analysis("analyzer", "kaijuan_text", char_filter=[]), "切坏了编号 sf-3000"),
    ],
)
def test_analyzers_that_spoil_words(server: Server, tmp_path: Path, edit: Callable[[Any], None], said: str) -> None:
    engine = OpenSearchEngine(server, edited(tmp_path, edit))
    built(engine, TEXTS)
    finding = unwell(engine)
    assert (finding.check, finding.level) == ("分词", "bad") and said in finding.said
    assert "index.json" in finding.remedy
    engine.close()


def test_a_replica_without_a_node(opensearch: OpenSearchEngine, client: Client, index: str) -> None:
    nodes = client.read("GET", "/_cluster/health")["number_of_data_nodes"]
    client.once("PUT", f"/{index}/_settings", {"index.auto_expand_replicas": False, "index.number_of_replicas": nodes})
    finding = unwell(opensearch)
    assert (finding.check, finding.level) == ("分片", "warn") and "检索不受影响" in finding.said
    if nodes == 1:
        assert "只有一个数据节点" in finding.said
        carry_out(client, finding)
        client.read("GET", f"/_cluster/health/{index}", wait_for_status="green")
        check_well(opensearch)


def test_a_primary_without_a_node(opensearch: OpenSearchEngine, client: Client, server: Server, index: str) -> None:
    described = client.read("GET", f"/{index}")[index]
    client.once("DELETE", f"/{index}")
    body = {
        "settings": {"index": {"routing.allocation.require.box": "nowhere", "number_of_replicas": 0}},
        "mappings": {"_meta": described["mappings"]["_meta"]},
        "aliases": {f"{server.prefix}shop": {}},
    }
    client.once("PUT", f"/{index}", body, wait_for_active_shards="0")
    found = of_shop(opensearch)
    assert [f.check for f in found] == ["别名", "只读", "分片", "索引"], "the rest could not be asked"
    [finding] = [f for f in found if f.level == "bad"]
    assert finding.check == "分片" and "主分片没有分配" in finding.said and "explain" in finding.remedy
    assert [f.level for f in opensearch.health([]) if f.check == "集群状态"] == ["bad"]
    client.once("PUT", f"/{index}/_settings", {"index.routing.allocation.require.box": None})
    client.read("GET", f"/_cluster/health/{index}", wait_for_status="green")
    assert [f.level for f in of_shop(opensearch) if f.check == "分片"] == ["ok"]


def test_templates_absent_there_and_altered(server: Server, client: Client, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for file in folder.glob("*.mustache"):  # so that the templates are of this test's own
        file.write_text(f"{{{{! {server.prefix} }}}}{file.read_text(encoding='utf-8')}", encoding="utf-8")
    schema = Schema(folder)
    engine = OpenSearchEngine(server, schema)

    def found() -> Finding:
        [finding] = [finding for finding in engine.health([]) if finding.check == "检索模板"]
        return finding

    assert found().level == "warn" and "keyword、vector、weight" in found().said
    built(engine, TEXTS)
    assert found().level == "ok"
    other = {"script": {"lang": "mustache", "source": "{}"}}
    client.once("PUT", f"/_scripts/{schema.ids['vector']}", other)
    assert found().level == "bad" and schema.ids["vector"] in found().said
    carry_out(client, found())
    assert found().level == "warn"
    assert len(by_vector(engine, unit(1, 0, 0, 0)).vector) == 2  # the next question
    assert found().level == "ok"
    for id_ in schema.ids.values():
        client.once("DELETE", f"/_scripts/{id_}")
    engine.close()


def test_unreadable_template_files_are_a_finding(server: Server, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "vector.mustache").unlink()
    engine = OpenSearchEngine(server, Schema(folder))
    bad = [finding for finding in engine.health([]) if finding.level == "bad" and finding.check != "集群状态"]
    assert [finding.check for finding in bad] == ["检索模板"] and "vector.mustache" in bad[0].said
    engine.close()
