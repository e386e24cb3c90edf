"""Ingest on real files and a real engine: what changes, what stays, what is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.base import BuildMeta
from kaijuan.errors import IngestError
from kaijuan.indexing.build import corpus_hash, same_build
from kaijuan.indexing.ingest import ingest, is_indexed
from kaijuan.indexing.vector_cache import VectorCache, unusable_because
from kaijuan.indexing.versions import rollback
from kaijuan.models.base import Vector
from kaijuan.types import Chunk
from tests.engines.builders import META, passage
from tests.indexing.workplace import DOCUMENTS, NAME, VIEWER, CountingEmbedder, Workplace
from tests.retrieval.stand_ins import LetterEmbedder


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def test_the_first_ingest_indexes_everything(place: Workplace) -> None:
    model = CountingEmbedder()
    report = place.ingest(model)
    assert (report.documents, report.chunks, report.embedded, report.unchanged) == (3, 3, 3, False)
    assert len(model.passages) == 3
    assert not (report.skipped or report.warnings or report.rejected or report.cleaned)
    assert place.versions() == {report.version: True}
    assert "SF-3000" in place.found("SF-3000 打不开")[0]


def test_an_unchanged_corpus_makes_no_new_build_and_embeds_nothing(place: Workplace) -> None:
    first = place.ingest(LetterEmbedder())
    model = CountingEmbedder()
    again = place.ingest(model)
    assert again.unchanged and again.version == first.version and again.embedded == 0
    assert model.passages == [] and place.versions() == {first.version: True}


def test_touching_a_file_without_changing_it_changes_nothing(place: Workplace) -> None:
    first = place.ingest()
    place.write("退货.md", DOCUMENTS["退货.md"])
    assert place.ingest().version == first.version


def test_after_an_edit_only_what_changed_is_embedded_and_the_next_question_sees_it(place: Workplace) -> None:
    services = place.services()
    place.ingest(LetterEmbedder())
    before = services.engine.document(NAME, "d1", VIEWER)
    assert "七天" in before[0].text
    place.write("退货.md", DOCUMENTS["退货.md"].replace("七天", "十五天"))
    model = CountingEmbedder()
    report = place.ingest(model)
    assert report.embedded == 1 and len(model.passages) == 1 and "十五天" in model.passages[0]
    assert not report.unchanged and place.versions()[report.version]
    # An engine that was open all the time sees the switch.
    assert "十五天" in services.engine.document(NAME, "d1", VIEWER)[0].text


def test_a_change_of_date_alone_is_a_change_but_embeds_nothing(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    place.write("退货.md", DOCUMENTS["退货.md"].replace("2026-01-02", "2026-03-04"))
    model = CountingEmbedder()
    report = place.ingest(model)
    assert not report.unchanged and report.embedded == 0 and model.passages == []


def test_going_back_to_an_old_text_embeds_nothing(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    place.write("退货.md", DOCUMENTS["退货.md"].replace("七天", "十五天"))
    place.ingest(LetterEmbedder())
    place.write("退货.md", DOCUMENTS["退货.md"])
    model = CountingEmbedder()
    assert place.ingest(model).embedded == 0 and model.passages == []


def test_a_removed_file_is_gone_and_a_new_one_is_there(place: Workplace) -> None:
    place.ingest()
    (place.folder / "型号.txt").unlink()
    place.write("会员.md", "会员积分满一百可以抵一元。\n")
    report = place.ingest()
    assert report.documents == 3
    assert not any("SF-3000" in text for text in place.found("SF-3000 积分"))
    assert "积分" in place.found("会员积分")[0]


def test_other_chunk_sizes_make_another_build(place: Workplace) -> None:
    first = place.ingest()
    place.write("collection.toml", 'title = "小集合"\nchunk_chars = 200\noverlap_chars = 20\n')
    second = place.ingest()
    assert not second.unchanged and second.version != first.version


def test_another_model_makes_another_build(place: Workplace) -> None:
    class Other(CountingEmbedder):
        name = "other"

    place.ingest(LetterEmbedder())
    model = Other()
    report = place.ingest(model)
    assert not report.unchanged and report.embedded == len(model.passages) == 3
    services = place.services()
    assert is_indexed(services.collection(NAME), services.engine, model)
    assert not is_indexed(services.collection(NAME), services.engine, LetterEmbedder())
    assert not is_indexed(services.collection(NAME), services.engine, None)


def test_only_so_many_versions_are_kept_and_the_active_one_always(place: Workplace) -> None:
    names = []
    for n in range(4):
        place.write("退货.md", f"第{n}版：七天内可以退货。\n")
        report = place.ingest(keep=2)
        names.append(report.version)
    assert list(place.versions()) == names[-2:] and place.versions()[names[-1]]
    assert report.pruned == (names[1],)
    assert place.left_behind() == []


def test_the_version_that_answers_after_a_rollback_survives_pruning_until_the_next_switch(place: Workplace) -> None:
    place.write("退货.md", "第一版：七天。\n")
    first = place.ingest().version
    place.write("退货.md", "第二版：八天。\n")
    second = place.ingest().version
    assert rollback(NAME, place.services().ingesting()) == first
    assert place.versions() == {first: True, second: False} and "第一版" in place.found("第一版")[0]
    place.write("退货.md", "第三版：九天。\n")
    third = place.ingest(keep=1).version
    assert place.versions() == {third: True}


def test_rolling_back_by_name_and_where_there_is_nothing_to_go_back_to(place: Workplace) -> None:
    first = place.ingest().version
    tools = place.services().ingesting()
    with pytest.raises(IngestError, match=f"python -m ingest versions {NAME}"):
        rollback(NAME, tools)
    place.write("退货.md", "第二版：八天。\n")
    second = place.ingest().version
    assert rollback(NAME, tools, first) == first and rollback(NAME, tools, second) == second
    assert place.versions() == {first: False, second: True}


def test_after_a_rollback_an_ingest_of_the_same_corpus_switches_forward_again(place: Workplace) -> None:
    place.ingest()
    place.write("退货.md", "第二版：八天。\n")
    place.ingest()
    rollback(NAME, place.services().ingesting())
    place.ingest()
    assert "第二版" in place.found("第二版")[0]


def test_a_folder_without_documents_is_refused_at_first_and_empties_an_index_later(place: Workplace) -> None:
    for name in DOCUMENTS:
        (place.folder / name).unlink()
    with pytest.raises(IngestError, match="没有可以索引的文档"):
        place.ingest()
    assert place.versions() == {}
    place.write("退货.md", DOCUMENTS["退货.md"])
    place.ingest()
    (place.folder / "退货.md").unlink()
    report = place.ingest()
    assert report.chunks == 0 and any("rollback" in warning for warning in report.warnings)


def test_files_that_all_fail_do_not_empty_the_index(place: Workplace) -> None:
    before = place.ingest().version
    for name in DOCUMENTS:
        (place.folder / name).unlink()
    place.write("图.png", b"\x89PNG\r\n")
    with pytest.raises(IngestError):
        place.ingest()
    assert place.versions() == {before: True} and place.found("SF-3000 打不开")


def test_skipped_files_and_odd_dates_are_reported(place: Workplace) -> None:
    place.write("图.png", b"\x89PNG\r\n")
    place.write("空.md", "")
    place.write("重复.md", "---\nid: d1\n---\n\n另一篇。\n")
    place.write("怪日期.md", "---\nupdated: 某天\n---\n\n正文。\n")
    report = place.ingest()
    reasons = {skipped.path: skipped.reason_code for skipped in report.skipped}
    assert reasons == {"图.png": "unknown type", "空.md": "empty", "重复.md": "duplicate id"}
    assert all(skipped.message.endswith("。") for skipped in report.skipped)
    assert len(report.warnings) == 1 and "怪日期.md" in report.warnings[0]


class HalfBrokenEmbedder(LetterEmbedder):
    """Gives what is no usable vector for texts that hold 发票."""

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        return np.full(self.dims, np.nan, dtype=np.float32) if "发票" in text else super().passage(text)


def test_a_chunk_without_a_usable_vector_is_left_out_named_and_tried_again(place: Workplace) -> None:
    report = place.ingest(HalfBrokenEmbedder())
    assert [chunk_id for chunk_id, _ in report.rejected] == ["d2#0"] and report.chunks == 2
    mended = place.ingest(LetterEmbedder())
    assert mended.rejected == () and mended.chunks == 3


class FailingEmbedder(CountingEmbedder):
    """Fails at the third passage."""

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        if len(self.passages) == 2:
            raise RuntimeError("the model fell over")
        return super().passage(text)


def test_an_ingest_that_fails_leaves_the_old_build_and_nothing_else(place: Workplace) -> None:
    place.ingest()
    before = place.versions()
    place.write("退货.md", "第二版：八天。\n")
    with pytest.raises(RuntimeError):
        place.ingest(FailingEmbedder())
    assert place.versions() == before and place.left_behind() == []
    assert place.ingest().documents == 3


def test_progress_reaches_the_number_of_chunks(place: Workplace) -> None:
    told: list[tuple[str, int, int]] = []
    services = place.services(LetterEmbedder())
    ingest(services.collection(NAME), services.ingesting(), lambda *step: told.append(step))
    assert told and told[-1] == ("embed", 3, 3)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_every_stored_part_of_a_chunk_counts_for_the_hash() -> None:
    chunk = passage("d#0", "七天内退货。")
    others = [
        replace(chunk, text="八天内退货。"),
        replace(chunk, title="退货"),
        replace(chunk, headings=("退货",)),
        replace(chunk, updated="2026-01-02"),
        replace(chunk, department="售后部"),
        replace(chunk, kind="制度"),
        replace(chunk, audience=("staff",)),
        replace(chunk, id="d#1"),
        replace(chunk, start=1),
    ]
    hashes = [corpus_hash([c]) for c in (chunk, *others)]
    assert len(set(hashes)) == len(hashes)
    assert corpus_hash([chunk, others[0]]) != corpus_hash([others[0], chunk])
    assert corpus_hash([chunk]) == corpus_hash([Chunk(**{f: getattr(chunk, f) for f in Chunk.__slots__})])


def test_when_a_build_was_made_does_not_matter_what_it_was_made_with_does() -> None:
    assert same_build(META, replace(META, created="2027-01-01"))
    changes = {"embedder": "x", "dims": 5, "chunking": "x", "analyzer": "x", "corpus_hash": "x", "k1": 1.0, "b": 0.5}
    other: BuildMeta
    for name, value in changes.items():
        other = replace(META, **{name: value})  # type: ignore[arg-type]
        assert not same_build(META, other), name


def test_the_vector_cache_is_bound_to_model_and_text(tmp_path: Path) -> None:
    class Other(CountingEmbedder):
        name = "other"

    first, other = CountingEmbedder(), Other()
    with VectorCache(tmp_path / "c" / "vectors.sqlite") as cache:
        assert cache.embed(first, ["甲", "乙", "甲"]).computed == 2
        assert cache.embed(other, ["甲"]).computed == 1
    with VectorCache(tmp_path / "c" / "vectors.sqlite") as cache:
        again = cache.embed(first, ["乙", "甲\u200b"])
        assert again.computed == 0 and np.array_equal(again.vectors[1], first.query("甲"))
    assert first.passages == ["甲", "乙"]


def test_vectors_of_another_length_are_refused_with_both_numbers(tmp_path: Path) -> None:
    class Short(LetterEmbedder):
        def passage(self, text: str) -> Vector:
            return super().passage(text)[:8]

    with VectorCache(tmp_path / "v.sqlite") as cache, pytest.raises(IngestError, match=r"8.*64"):
        cache.embed(Short(), ["甲"])


@pytest.mark.parametrize(
    ("vector", "usable"),
    [([1.0, 0.0], True), ([0.6, 0.8], True), ([0.0, 0.0], False), ([1.0, 1.0], False), ([float("inf"), 0.0], False)],
)
def test_which_vectors_can_be_compared(vector: list[float], usable: bool) -> None:
    assert (unusable_because(np.array(vector, dtype=np.float32)) is None) == usable


def test_a_damaged_build_of_an_unchanged_corpus_is_made_anew(place: Workplace) -> None:
    place.ingest(CountingEmbedder())
    vectors = place.settings.index_dir / NAME / "v0001" / "vectors.f32"
    vectors.write_bytes(vectors.read_bytes()[:-4])
    report = place.ingest(CountingEmbedder())
    assert not report.unchanged and report.version == "v0002" and report.embedded == 0
    assert place.found("退货运费")
