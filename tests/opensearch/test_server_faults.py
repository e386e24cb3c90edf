"""What goes wrong on a real server ends in one sentence or is put right, and the old index answers where there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import ingest.__main__
from kaijuan.engines.base import KeywordQuery, VectorQuery
from kaijuan.engines.opensearch import bulk
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.documents import analysis_of, to_document
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.engines.opensearch.stored_meta import Counts, to_meta
from kaijuan.errors import EngineError, IndexMismatch, IndexMissing, KaijuanError
from kaijuan.wiring import Services
from tests.engines.builders import ANYBODY, META, built, by_vector, by_words, directions, ids, passage, unit
from tests.field.staging import COLLECTION, OPENSEARCH, VIEWER, Staging, Store
from tests.opensearch.editions import edition_of, question, staging_environment, write_edition
from tests.opensearch.sentences import check_sentence, one_sentence

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


def test_the_command_in_a_sentence_puts_things_right(
    server: Server, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An alias on two indices, then one whose index was deleted: the app says which command helps, and it does."""
    with Staging(tmp_path, Store(OPENSEARCH, server.url, server.prefix)) as staging:
        for name, value in staging_environment(staging).items():
            monkeypatch.setenv(name, value)
        for edition in (0, 1):
            write_edition(staging, edition, 3)
            staging.ingest()
        app = staging.services()
        alias = f"{server.prefix}{COLLECTION}"
        client.once("POST", "/_aliases", {"actions": [{"add": {"index": f"{alias}.v0001", "alias": alias}}]})
        _follow(app, "指向 2 个索引")
        client.once("DELETE", f"/{alias}.v0002")
        _follow(app, "尚未建立索引")


def _follow(app: Services, words: str) -> None:
    """Ask, be told what is wrong and which command to run, run it, and ask again."""
    with pytest.raises(KaijuanError) as raised:
        app.answer(question(1), COLLECTION, VIEWER)
    check_sentence(raised.value, words)
    command = re.search(r"python -m ingest ([a-z0-9 ]+)", str(raised.value))
    assert command and ingest.__main__.main(command[1].split()) == 0
    assert edition_of(app.answer(question(1), COLLECTION, VIEWER)) == 1


def test_an_alias_that_a_strange_or_a_closed_index_holds_is_taken_over(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    alias = f"{server.prefix}shop"
    client.once("PUT", f"/{server.prefix}strange")
    client.once("POST", "/_aliases", {"actions": [{"add": {"index": f"{server.prefix}strange", "alias": alias}}]})
    with one_sentence("python -m ingest shop", kind=IndexMissing):
        by_words(opensearch, "退货")
    first = built(opensearch, [passage("a#0", "退货")])
    assert ids(by_words(opensearch, "退货").keyword) == ["a#0"]
    client.once("POST", f"/{alias}.{first.name}/_close")
    with one_sentence("被关闭", "_open", kind=EngineError):
        by_words(opensearch, "退货")
    built(opensearch, [passage("b#0", "退货")])
    assert ids(by_words(opensearch, "退货").keyword) == ["b#0"]


def test_an_index_of_another_dimension(opensearch: OpenSearchEngine, client: Client, server: Server) -> None:
    """Somebody made it by hand: its `_meta` says four dimensions, its vectors have eight."""
    form = Schema().index_body(replace(META, dims=8), to_meta(META, "mark", "", Counts(1, 1, 2)))
    chunk = passage("a#0", "退货")
    document = to_document(chunk, analysis_of(chunk), "mark") | {"vector": [1.0] + [0.0] * 7}
    alias = f"{server.prefix}shop"
    client.once("PUT", f"/{alias}.v0007", form)
    client.once("PUT", f"/{alias}.v0007/_doc/a", document, refresh="true")
    client.once("POST", "/_aliases", {"actions": [{"add": {"index": f"{alias}.v0007", "alias": alias}}]})
    for asked, kind, words in (
        (unit(1, 0, 0, 0), EngineError, "length=8"),
        (unit(1, 0, 0, 0, 0, 0, 0, 0), IndexMismatch, "python -m ingest shop"),
    ):
        with one_sentence(words, kind=kind):
            by_vector(opensearch, asked)
    both = opensearch.search("shop", KeywordQuery(("退货",), 5), VectorQuery(unit(1, 0, 0, 0), 5), ANYBODY)
    assert ids(both.keyword) == ["a#0"] and both.vector == ()
    assert [notice.stage for notice in both.notices] == ["vector"] and "length=8" in both.notices[0].text
    built(opensearch, [chunk])
    assert ids(by_vector(opensearch, unit(1, 0, 0, 0)).vector) == ["a#0"]


def test_an_index_deleted_under_the_app_says_what_to_run(
    opensearch: OpenSearchEngine, client: Client, server: Server
) -> None:
    version = built(opensearch, [passage("a#0", "退货")])
    assert ids(by_words(opensearch, "退货").keyword) == ["a#0"]
    client.once("DELETE", f"/{server.prefix}shop.{version.name}")
    for asked in (lambda: by_words(opensearch, "退货"), lambda: by_vector(opensearch, unit(1, 0, 0, 0))):
        with pytest.raises(IndexMissing, match="python -m ingest shop"):
            asked()


@pytest.mark.parametrize("block", ["read_only_allow_delete", "write"])
def test_a_block_stops_the_build_and_the_old_index_answers(
    opensearch: OpenSearchEngine, client: Client, server: Server, monkeypatch: pytest.MonkeyPatch, block: str
) -> None:
    monkeypatch.setattr(bulk, "WAITS", (0.01, 0.01))
    built(opensearch, [passage("a#0", "退货")])
    build = opensearch.open_build(META)
    client.once("PUT", f"/{server.prefix}shop.{build.version}/_settings", {f"index.blocks.{block}": True})
    build.add([passage("b#0", "退货")], directions(1))
    with one_sentence("旧索引照常可用", kind=EngineError):
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
