"""A real OpenSearch for the tests: a running one by KAIJUAN_TEST_OPENSEARCH_URL, else scripts/opensearch starts one."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.settings import ROOT

SCRIPT = ROOT / "scripts" / "opensearch"


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """URL of a server; one that was not running before is stopped again.

    The engine cannot be chosen in the settings yet, so a server is started only when asked for:
    KAIJUAN_REQUIRE_OPENSEARCH=1 (then a missing Java or Maven is a failure), else these tests are skipped.
    """
    own = os.environ.get("KAIJUAN_TEST_OPENSEARCH_URL", "")
    if own:
        yield own
        return
    if os.environ.get("KAIJUAN_REQUIRE_OPENSEARCH") != "1":
        pytest.skip("set KAIJUAN_REQUIRE_OPENSEARCH=1 to start a real OpenSearch with scripts/opensearch")
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing:
        _absent(f"OpenSearch needs {' and '.join(missing)}; or name a server: KAIJUAN_TEST_OPENSEARCH_URL")
    ran = _script("status").returncode == 0
    started = _script("start")
    if started.returncode:
        why = f"scripts/opensearch start: {started.stderr.strip()[-500:]}"
        if "could not fetch" in why:
            _absent(why)
        pytest.fail(why)
    yield started.stdout.split()[-1]
    if not ran:
        _script("stop")


@pytest.fixture
def server(server_url: str) -> Iterator[Server]:
    """The server with a prefix of this test's own, whose indices are removed afterwards."""
    server = Server(server_url, prefix=f"test-{secrets.token_hex(6)}-")
    yield server
    client = Client(server)
    indices = client.read("GET", f"/{server.prefix}*", allow_no_indices="true")
    for index in indices:
        client.once("DELETE", f"/{index}")
    client.close()


@pytest.fixture
def opensearch(server: Server) -> Iterator[OpenSearchEngine]:
    """The engine on the real server."""
    engine = OpenSearchEngine(server)
    yield engine
    engine.close()


def _script(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, command], capture_output=True, text=True, encoding="utf-8", check=False)


def _absent(why: str) -> None:
    if os.environ.get("KAIJUAN_REQUIRE_OPENSEARCH") == "1":
        pytest.fail(why)
    pytest.skip(why)
