"""What tests of several rooms share: a real OpenSearch, and the product with its real local model on each engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.errors import ModelUnavailable
from kaijuan.indexing.ingest import ingest
from kaijuan.settings import Settings
from kaijuan.wiring import Services, load_services
from tests.real_opensearch import lent, running


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Services:
    """The real services over both corpora, indexed afresh in a temporary folder; models come from the real one.

    Skipped where there is no Chinese model; with CI=true that is a failure.
    """
    data = tmp_path_factory.mktemp("product")
    models = Settings().model_dir
    if models.is_dir():
        (data / "models").symlink_to(models.resolve(), target_is_directory=True)
    try:
        services = load_services(
            Settings(data_dir=data, corpus_dir=_corpus(), embedder="bge", engine="embedded", _env_file=None)
        )
    except ModelUnavailable as error:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"CI needs the Chinese model: {error}")
        pytest.skip(str(error))
    _index(services)
    return services


@pytest.fixture(scope="session")
def product_on_opensearch(product: Services, server_url: str) -> Iterator[Services]:
    """The same product with the same model, indexed afresh on the real server."""
    with lent(server_url, "product") as server:
        there = {"engine": "opensearch", "opensearch_url": server.url, "opensearch_prefix": server.prefix}
        engine = OpenSearchEngine(server)
        settings, stages = product.settings.model_copy(update=there), replace(product.stages, engine=engine)
        services = replace(product, settings=settings, engine=engine, stages=stages)
        _index(services)
        yield services
        engine.close()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """URL of a real OpenSearch for all tests; skipped, or failed where it is required, when there is none."""
    with running() as url:
        yield url


@pytest.fixture
def server(server_url: str) -> Iterator[Server]:
    """The server with a prefix of this test's own, whose indices are removed afterwards."""
    with lent(server_url, "test") as server:
        yield server


@pytest.fixture
def opensearch(server: Server) -> Iterator[OpenSearchEngine]:
    """The engine on the real server."""
    engine = OpenSearchEngine(server)
    yield engine
    engine.close()


def _index(services: Services) -> None:
    # The real vector cache spares embedding what scripts/test has already embedded; it may be shared by processes.
    tools = replace(services.ingesting(), vector_cache=Settings().vector_cache)
    for collection in services.collections():
        report = ingest(collection, tools)
        assert report.rejected == ()


def _corpus() -> Path:
    return Path(str(Settings.model_fields["corpus_dir"].default))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--real-model`: what scripts/test-llm gives, so that a variable left over in a shell starts nothing slow."""
    parser.addoption("--real-model", action="store_true", help="ask the model at KAIJUAN_TEST_LLM_URL")
