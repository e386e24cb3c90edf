"""The connection: how the server is reached, and the few ways in which it is spoken to."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import orjson
from opensearchpy import JSONSerializer, OpenSearch

from kaijuan.engines.opensearch.faults import Busy, TimedOut, Unreachable, translated

#: Waits in seconds before a read is repeated; reads change nothing, so a repeat is safe.
READ_WAITS = (0.1, 0.4)
_POOL = 16


@dataclass(frozen=True, slots=True)
class Server:
    """How to reach OpenSearch; certificates are verified unless `verify` says otherwise.

    `timeout` is the seconds a request may take, `search_timeout` the seconds after which a leg answers with what it has.
    """

    url: str
    user: str = ""
    password: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    ca_file: str = ""
    verify: bool = True
    timeout: float = 30.0
    search_timeout: float = 5.0
    prefix: str = "kaijuan-"

    @property
    def shown(self) -> str:
        """The URL without a name and password in it."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class Client:
    """Speaks to one server; nothing is connected before the first request. Safe to share between threads."""

    def __init__(self, server: Server) -> None:
        self.server = server
        options: dict[str, Any] = {"hosts": [server.url], "timeout": server.timeout, "pool_maxsize": _POOL}
        options["serializer"] = _Quick()
        if server.user:
            # The library would send Latin-1 and fail on any other letter; servers read UTF-8 (RFC 7617).
            pair = base64.b64encode(f"{server.user}:{server.password}".encode()).decode("ascii")
            options["headers"] = {"authorization": f"Basic {pair}"}
        if server.api_key:
            options["headers"] = {"authorization": f"ApiKey {server.api_key}"}
        if urlsplit(server.url).scheme == "https":
            options |= {"use_ssl": True, "verify_certs": server.verify, "ssl_show_warn": False}
            if server.ca_file:
                options["ca_certs"] = server.ca_file
        # The library would repeat writes too; what may be repeated is decided here.
        with translated(server.shown):
            self._client = OpenSearch(max_retries=0, **options)

    def read(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """A request that changes nothing; repeated a little later when the server is busy or cannot be reached."""
        for wait in READ_WAITS:
            try:
                return self.once(method, path, body, **params)
            except TimedOut:  # has used up the patience of whoever waits
                raise
            except (Busy, Unreachable):
                time.sleep(wait)
        return self.once(method, path, body, **params)

    def once(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """A request that is sent once; raises EngineError or one of its kinds in faults.py."""
        headers: Mapping[str, str] | None = None
        if isinstance(body, bytes):
            headers = {"content-type": "application/x-ndjson"}
        with translated(self.server.shown):
            return self._client.transport.perform_request(method, path, params=params, body=body, headers=headers)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class _Quick(JSONSerializer):
    """The library's serializer, several times quicker where both would read and write the same."""

    def loads(self, s: str) -> Any:
        try:
            return orjson.loads(s)
        except orjson.JSONDecodeError:
            return super().loads(s)

    def dumps(self, data: Any) -> Any:
        return data if isinstance(data, (str, bytes)) else _written(data).decode("utf-8")


def ndjson(lines: Iterable[Any]) -> bytes:
    """Lines of a multi-search or bulk request; lone halves of surrogate pairs, which no server takes, become "?"."""
    return b"".join([part for line in lines for part in (_written(line), b"\n")])


def numbers(vector: np.ndarray) -> str:
    """A vector as JSON, each number with as many digits as tell it from every other float32."""
    return orjson.dumps(np.ascontiguousarray(vector, dtype=np.float32), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _written(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # half a surrogate pair, or an integer beyond 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
