"""The product with its real local model, for tests whose outcome depends on that very model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.errors import ModelUnavailable
from kaijuan.indexing.ingest import ingest
from kaijuan.settings import Settings
from kaijuan.wiring import Services, load_services


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
        services = load_services(Settings(data_dir=data, corpus_dir=_corpus(), embedder="bge", _env_file=None))
    except ModelUnavailable as error:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"CI needs the Chinese model: {error}")
        pytest.skip(str(error))
    # The real vector cache spares embedding what scripts/test has already embedded; it may be shared by processes.
    tools = replace(services.ingesting(), vector_cache=Settings().vector_cache)
    for collection in services.collections():
        report = ingest(collection, tools)
        assert report.rejected == ()
    return services


def _corpus() -> Path:
    return Path(str(Settings.model_fields["corpus_dir"].default))
