"""Chunks on disk, their tables, and objects made by columns."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.embedded import chunk_store
from kaijuan.engines.embedded.arrays import map_array, write_array
from kaijuan.engines.embedded.chunk_store import ChunkStore
from kaijuan.engines.embedded.chunk_store_writer import ChunkStoreWriter, from_line, to_line
from kaijuan.engines.embedded.columns import from_columns
from kaijuan.engines.embedded.strings import StringTable, write_strings
from kaijuan.types import Chunk, Hit, Standing, TermScore, Viewer
from tests.engines.builders import passage

NAMES = ["a", "a#", "a#0", "a#1", "a#10", "a$", "b", "é", "退货", "\uff21", "𠮷", "🙂", ""]


def store(folder: Path, chunks: list[Chunk]) -> ChunkStore:
    writer = ChunkStoreWriter(folder)
    for chunk in chunks:
        writer.add(chunk)
    writer.write()
    return ChunkStore(folder, len(chunks))


@pytest.mark.parametrize("kept", [0, 8192])
def test_found_by_number_id_and_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr(chunk_store, "_KEPT", kept)
    chunks = [passage(f"{source}#{n}", f"{source} {n}") for source in ["s2", "s10", "s1"] for n in (11, 2, 0)]
    random.Random(3).shuffle(chunks)
    opened = store(tmp_path, chunks)
    assert [opened[n] for n in range(len(opened))] == chunks
    for n, chunk in enumerate(chunks):
        assert opened.ordinal(chunk.id) == n
    assert opened.ordinal("s1") is None
    assert [chunk.position for chunk in opened.of_source("s1")] == [0, 2, 11]
    assert opened.of_source("s") == []
    assert [chunks[n].id for n in np.argsort(opened.tie_order)] == sorted(chunk.id for chunk in chunks)


def test_documents_whose_names_look_like_chunk_ids(tmp_path: Path) -> None:
    chunks = [Chunk("a#1", "a", "", "一", position=1), Chunk("a#1#0", "a#1", "", "二"), Chunk("w", "w", "", "整篇")]
    opened = store(tmp_path, chunks)
    assert [c.id for c in opened.of_source("a")] == ["a#1"]
    assert [c.id for c in opened.of_source("a#1")] == ["a#1#0"]
    assert [c.id for c in opened.of_source("w")] == ["w"]


def test_closed_to_whoever_shares_no_group(tmp_path: Path) -> None:
    opened = store(tmp_path, [passage("a#0", "一"), passage("b#0", "二", "x", "y"), passage("c#0", "三", "y", "x")])
    closed = opened.closed(Viewer())
    assert closed is not None
    assert closed.tolist() == [False, True, True]
    assert opened.closed(Viewer(groups=frozenset({"y"}))) is None
    assert opened.closed(Viewer(sees_all=True)) is None
    assert opened.source_ids(Viewer()) == ["a"]


def test_a_line_holds_every_field() -> None:
    chunk = Chunk("i", "s", "题", "文", ("一", "二"), 3, 4, 5, "2026-01", "部", "规", ("甲",))
    assert from_line(to_line(chunk)) == chunk
    for wrong in [b"", b"{}", b"[1]", b"\xff", to_line(chunk)[:-1]]:
        with pytest.raises((ValueError, TypeError)):
            from_line(wrong)


@pytest.mark.parametrize("standing", [None, Standing("superseded", "new", "新规", None, "2026-05")])
@pytest.mark.parametrize("page", [None, 1, 40])
@pytest.mark.parametrize("path", ["", "手册/s.pdf"])
def test_a_line_holds_standing_page_and_path_where_there_are_any(
    standing: Standing | None, page: int | None, path: str
) -> None:
    chunk = replace(passage("s#1", "文"), standing=standing, page=page, path=path)
    assert from_line(to_line(chunk)) == chunk


def test_strings_are_found_in_a_sorted_table(tmp_path: Path) -> None:
    names = sorted(NAMES)
    write_strings(tmp_path / "t", names)
    table = StringTable(tmp_path / "t")
    assert [table[n] for n in range(len(table))] == names
    assert [table.find(name) for name in names] == list(range(len(names)))
    assert table.find("zz") is table.find("\ud800") is None


def test_arrays_keep_the_kind_of_their_suffix(tmp_path: Path) -> None:
    write_array(tmp_path / "a.u64", [1, 2**64 - 1])
    assert map_array(tmp_path / "a.u64").tolist() == [1, 2**64 - 1]
    write_array(tmp_path / "b.f32", [])
    assert map_array(tmp_path / "b.f32").shape == (0,)
    (tmp_path / "c.i32").write_bytes(b"12345")
    with pytest.raises(ValueError, match="multiple"):
        map_array(tmp_path / "c.i32")


def test_objects_by_columns_are_those_made_one_by_one() -> None:
    terms = from_columns(TermScore, ["退货", "运费"], [1.5, 0.5])
    assert terms == [TermScore("退货", 1.5), TermScore("运费", 0.5)]
    chunk = passage("a#0", "一")
    hits = from_columns(Hit, [chunk], range(1, 2), [0.5], [None], [tuple(terms)])
    assert hits == [Hit(chunk, 1, 0.5, None, tuple(terms))]
    assert hash(hits[0]) == hash(Hit(chunk, 1, 0.5, None, tuple(terms)))
    assert from_columns(TermScore, [], []) == []
    with pytest.raises(ValueError, match="zip"):
        from_columns(TermScore, ["退货"])
    with pytest.raises(AttributeError):
        hits[0].rank = 2  # type: ignore[misc]
