"""Fresh knowledge: files that move keep their ids when these are declared, and what is deleted leaves nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.indexing.workplace import DOCUMENTS, NAME, VIEWER, CountingEmbedder, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

ROWS = "编号,问题,答案\n1,几天退款,七天到账\n2,谁付运费,买家承担\n"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def _ids(place: Workplace) -> list[str]:
    return place.services().engine.source_ids(NAME, VIEWER)


def test_a_renamed_file_keeps_its_declared_id_and_embeds_nothing(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    before = place.services().engine.document(NAME, "d1", VIEWER)
    (place.folder / "售后").mkdir()
    (place.folder / "退货.md").rename(place.folder / "售后" / "退换货.md")
    model = CountingEmbedder()
    report = place.ingest(model)
    assert model.passages == [] and report.documents == 3
    moved = [replace(chunk, path="售后/退换货.md") for chunk in before]
    assert place.services().engine.document(NAME, "d1", VIEWER) == moved != before
    assert [f.path for f in report.files if "退换货" in f.path] == ["售后/退换货.md"]


def test_a_renamed_file_without_an_id_is_another_document_and_the_old_one_is_gone(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    (place.folder / "型号.txt").rename(place.folder / "设备.txt")
    place.ingest(LetterEmbedder())
    assert _ids(place) == ["d1", "d2", "设备.txt"]


def test_a_deleted_file_vanishes_with_all_its_documents_and_chunks(place: Workplace) -> None:
    place.write("问答.csv", ROWS)
    place.write("长.md", "---\nid: long\n---\n\n" + "这一段说的是很长的安装步骤。" * 200)
    before = place.ingest()
    assert before.chunks > before.documents > 3
    for name in ("问答.csv", "长.md"):
        (place.folder / name).unlink()
    after = place.ingest()
    assert _ids(place) == ["d1", "d2", "型号.txt"] and after.chunks == 3
    assert place.services().engine.document(NAME, "long", VIEWER) == []
    assert not any("安装步骤" in text for text in place.found("安装步骤"))


def test_an_unchanged_table_is_not_read_twice_and_an_edited_one_is(place: Workplace) -> None:
    place.write("问答.csv", ROWS)
    assert place.ingest().reused_files == 0
    place.write("退货.md", DOCUMENTS["退货.md"].replace("七天", "九天"))
    assert place.ingest().reused_files == 1
    place.write("问答.csv", ROWS.replace("七天", "三天"))
    report = place.ingest()
    assert report.reused_files == 0 and any("三天" in text for text in place.found("几天退款"))
