"""The server of a run: on this machine only, with a prefix of its own whose indices are gone afterwards, and what it uses."""

from __future__ import annotations

import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.errors import SettingsError

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the server's process uses now, in bytes: Java heap, the part of it that outlived collections, resident memory."""

    heap: int
    old: int
    resident: int


@contextmanager
def own_server(url: str) -> Iterator[Server]:
    """The server with a prefix of this run's own; its indices are deleted at the end, also on Ctrl-C and SIGTERM.

    Raises SettingsError for a server on another machine.
    """
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname != HOST:
        raise SettingsError(f"测速只用本机的服务，不用 {url}，请写成 http://{HOST}:9200 的形式。")
    server = Server(url, prefix=f"bench-{secrets.token_hex(4)}-")
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield server
    finally:
        signal.signal(signal.SIGTERM, before)
        remove_indices(server)


def remove_indices(server: Server, suffix: str = "*") -> None:
    """Delete this run's indices, or those whose names after the prefix fit a pattern."""
    client = Client(server)
    for index in client.read("GET", f"/{server.prefix}{suffix}", allow_no_indices="true"):
        client.once("DELETE", f"/{index}")
    client.close()


def usage(client: Client) -> Usage:
    """What the server's one node uses."""
    node = _node(client.read("GET", "/_nodes/stats/jvm,process"))
    process = int(_node(client.read("GET", "/_nodes/process"))["process"]["id"])
    memory = node["jvm"]["mem"]
    return Usage(memory["heap_used_in_bytes"], memory["pools"]["old"]["used_in_bytes"], resident(process))


def resident(process: int | str = "self") -> int:
    """Resident memory of a process of this machine, in bytes."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return int(fields["VmRSS"].split()[0]) * 1024


def stored(client: Client, index: str) -> tuple[int, int]:
    """Bytes and segments of an index or alias as it stands, without a merge having been asked for."""
    total = client.read("GET", f"/{index}/_stats/store,segments")["_all"]["primaries"]
    return int(total["store"]["size_in_bytes"]), int(total["segments"]["count"])


def described(client: Client) -> dict[str, Any]:
    """Version of the server and the largest heap it may take."""
    info = client.read("GET", "/")
    heap = _node(client.read("GET", "/_nodes/jvm"))["jvm"]["mem"]["heap_max_in_bytes"]
    return {"opensearch": info["version"]["number"], "heap_max_bytes": heap}


def _node(answer: Any) -> Any:
    [node] = answer["nodes"].values()
    return node


def _terminated(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)
