"""The JSON API over real HTTP: who may use it, what it takes, what it gives, and one sentence for everything else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from kaijuan.errors import EngineNotReady
from kaijuan.records.read import answer, answers
from kaijuan.records.types import Filter
from kaijuan.service.access import viewer_of
from kaijuan.service.body import MOST_BYTES
from kaijuan.service.faults import Refused
from kaijuan.types import REFUSAL, Viewer
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME
from tests.service.serving import KEY, asked, is_one_sentence, made_services, serving


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return made_services(tmp_path_factory.mktemp("api"), question_chars=60)


@pytest.fixture(scope="module")
def client(services: Services) -> Iterator[httpx2.Client]:
    with serving(services) as client:
        yield client


def kept(services: Services) -> list[str]:
    assert services.records is not None
    return [record.question for record in answers(services.records, Filter(), limit=500).items]


def test_an_answer_has_its_sources_and_is_kept(client: httpx2.Client, services: Services) -> None:
    reply = asked(client, "退货运费由谁承担")
    said = reply.json()
    assert reply.status_code == 200 and reply.headers["content-type"] == "application/json"
    assert "运费由买家承担" in said["text"] and "[1]" in said["text"] and said["refusal"] is None
    [source] = said["sources"]
    assert (source["chunk"], source["title"], source["updated"]) == ("d1#0", "退货", "2026-01-02")
    assert source["text"] in [c.text for c in services.engine.fetch(NAME, ["d1#0"], Viewer())]
    assert services.records is not None
    record = answer(services.records, said["id"])
    assert record is not None
    assert (record.viewer, record.question, record.conversation_id) == ("api", "退货运费由谁承担", None)
    assert record.text == said["text"] and record.hits and record.context


def test_a_refusal_says_why_and_shows_no_source(client: httpx2.Client) -> None:
    said = asked(client, "SF-9000 怎么连接").json()
    assert said["text"] == REFUSAL and said["sources"] == [] and "SF-9000" in said["refusal"]["explanation"]


def test_a_trace_has_every_stage(client: httpx2.Client, services: Services) -> None:
    before = kept(services)
    trace = client.post("/api/search", json={"collection": NAME, "question": "退货运费", "size": 2}).json()
    assert [len(trace["legs"][leg]) for leg in ("keyword", "vector")] == [1, 2]
    assert trace["legs"]["keyword"][0]["terms"].keys() == {"退货", "货运", "运费"} - {"货运"}
    assert [hit["rank"] for hit in trace["fused"]] == [1, 2] and trace["fused"][0]["keyword"]["rank"] == 1
    assert [hit["rank"] for hit in trace["reranked"]] == [1, 2]
    assert [part["number"] for part in trace["context"]] == [1, 2] and trace["context"][-1]["chunk"] == "d1#0"
    assert set(trace["passages"]) == {hit["chunk"] for hit in trace["fused"]}
    assert list(trace["seconds"]) == ["embed", "search", "fuse", "rerank", "context"] and trace["notices"] == []
    assert kept(services) == before, "a search is no answer"


def test_a_long_question_is_cut_as_the_settings_say(client: httpx2.Client) -> None:
    trace = client.post("/api/search", json={"collection": NAME, "question": "退货" * 40}).json()
    assert len(trace["searched"]) == 61 and "只检索了" in trace["notices"][0]["text"]


def test_what_was_asked_before_completes_a_question(client: httpx2.Client) -> None:
    said = asked(client, "运费呢", earlier=["买家可以退货吗"]).json()
    assert "退货" in said["completed"] and said["question"] == "运费呢"


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {KEY}", "Bearer \xff", f"Bearer {KEY}x", KEY])
def test_a_wrong_key_is_turned_away(client: httpx2.Client, services: Services, given: str) -> None:
    before = kept(services)
    for path in ("/api/ask", "/api/search", "/api/nothing"):
        body = {"collection": NAME, "question": "退货"}
        header = given.encode("latin-1") if given.isascii() or "\xff" in given else given.encode("utf-8")
        reply = client.post(path, json=body, headers={"Authorization": header})
        assert reply.status_code == 401 and reply.headers["www-authenticate"].startswith("Bearer")
        assert is_one_sentence(reply.json()["error"]) and KEY not in reply.text
    assert kept(services) == before


def test_the_scheme_is_written_as_one_likes(services: Services) -> None:
    for scheme in ("bearer", "BEARER", "Bearer "):
        header = f"{scheme} {KEY}".encode().decode("latin-1")
        assert viewer_of(header, services.settings) == Viewer("api")


def test_without_a_key_there_is_no_api(services: Services) -> None:
    for key in ("", "   "):
        off = services.settings.model_copy(update={"api_key": SecretStr(key)})
        with serving(replace(services, settings=off)) as client:
            for method, path in (("POST", "/api/ask"), ("GET", "/api/search"), ("POST", "/api/x/y")):
                for header in ("", "Bearer", "Bearer x"):
                    reply = client.request(method, path, headers={"Authorization": header})
                    assert reply.status_code == 404 and "KAIJUAN_API_KEY" in reply.json()["error"]
            assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(("groups", "sees"), [("", False), ("财务", False), ("财务, 客服", True), ("*", True)])
def test_groups_open_what_is_restricted(services: Services, groups: str, sees: bool) -> None:
    chosen = services.settings.model_copy(update={"api_groups": groups})
    with serving(replace(services, settings=chosen)) as client:
        trace = client.post("/api/search", json={"collection": NAME, "question": "退货率高的买家名单"})
        streamed = client.post(
            "/api/ask",
            json={"collection": NAME, "question": "退货率高的买家名单由谁保管"},
            headers={"Accept": "text/event-stream"},
        )
    assert ("d9#0" in trace.text) is sees and ("客服主管" in trace.text) is sees
    assert ("客服主管" in streamed.text) is sees and ("d9" in streamed.text) is sees


GOOD: dict[str, Any] = {"collection": NAME, "question": "退货"}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[" * 60_000, "JSON"),
        (b'{"collection": "\xff"}', "JSON"),
        (b"[]", "对象"),
        (b"null", "对象"),
        ({}, "collection"),
        ({**GOOD, "question": None}, "question"),
        ({**GOOD, "question": "   "}, "question"),
        ({**GOOD, "collection": ["tiny"]}, "collection"),
        ({**GOOD, "groups": "*"}, "groups"),
        ({**GOOD, "size": 3}, "size"),
        ({**GOOD, "earlier": "退货"}, "earlier"),
        ({**GOOD, "earlier": [1]}, "earlier"),
        ({**GOOD, "earlier": ["退"] * 51}, "earlier"),
        ({**GOOD, "question": "？！"}, "检索"),
    ],
)
def test_a_wrong_body_is_one_sentence(client: httpx2.Client, body: Any, names: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8")
    reply = client.post("/api/ask", content=content)
    assert reply.status_code == 400
    said = reply.json()
    assert set(said) == {"error"} and is_one_sentence(said["error"]) and names in said["error"]


@pytest.mark.parametrize("size", [0, -1, 201, True, 2.5, "3"])
def test_a_size_out_of_range_is_refused(client: httpx2.Client, size: object) -> None:
    reply = client.post("/api/search", json={**GOOD, "size": size})
    assert reply.status_code == 400 and "1 到 200" in reply.json()["error"]


def test_half_a_character_is_no_fault(client: httpx2.Client, services: Services) -> None:
    reply = client.post(
        "/api/ask", content=b'{"collection": "tiny", "question": "\\ud800 \\u9000\\u8d27 \\ud83d\\ude00"}'
    )
    assert reply.status_code == 200 and reply.json()["question"] == "\ufffd 退货 😀"


def test_too_much_is_refused_whether_declared_or_not(client: httpx2.Client, services: Services) -> None:
    before = kept(services)
    large = json.dumps({**GOOD, "question": "退" * MOST_BYTES}).encode("utf-8")

    def parts() -> Iterator[bytes]:
        yield from (large[start : start + 4096] for start in range(0, len(large), 4096))

    for content in (large, parts()):
        reply = client.post("/api/ask", content=content)
        assert reply.status_code == 413 and is_one_sentence(reply.json()["error"])
    assert kept(services) == before


def test_what_does_not_exist(client: httpx2.Client) -> None:
    for collection in ("nothing", "../tiny", ""):
        reply = client.post("/api/search", json={**GOOD, "collection": collection})
        assert reply.status_code in (400, 404) and is_one_sentence(reply.json()["error"])
    assert client.post("/api/nothing", json=GOOD).status_code == 404
    for method in ("GET", "PUT", "DELETE", "OPTIONS"):
        reply = client.request(method, "/api/ask")
        assert reply.status_code == 405 and reply.headers["allow"] == "POST" and "POST" in reply.json()["error"]


def test_a_collection_without_an_index_is_a_503(client: httpx2.Client, services: Services) -> None:
    empty = services.settings.corpus_dir / "empty"
    empty.mkdir()
    (empty / "collection.toml").write_text('title = "空"\n', encoding="utf-8")
    reply = client.post("/api/ask", json={**GOOD, "collection": "empty"})
    assert reply.status_code == 503 and "python -m ingest empty" in reply.json()["error"]
    (empty / "collection.toml").unlink()
    empty.rmdir()


class _Broken:
    """An engine that is gone, or has a fault of its own."""

    name = "broken"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def meta(self, collection: str, version: str | None = None) -> object:
        raise self._error


@pytest.mark.parametrize(
    ("error", "status"),
    [(EngineNotReady("搜索引擎连不上，请稍后再试。"), 503), (ZeroDivisionError("secret detail"), 500)],
)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_an_engine_that_fails_is_one_sentence(services: Services, error: Exception, status: int, accept: str) -> None:
    engine: Any = _Broken(error)
    broken = replace(services, engine=engine, stages=replace(services.stages, engine=engine))
    with serving(broken) as client:
        for path in ("/api/ask", "/api/search"):
            reply = client.post(path, json=GOOD, headers={"Accept": accept})
            assert reply.status_code == status and is_one_sentence(reply.json()["error"])
            assert "secret" not in reply.text and "Zero" not in reply.text


def test_services_that_cannot_be_built_are_one_sentence() -> None:
    def supplier() -> Services:
        raise EngineNotReady("搜索引擎连不上，请稍后再试。")

    with serving(supplier) as client:
        assert client.post("/api/ask", json=GOOD).status_code == 503
        assert client.get("/metrics").status_code == 503
        assert client.get("/readyz").json()["parts"][0]["said"] == "搜索引擎连不上，请稍后再试。"


def test_many_at_once_get_their_own_answers_and_are_all_kept(client: httpx2.Client, services: Services) -> None:
    questions = {"退货运费由谁承担": "d1#0", "电子发票什么时候开": "d2#0", "SF-3000 打不开": "型号#0"}
    before = len(kept(services))
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda question: asked(client, question).json(), [*questions] * 20))
    for reply, question in zip(replies, [*questions] * 20, strict=True):
        assert reply["question"] == question
        assert questions[question].split("#")[0] in [
            source["source"].removesuffix(".txt") for source in reply["sources"]
        ]
    assert len({reply["id"] for reply in replies}) == 60 and len(kept(services)) == before + 60


def test_a_key_with_other_bytes_is_compared_without_a_fault(services: Services) -> None:
    with pytest.raises(Refused) as caught:
        viewer_of("Bearer ÿþ", services.settings)
    assert caught.value.status == 401
