"""Every vendor exception becomes one sentence of our own, and no secret is in it."""

from __future__ import annotations

import pytest
from opensearchpy import exceptions as vendor

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.faults import (
    AlreadyThere,
    Busy,
    Missing,
    NotServing,
    TimedOut,
    TooLarge,
    Unreachable,
    translated,
)
from kaijuan.engines.opensearch.names import Names
from kaijuan.errors import EngineError

INFO = {"error": {"type": "t", "root_cause": [{"reason": "because"}]}}


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (vendor.ConnectionTimeout("TIMEOUT", "slow", OSError("slow")), TimedOut, "规定时间"),
        (vendor.ConnectionError("N/A", "no", OSError("x: Connection refused")), Unreachable, "Connection refused"),
        (vendor.SSLError("N/A", "self-signed", OSError("no")), EngineError, "CA 证书"),
        (vendor.AuthenticationException(401, "", ""), EngineError, "密码"),
        (vendor.AuthorizationException(403, "security_exception", INFO), EngineError, "权限不够"),
        (
            vendor.AuthorizationException(403, "cluster_block_exception", {"error": {"reason": "index blocked"}}),
            EngineError,
            "磁盘",
        ),
        (vendor.NotFoundError(404, "index_not_found_exception", INFO), Missing, "because"),
        (vendor.RequestError(400, "resource_already_exists_exception", INFO), AlreadyThere, "同名"),
        (vendor.RequestError(400, "mapper_parsing_exception", INFO), EngineError, "because"),
        (vendor.TransportError(413, "", ""), TooLarge, "max_content_length"),
        (vendor.TransportError(429, "rejected", INFO), Busy, "429"),
        (vendor.TransportError(503, "", ""), NotServing, "503"),
        (vendor.RequestError(400, "index_closed_exception", INFO), EngineError, "_open"),
        (vendor.SerializationError("<html>"), EngineError, "KAIJUAN_OPENSEARCH_URL"),
        (vendor.ImproperlyConfigured("no certificates"), EngineError, "连接设置"),
        (vendor.OpenSearchException("x"), EngineError, "doctor"),
    ],
)
def test_each_fault_has_its_sentence(error: Exception, kind: type[EngineError], words: str) -> None:
    with pytest.raises(EngineError, match=words) as raised, translated("http://s:9200"):
        raise error
    assert type(raised.value) is kind
    assert "\n" not in str(raised.value)


def test_a_server_that_is_not_there_is_one_sentence_without_the_password() -> None:
    engine = OpenSearchEngine(Server("http://me:geheim@127.0.0.1:1", timeout=2))
    for call in (engine.meta, engine.versions, engine.clean_up):
        with pytest.raises(EngineError, match=r"http://127\.0\.0\.1:1 连接不上.*KAIJUAN_OPENSEARCH_URL") as raised:
            call("shop")  # type: ignore[operator]
        assert "geheim" not in str(raised.value)
    assert "geheim" not in repr(Server("http://s", user="me", password="geheim", api_key="geheim"))


def test_an_alias_is_never_called_like_an_index() -> None:
    names = Names()
    assert names.index("shop", "v0002") == "kaijuan-shop.v0002"
    assert names.version("kaijuan-shop.v0002") == "v0002"
    assert names.version("kaijuan-shop.copy") == names.version("kaijuan-shop") == ""


def test_nothing_is_connected_before_the_first_request() -> None:
    Client(Server("https://search.example:9200", user="u", password="p", verify=False)).close()
