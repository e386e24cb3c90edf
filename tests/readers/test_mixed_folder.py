"""A folder of 200 files in every format: each planted answer is among the first three and opened at its place."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kaijuan.errors import ModelUnavailable
from kaijuan.indexing.ingest import IngestReport, ingest
from kaijuan.readers import read_folder
from kaijuan.settings import Settings
from kaijuan.types import Chunk, Document
from kaijuan.wiring import Services, load_services
from tests.indexing.workplace import NAME, VIEWER, Workplace
from tests.mixed_files import FORMS, Planted, mixed_folder

FILES, FIRST = 200, 3
#: What is not reached with the real model: the row of a table that says it comes fourth, behind sections whose headings
#: are nearer to the question and which do not answer it. The keyword leg alone reaches it.
KNOWN_MISSES = frozenset({"青雨扫地机 SD-289几天内可以无理由退货"})


@dataclass(frozen=True, slots=True)
class Indexed:
    """The folder once it answers, and its documents as the readers give them."""

    services: Services
    report: IngestReport
    planted: list[Planted]
    documents: dict[str, Document]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """The folder under the keyword leg alone, which needs no model."""
    place = _place(tmp_path_factory.mktemp("mixed"))
    planted = mixed_folder(place.folder, FILES)
    report = place.ingest()
    return Indexed(place.services(), report, planted, _documents(place.folder))


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """The same folder under the real Chinese model; vectors that are known already are not embedded again."""
    place = _place(tmp_path_factory.mktemp("mixed-model"))
    planted = mixed_folder(place.folder, FILES)
    usual = Settings()
    place.settings.data_dir.mkdir()
    if usual.model_dir.is_dir():
        (place.settings.data_dir / "models").symlink_to(usual.model_dir.resolve(), target_is_directory=True)
    try:
        services = load_services(place.settings.model_copy(update={"embedder": "bge"}))
    except ModelUnavailable as error:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"CI needs the Chinese model: {error}")
        pytest.skip(str(error))
    tools = replace(services.ingesting(), vector_cache=usual.vector_cache)
    return Indexed(services, ingest(services.collection(NAME), tools), planted, _documents(place.folder))


def test_all_files_are_read_and_nothing_is_left_out(indexed: Indexed) -> None:
    report = indexed.report
    assert (report.skipped, report.rejected) == ((), ())
    assert len({document.path for document in indexed.documents.values()}) == FILES == len(report.files)
    assert report.documents == len(indexed.documents) and report.chunks >= report.documents
    assert Counter(p.form for p in indexed.planted) == dict.fromkeys(FORMS, FILES // len(FORMS))


@pytest.mark.parametrize("form", FORMS)
def test_a_planted_answer_is_found_and_opened_at_its_place(indexed: Indexed, form: str) -> None:
    assert _misses(indexed, form) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_with_the_real_model_too(with_model: Indexed, form: str) -> None:
    missed = _misses(with_model, form)
    assert [said for said in missed if said.partition(": ")[0] not in KNOWN_MISSES] == []


def test_an_answer_that_is_nowhere_is_not_found(indexed: Indexed) -> None:
    """The same look at what was never planted finds nothing, so that it can fail."""
    moved = [replace(p, answer=p.answer.replace("保修", "保 修") + "？") for p in indexed.planted]
    assert len(_misses(replace(indexed, planted=moved), "md")) == FILES // len(FORMS)


def _place(root: Path) -> Workplace:
    (root / "corpus" / NAME).mkdir(parents=True)
    (root / "corpus" / NAME / "collection.toml").write_text('title = "混合资料"\n', encoding="utf-8")
    return Workplace(root)


def _documents(folder: Path) -> dict[str, Document]:
    return {document.id: document for document in read_folder(folder).documents}


def _misses(indexed: Indexed, form: str) -> list[str]:
    return [said for p in indexed.planted if p.form == form and (said := _miss(indexed, p))]


def _miss(indexed: Indexed, planted: Planted) -> str:
    """What is wrong with one planted answer, empty when it is found and opens where it stands."""
    services = indexed.services
    collection = services.collection(NAME)
    trace = services.trace(planted.question, collection, VIEWER, services.options(collection))
    found = [c.chunk for c in trace.candidates[:FIRST]]
    documents = indexed.documents
    holding = [c for c in found if _shows(c.text, planted) and documents[c.source_id].path == planted.path]
    if not holding:
        return f"{planted.question}: {planted.answer!r} of {planted.path} is not in {[c.id for c in found]}"
    chunk, document = holding[0], documents[holding[0].source_id]
    if chunk not in services.document(NAME, chunk.source_id, VIEWER):
        return f"{chunk.id} is not in its document when that is opened"
    if not _shows(document.text[chunk.start : chunk.end], planted):
        return f"{chunk.id} points at {document.text[chunk.start : chunk.end][:60]!r} without {planted.answer!r}"
    if chunk.page != planted.page or chunk.page != _page(document, chunk):
        return f"{chunk.id} names page {chunk.page}, not {planted.page}"
    return ""


def _shows(text: str, planted: Planted) -> bool:
    """Whether a text holds the answer; the blank at which a line of a PDF ends is not in it any more."""
    return planted.answer.replace(" ", "") in text.replace(" ", "")


def _page(document: Document, chunk: Chunk) -> int | None:
    """Page by counting those that begin at or before the chunk."""
    return sum(begin <= chunk.start for begin in document.pages) or None
