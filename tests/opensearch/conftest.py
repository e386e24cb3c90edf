"""Servers of these tests' own; the one that all tests share is in tests/real_opensearch.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.opensearch.running import CannotStart, OwnServer, own_server
from tests.real_opensearch import absent


@pytest.fixture(scope="session")
def one_server() -> Iterator[OwnServer]:
    """A server that may be killed and takes one megabyte at a time, for all tests; not started."""
    try:
        with own_server(["http.max_content_length: 1mb"]) as server:
            yield server
    except CannotStart as error:
        absent(str(error))


@pytest.fixture
def killable(one_server: OwnServer) -> OwnServer:
    """That server, running."""
    try:
        one_server.start()
    except CannotStart as error:
        absent(str(error))
    return one_server


@pytest.fixture
def late(one_server: OwnServer) -> OwnServer:
    """That server, not running yet."""
    one_server.kill()
    return one_server
