"""The quality gate and what the server refuses, with a whole ingest on the real server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.errors import EngineError
from kaijuan.indexing.gate import NOTE, GateRefused
from kaijuan.indexing.ingest import IngestReport, ingest
from kaijuan.settings import ROOT
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, VIEWER, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

WORSE = "---\nid: d2\ntitle: 公告\n---\n\n本页内容已经移走。\n"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    row = {"id": "q2", "question": "电子发票什么时候开具", "gold": ["d2"]}
    place.write("questions.jsonl", json.dumps(row, ensure_ascii=False) + "\n")
    return place


def _services(place: Workplace, engine: OpenSearchEngine) -> Services:
    services = place.services(LetterEmbedder())
    return replace(services, engine=engine, stages=replace(services.stages, engine=engine))


def _ingest(place: Workplace, engine: OpenSearchEngine, force: bool = False) -> IngestReport:
    services = _services(place, engine)
    return ingest(services.collection(NAME), services.ingesting(), force=force)


def test_a_worse_build_is_refused_and_dropped_and_a_forced_one_is_noted(
    place: Workplace, opensearch: OpenSearchEngine
) -> None:
    assert _ingest(place, opensearch).gate is not None
    place.write("发票.md", WORSE)
    with pytest.raises(GateRefused, match="q2"):
        _ingest(place, opensearch)
    assert [v.name for v in opensearch.versions(NAME)] == ["v0001"]
    assert _services(place, opensearch).answer("电子发票什么时候开具", NAME, VIEWER).sources
    _ingest(place, opensearch, force=True)
    assert {v.name: v.notes[NOTE]["outcome"] for v in opensearch.versions(NAME)} == {
        "v0001": "first",
        "v0002": "overridden",
    }


def test_notes_are_kept_beside_each_other_and_questions_are_answered_as_before(
    place: Workplace, opensearch: OpenSearchEngine
) -> None:
    _ingest(place, opensearch)
    before = _services(place, opensearch).answer("退货运费由谁承担", NAME, VIEWER)
    opensearch.note(NAME, "v0001", {"by": "admin"})
    [version] = opensearch.versions(NAME)
    assert version.notes["by"] == "admin" and version.notes[NOTE]["outcome"] == "first"
    assert _services(place, opensearch).answer("退货运费由谁承担", NAME, VIEWER).text == before.text
    with pytest.raises(EngineError, match="v0009"):
        opensearch.note(NAME, "v0009", {})


def _schema(folder: Path, **properties: object) -> Schema:
    """The product's templates with some fields of the index defined otherwise."""
    folder.mkdir()
    for file in (ROOT / "search_templates").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    body = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    body["mappings"]["properties"].update(properties)
    (folder / "index.json").write_text(json.dumps(body), encoding="utf-8")
    return Schema(folder)


def test_passages_that_the_server_refuses_are_named_and_the_others_answer(
    place: Workplace, server: Server, tmp_path: Path
) -> None:
    # With this mapping the server takes documents whose ids are numbers, and no others.
    engine = OpenSearchEngine(server, _schema(tmp_path / "form", source_id={"type": "integer"}))
    place.write("退货.md", "---\nid: 1\n---\n\n七天内可以退货，运费由买家承担。\n")
    place.write("发票.md", "---\nid: d2\n---\n\n电子发票在签收后开具。\n")
    (place.folder / "型号.txt").unlink()
    report = _ingest(place, engine, force=True)
    found = _services(place, engine).answer("退货运费由谁承担", NAME, VIEWER)
    engine.close()
    [(chunk_id, why)] = report.rejected
    assert chunk_id == "d2#0" and "d2" in why and (report.chunks, report.documents) == (1, 1)
    assert [source.chunk.id for source in found.sources] == ["1#0"]


def test_a_changed_index_json_is_noticed_by_the_next_ingest(
    place: Workplace, server: Server, opensearch: OpenSearchEngine, tmp_path: Path
) -> None:
    _ingest(place, opensearch)
    assert _ingest(place, opensearch).unchanged
    changed = OpenSearchEngine(server, _schema(tmp_path / "form", remark={"type": "keyword"}))
    report = _ingest(place, changed)
    changed.close()
    assert not report.unchanged and report.version == "v0002" and report.embedded == 0


def test_a_server_that_refuses_every_passage_is_one_sentence_and_the_old_build_answers(
    place: Workplace, server: Server, opensearch: OpenSearchEngine, tmp_path: Path
) -> None:
    _ingest(place, opensearch)
    number = OpenSearchEngine(server, _schema(tmp_path / "form", source_id={"type": "integer"}))
    with pytest.raises(EngineError, match="拒收了全部"):
        _ingest(place, number)
    number.close()
    assert [v.name for v in opensearch.versions(NAME)] == ["v0001"]
    client = Client(server)
    assert list(client.read("GET", f"/{server.prefix}*")) == [f"{server.prefix}{NAME}.v0001"]
    client.close()
