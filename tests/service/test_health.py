"""/readyz: green when questions can be answered, and one sentence a part that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from kaijuan.errors import EngineNotReady
from kaijuan.records.store import Records
from kaijuan.service.health import failed
from kaijuan.types import Notice
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME
from tests.rights import open_folder, without_rights
from tests.service.serving import is_one_sentence, made_services, serving


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return made_services(tmp_path)


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


def failing(reply: httpx2.Response) -> dict[str, str]:
    """The parts that fail, with their sentences; the status must agree."""
    said = reply.json()
    found = {part["part"]: part["said"] for part in said["parts"] if not part["ok"]}
    assert (reply.status_code, said["ready"]) == ((503, False) if found else (200, True))
    return found


def test_everything_is_there(services: Services) -> None:
    with serving(services) as client:
        reply = client.get("/readyz", headers={"Authorization": ""})
        assert failing(reply) == {}
        assert [part["part"] for part in reply.json()["parts"]] == [f"collection:{NAME}", "embedder", "records"]
        assert client.get("/healthz").text == "ok\n"
        assert client.post("/readyz").status_code == 405


def test_a_collection_without_an_index(services: Services) -> None:
    new = services.settings.corpus_dir / "new"
    new.mkdir()
    (new / "collection.toml").write_text('title = "新"\n', encoding="utf-8")
    with serving(services) as client:
        found = failing(client.get("/readyz"))
        assert set(found) == {"collection:new"} and "python -m ingest new" in found["collection:new"]
        (new / "collection.toml").write_text("title = ", encoding="utf-8")
        assert "collection.toml" in failing(client.get("/readyz"))["collection:new"]
        (new / "collection.toml").unlink()
        assert failing(client.get("/readyz")) == {}


def test_an_index_that_is_taken_away_is_noticed(services: Services) -> None:
    with serving(services) as client:
        assert failing(client.get("/readyz")) == {}
        index = services.settings.index_dir
        index.rename(index.with_name("elsewhere"))
        found = failing(client.get("/readyz"))
        assert set(found) == {f"collection:{NAME}"} and is_one_sentence(found[f"collection:{NAME}"])
        assert str(services.settings.data_dir) not in found[f"collection:{NAME}"]


def test_no_collection_at_all(services: Services) -> None:
    (services.settings.corpus_dir / NAME / "collection.toml").unlink()
    with serving(services) as client:
        assert set(failing(client.get("/readyz"))) == {"collections"}


def test_records_that_cannot_be_written(folder: Path) -> None:
    services = made_services(folder)
    # Read-only from the beginning: what a connection may do is decided when it opens the file.
    place = folder / "kept"
    place.mkdir()
    Records(place / "records.sqlite", 30).change(lambda db: None)
    for path in (*place.iterdir(), place):
        path.chmod(0o555)
    with serving(replace(services, records=Records(place / "records.sqlite", 30))) as client:
        with without_rights():
            found = failing(client.get("/readyz"))
            metrics = client.get("/metrics").text
        assert (
            set(found) == {"records"} and is_one_sentence(found["records"]) and "KAIJUAN_DATA_DIR" in found["records"]
        )
        assert str(place) not in found["records"]
        assert "kaijuan_records_readable 0" in metrics and "kaijuan_tickets" not in metrics
        for path in (place, *place.iterdir()):
            path.chmod(0o755)
        assert failing(client.get("/readyz")) == {}


class _OtherModel:
    name, dims, floor = "another", 64, None


def test_an_index_of_another_model(services: Services) -> None:
    other: Any = _OtherModel()
    with serving(replace(services, stages=replace(services.stages, embedder=other))) as client:
        found = failing(client.get("/readyz"))
    assert "letters" in found[f"collection:{NAME}"] and "another" in found[f"collection:{NAME}"]


def test_a_missing_model_is_told_and_no_failure(services: Services) -> None:
    notice = Notice("embed", "没有可用的嵌入模型（/srv/kaijuan/models/bge），请运行 scripts/setup。")
    stages = replace(services.stages, embedder=None, embedder_notice=notice)
    with serving(replace(services, stages=stages)) as client:
        reply = client.get("/readyz")
    assert failing(reply) == {}
    [part] = [part for part in reply.json()["parts"] if part["part"] == "embedder"]
    assert "scripts/setup" in part["said"] and "/srv" not in part["said"]


def test_a_fault_of_the_program_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    said = failed("records", ZeroDivisionError("secret")).said
    assert is_one_sentence(said) and "secret" not in said and "secret" in caplog.text


class _GoneSince:
    """An engine that remembers the build that answers, and has gone away since."""

    def __init__(self, engine: Any) -> None:
        self.meta = engine.meta

    def versions(self, collection: str) -> list[Any]:
        raise EngineNotReady("搜索引擎 http://node:9200 连接不上，请确认服务已启动。")


def test_what_an_engine_remembers_is_not_taken_for_its_being_there(services: Services) -> None:
    engine: Any = _GoneSince(services.engine)
    assert services.fault(NAME) is None
    with serving(replace(services, engine=engine)) as client:
        assert failing(client.get("/readyz")) == {
            f"collection:{NAME}": "搜索引擎 http://node:9200 连接不上，请确认服务已启动。"
        }
