"""What goes wrong on a real server ends in one sentence or is put right, and the old index answers where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kaijuan.engines.opensearch import bulk
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.errors import EngineError, IndexMissing
from tests.engines.builders import ANYBODY, META, built, by_vector, by_words, directions, ids, passage, unit

pytestmark = pytest.mark.slow


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    client = Client(server)
    yield client
    client.close()


def test_templates_that_are_gone_are_stored_again(opensearch: OpenSearchEngine, client: Client) -> None:
    built(opensearch, [passage("a#0", "退货")])
    for template in Schema().ids.values():
        client.once("DELETE", f"/_scripts/{template}")
    assert ids(by_words(opensearch, "退货").keyword) == ["a#0"]
    assert ids(by_vector(opensearch, unit(1, 0, 0, 0)).vector) == ["a#0"]


def test_an_alias_on_two_indices_is_named_and_put_right_by_activating(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    old = built(opensearch, [passage("a#0", "退货")])
    new = built(opensearch, [passage("b#0", "退货")])
    alias = f"{server.prefix}shop"
    client.once("POST", "/_aliases", {"actions": [{"add": {"index": f"{alias}.{old.name}", "alias": alias}}]})
    with pytest.raises(EngineError, match=r"指向 2 个索引.*rollback shop"):
        by_words(opensearch, "退货")
    opensearch.activate("shop", new.name)
    assert ids(by_words(opensearch, "退货").keyword) == ["b#0"]


def test_an_index_deleted_under_the_app_says_what_to_run(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    version = built(opensearch, [passage("a#0", "退货")])
    assert ids(by_words(opensearch, "退货").keyword) == ["a#0"]
    client.once("DELETE", f"/{server.prefix}shop.{version.name}")
    for question in (lambda: by_words(opensearch, "退货"), lambda: by_vector(opensearch, unit(1, 0, 0, 0))):
        with pytest.raises(IndexMissing, match="python -m ingest shop"):
            question()


@pytest.mark.parametrize("block", ["read_only_allow_delete", "write"])
def test_a_block_stops_the_build_and_the_old_index_answers(
    opensearch: OpenSearchEngine, client: Client, server: Server, monkeypatch: pytest.MonkeyPatch, block: str
) -> None:
    monkeypatch.setattr(bulk, "WAITS", (0.01, 0.01))
    built(opensearch, [passage("a#0", "退货")])
    build = opensearch.open_build(META)
    client.once("PUT", f"/{server.prefix}shop.{build.version}/_settings", {f"index.blocks.{block}": True})
    build.add([passage("b#0", "退货")], directions(1))
    with pytest.raises(EngineError, match=r"b#0.*旧索引照常可用"):
        build.finish()
    build.abandon()
    assert ids(by_words(opensearch, "退货").keyword) == ["a#0"]
    assert opensearch.clean_up("shop") == []


def test_an_index_that_somebody_else_made_is_no_version(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    client.once("PUT", f"/{server.prefix}shop.v0003")
    client.once("PUT", f"/{server.prefix}shop.vacation")
    assert opensearch.versions("shop") == []
    with pytest.raises(IndexMissing):
        opensearch.meta("shop", "v0003")
    assert built(opensearch, [passage("a#0", "退货")]).name == "v0004"


def test_nothing_is_made_by_writing_or_asking(opensearch: OpenSearchEngine, client: Client, server: Server) -> None:
    with pytest.raises(IndexMissing):
        by_words(opensearch, "退货")
    for call in (opensearch.source_ids, lambda c, v: opensearch.fetch(c, ["a#0"], v)):
        with pytest.raises(IndexMissing):
            call("shop", ANYBODY)
    assert client.read("GET", f"/{server.prefix}*", allow_no_indices="true") == {}
