"""The cache of files that were read: what is asked of it, what is not, and that it never stands in the way."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.indexing.read_cache import PLAIN_BYTES, ReadCache
from kaijuan.readers import Limits, ReadResult, Rules, read_folder

TABLE = "编号,问题,答案\n1,几天退款,七天\n2,谁付运费,买家\n"
LONG = "---\nupdated: 某天\n---\n\n" + "七天内可以退货。\n\n" * (PLAIN_BYTES // 20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "表.csv").write_text(TABLE, encoding="utf-8")
    (made / "长.md").write_text(LONG, encoding="utf-8")
    (made / "短.md").write_text("七天。\n", encoding="utf-8")
    return made


def _read(folder: Path, file: Path, rules: Rules | None = None) -> tuple[ReadResult, int]:
    rules = rules or Rules()
    with ReadCache(file) as cache:
        return read_folder(folder, replace(rules, in_front=cache.in_front(rules))), cache.hits


def test_an_unchanged_file_is_not_read_twice_and_gives_the_very_same(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "cache" / "files.sqlite"
    first, hits = _read(folder, file)
    assert hits == 0 and first == read_folder(folder)
    again, hits = _read(folder, file)
    assert again == first and hits == 2, "the short text is read faster than it is looked up"
    assert len(again.warnings) == 1 and "长.md" in again.warnings[0]


def test_another_content_another_name_and_other_limits_are_read_anew(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "files.sqlite"
    _read(folder, file)
    (folder / "表.csv").write_text(TABLE.replace("七天", "八天"), encoding="utf-8")
    changed, hits = _read(folder, file)
    assert hits == 1 and any("八天" in document.text for document in changed.documents)
    (folder / "表.csv").rename(folder / "新表.csv")
    renamed, hits = _read(folder, file)
    assert hits == 1 and renamed == read_folder(folder)
    limited, hits = _read(folder, file, Rules(Limits(max_rows=1)))
    assert hits == 0 and "too large" in {skipped.reason_code for skipped in limited.skipped}


def test_a_file_that_was_refused_is_tried_again(folder: Path, tmp_path: Path) -> None:
    (folder / "表.csv").write_bytes(b"\x00\xff\xfe\x81" * 40)
    file = tmp_path / "files.sqlite"
    first, _ = _read(folder, file)
    again, hits = _read(folder, file)
    assert first.skipped and again == first and hits == 1


@pytest.mark.parametrize("damage", ["whole", "row", "table"])
def test_a_damaged_cache_means_reading_again(damage: str, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "files.sqlite"
    first, _ = _read(folder, file)
    if damage == "whole":
        for beside in tmp_path.glob("files.sqlite*"):
            beside.unlink()
        file.write_bytes(b"no database" * 500)
    else:
        with sqlite3.connect(file) as database:
            database.execute("UPDATE files SET read = '{\"parts\": [{}]}'" if damage == "row" else "DROP TABLE files")
        database.close()
    again, hits = _read(folder, file)
    assert again == first and hits == 0
    assert _read(folder, file) == (first, 2), "and it is kept anew"


def test_a_place_that_cannot_be_written_is_no_fault(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert _read(folder, tmp_path / "file" / "files.sqlite") == (read_folder(folder), 0)


def test_what_nobody_asked_for_in_a_long_time_is_forgotten(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "files.sqlite"
    _read(folder, file)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE files SET day = '2020-01-01'")
    database.close()
    (folder / "表.csv").unlink()
    assert _read(folder, file)[1] == 1
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT count(*) FROM files").fetchone() == (1,)
    database.close()
