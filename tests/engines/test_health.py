"""Health of the embedded engine: its folder, its disk, and builds with every kind of damage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.engines.embedded.health import space
from kaijuan.engines.embedded.meta_file import FORMAT
from kaijuan.types import Finding
from tests.engines.builders import built, by_words, directions, ids, passage

CHUNKS = [passage(f"d{n}#0", f"退货说明第 {n} 条") for n in range(40)]


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return EmbeddedEngine(tmp_path)


def of_shop(engine: EmbeddedEngine) -> Finding:
    [finding] = [finding for finding in engine.health(["shop"]) if finding.collection == "shop"]
    return finding


def test_a_healthy_engine_is_green_and_looking_changes_nothing(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, CHUNKS)
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file())
    found = engine.health(["shop"])
    assert [(finding.check, finding.level) for finding in found] == [("数据目录", "ok"), ("磁盘", "ok"), ("索引", "ok")]
    assert "v0001，40 篇 40 段，toy（4 维）" in found[-1].said
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()) == before


def test_builds_without_vectors_or_without_passages_are_whole(engine: EmbeddedEngine) -> None:
    built(engine, CHUNKS, dims=0, embedder=None)
    assert of_shop(engine).level == "ok" and "没有向量" in of_shop(engine).said
    built(engine, [])
    assert of_shop(engine).level == "ok"


def test_a_collection_without_an_index_says_what_to_run(tmp_path: Path) -> None:
    engine = EmbeddedEngine(tmp_path / "index")
    folder, _, shop = engine.health(["shop"])
    assert folder.level == "ok" and "还不存在" in folder.said
    assert (shop.level, shop.remedy) == ("bad", "运行 python -m ingest shop")
    assert not (tmp_path / "index").exists(), "looking must not make it"


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "index"):
        found = EmbeddedEngine(folder).health(["shop"])
        assert [(finding.check, finding.level) for finding in found] == [("数据目录", "bad"), ("索引", "bad")]
        assert "KAIJUAN_DATA_DIR" in found[0].remedy


@pytest.mark.parametrize(
    ("free", "largest", "level"),
    [
        (10 << 30, 1 << 20, "ok"),
        (500 << 20, 1 << 20, "warn"),
        (100 << 20, 1 << 20, "bad"),
        (10 << 30, 4 << 30, "warn"),
        (10 << 30, 11 << 30, "bad"),
    ],
)
def test_the_disk_has_to_hold_another_build(free: int, largest: int, level: str) -> None:
    finding = space(free, largest)
    assert finding.level == level and bool(finding.remedy) == (level != "ok")


@pytest.mark.parametrize("pointer", ["v0009", "", "../../etc", "\x00", "v0001\nv0002"])
def test_a_pointer_to_nothing_is_put_right_by_going_back(engine: EmbeddedEngine, tmp_path: Path, pointer: str) -> None:
    version = built(engine, CHUNKS).name
    (tmp_path / "shop" / "CURRENT").write_text(pointer, encoding="utf-8")
    finding = of_shop(engine)
    assert finding.level == "bad" and f"python -m ingest rollback shop {version}" in finding.remedy
    engine.activate("shop", version)
    assert of_shop(engine).level == "ok"


def test_a_lost_pointer(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, CHUNKS)
    (tmp_path / "shop" / "CURRENT").unlink()
    assert "没有 CURRENT" in of_shop(engine).said and "rollback shop v0001" in of_shop(engine).remedy


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4])


def zero(path: Path) -> None:
    """What a power cut leaves: the right size, nothing in it."""
    path.write_bytes(bytes(path.stat().st_size))


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\x00" * 8)


DAMAGE: list[tuple[str, Callable[[Path], None]]] = [
    ("vectors.f32", cut),
    ("vectors.f32", zero),
    ("vectors.f32", lambda path: np.full(160, np.nan, dtype="<f4").tofile(path)),
    ("vectors.f32", Path.unlink),
    ("chunks.bin", cut),
    ("chunks.bin", zero),
    ("chunks.bin", lengthen),
    ("chunks.off.i64", cut),
    ("ids.bin", cut),
    ("by_id.i32", lengthen),
    ("audiences.json", zero),
    ("post.chunks.i32", cut),
    ("post.impacts.f32", Path.unlink),
    ("lengths.i32", lengthen),
    ("meta.json", cut),
    ("meta.json", lambda path: path.write_text("[]", encoding="utf-8")),
    ("meta.json", lambda path: path.write_text(json.dumps({"format": FORMAT}), encoding="utf-8")),
]


@pytest.mark.parametrize(("name", "damage"), DAMAGE)
def test_damage_is_seen_and_both_ways_out_work(
    engine: EmbeddedEngine, tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    old, new = built(engine, CHUNKS).name, built(engine, CHUNKS).name
    damage(tmp_path / "shop" / new / name)
    reader = EmbeddedEngine(tmp_path)
    finding = of_shop(reader)
    assert (finding.check, finding.level) == ("索引", "bad") and f"{new} 已损坏" in finding.said
    assert f"删除文件夹 {tmp_path / 'shop' / new} 后运行 python -m ingest shop" in finding.remedy
    assert f"rollback shop {old}" in finding.remedy
    reader.activate("shop", old)
    assert of_shop(reader).level == "ok"
    shutil.rmtree(tmp_path / "shop" / new)
    assert built(reader, CHUNKS).name == new
    assert of_shop(reader).level == "ok" and len(ids(by_words(reader, "退货", size=50).keyword)) == 40


def test_a_build_of_another_format(engine: EmbeddedEngine, tmp_path: Path) -> None:
    version = built(engine, CHUNKS).name
    file = tmp_path / "shop" / version / "meta.json"
    stored = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**stored, "format": FORMAT + 1}), encoding="utf-8")
    finding = of_shop(engine)
    assert finding.level == "bad" and f"格式是 {FORMAT + 1}" in finding.said
    assert finding.remedy == "运行 python -m ingest shop 重建"


def test_one_damaged_collection_does_not_hide_the_others(engine: EmbeddedEngine, tmp_path: Path) -> None:
    for name in ("shop", "yunti"):
        built(engine, CHUNKS, directions(len(CHUNKS)), collection=name)
    zero(tmp_path / "shop" / "v0001" / "vectors.f32")
    found = engine.health(["shop", "../etc", "yunti"])
    assert [(f.collection, f.level) for f in found if f.collection] == [
        ("shop", "bad"),
        ("../etc", "bad"),
        ("yunti", "ok"),
    ]


def test_a_damaged_passage_of_a_large_build_is_seen_where_it_is_sampled(engine: EmbeddedEngine, tmp_path: Path) -> None:
    """Builds of more than 8192 passages are not read whole when they are opened."""
    built(engine, [passage(f"d{n}#0", f"第{n}条") for n in range(9000)], dims=0, embedder=None)
    assert of_shop(engine).level == "ok"
    zero(tmp_path / "shop" / "v0001" / "chunks.bin")
    assert of_shop(EmbeddedEngine(tmp_path)).level == "bad"
