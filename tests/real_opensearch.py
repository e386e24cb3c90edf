"""A real OpenSearch for the tests: one named by KAIJUAN_TEST_OPENSEARCH_URL, else one of scripts/opensearch.

Where it cannot be started (no Java, no Maven, no network the first time), the tests that need it are skipped with the
reason; KAIJUAN_REQUIRE_OPENSEARCH=1 makes that a failure.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.settings import ROOT

SCRIPT = ROOT / "scripts" / "opensearch"
#: The variable that names a server that is there already.
NAMED = "KAIJUAN_TEST_OPENSEARCH_URL"


@contextmanager
def running() -> Iterator[str]:
    """URL of a server; one that did not run before is stopped again at the end."""
    if named := named_server():
        yield named
        return
    ran = _script("status").returncode == 0
    started = _script("start")
    if started.returncode:
        absent(started.stderr.strip())
    yield started.stdout.split()[-1]
    if not ran:
        _script("stop")


def named_server() -> str:
    """URL of the server that the environment names, empty when it names none."""
    return os.environ.get(NAMED, "")


@contextmanager
def lent(url: str, user: str) -> Iterator[Server]:
    """A server with a prefix of the borrower's own, whose indices are removed afterwards."""
    server = Server(url, prefix=f"{user}-{secrets.token_hex(6)}-")
    try:
        yield server
    finally:
        with client(server) as asking:
            for index in indices(server):
                asking.once("DELETE", f"/{index}")


@contextmanager
def client(server: Server) -> Iterator[Client]:
    """A connection behind the product's back."""
    asking = Client(server)
    try:
        yield asking
    finally:
        asking.close()


def indices(server: Server) -> dict[str, Any]:
    """All indices under the server's prefix, closed ones too, by name, as it describes them."""
    with client(server) as asking:
        found: dict[str, Any] = asking.read(
            "GET", f"/{server.prefix}*", allow_no_indices="true", expand_wildcards="all"
        )
    return found


def _script(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, command], capture_output=True, text=True, encoding="utf-8", check=False)


def absent(why: str) -> NoReturn:
    """Skip what needs a server, or fail it where one is required."""
    said = f"no OpenSearch to test with: {why[-500:]} (or name a running one: {NAMED})"
    if os.environ.get("KAIJUAN_REQUIRE_OPENSEARCH") == "1":
        pytest.fail(said)
    pytest.skip(said)
