"""The embedded engine's own promises: folders, the pointer, other processes, damage, threads."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.engines.embedded.files import replace_text
from kaijuan.engines.embedded.home import Home
from kaijuan.errors import EngineError, IndexMismatch, IndexMissing, KaijuanError
from kaijuan.types import Viewer
from tests.engines.builders import ANYBODY, META, built, by_vector, by_words, directions, ids, passage, unit

#: Adds chunks for ever and says so after the first ones.
ENDLESS_BUILD = """
import sys
from pathlib import Path
from kaijuan.engines.embedded.engine import EmbeddedEngine
from tests.engines.builders import META, directions, passage
build = EmbeddedEngine(Path(sys.argv[1])).open_build(META)
number = 0
while True:
    build.add([passage(f"n{number}#0", "新的退货规则" * 20)], directions(1))
    number += 1
    if number == 50:
        print("building", flush=True)
"""


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return EmbeddedEngine(tmp_path)


def test_a_build_killed_in_the_middle_leaves_the_old_one_answering(engine: EmbeddedEngine, tmp_path: Path) -> None:
    old = built(engine, [passage("a#0", "退货")])
    process = subprocess.Popen([sys.executable, "-c", ENDLESS_BUILD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "building\n"
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()
    assert process.returncode == -signal.SIGKILL

    for reader in (engine, EmbeddedEngine(tmp_path)):
        assert ids(by_words(reader, "退货").keyword) == ["a#0"]
        assert [version.name for version in reader.versions("shop")] == [old.name]
    assert engine.clean_up("shop") == [".building-v0002"]
    assert built(engine, [passage("b#0", "退货")]).name == "v0002"
    assert ids(by_words(engine, "退货").keyword) == ["b#0"]


def test_a_switch_by_another_process_is_seen_by_the_next_question(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    reader = EmbeddedEngine(tmp_path)
    assert ids(by_words(reader, "退货").keyword) == ["a#0"]
    built(engine, [passage("b#0", "退货")])
    assert ids(by_words(reader, "退货").keyword) == ["b#0"]


def test_switches_in_quick_succession_are_all_seen(engine: EmbeddedEngine, tmp_path: Path) -> None:
    """Inodes come again and the system's clock of files stands still for milliseconds."""
    names = [built(engine, [passage(f"{letter}#0", "退货")]).name for letter in "abc"]
    reader = EmbeddedEngine(tmp_path)
    for n in range(60):
        engine.activate("shop", names[n % 3])
        assert ids(by_words(reader, "退货").keyword) == [f"{'abc'[n % 3]}#0"]
        engine.activate("shop", names[(n + 1) % 3])
        engine.activate("shop", names[(n + 2) % 3])
        assert ids(by_words(reader, "退货").keyword) == [f"{'abc'[(n + 2) % 3]}#0"]


def test_a_version_made_anew_under_an_old_name_is_not_answered_from_memory(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    """Somebody empties the index folder and ingests again while the app runs."""
    reader = EmbeddedEngine(tmp_path)
    assert built(engine, [passage("a#0", "退货")]).name == "v0001"
    assert ids(by_words(reader, "退货").keyword) == ["a#0"]
    shutil.rmtree(tmp_path / "shop")
    with pytest.raises(IndexMissing):
        by_words(reader, "退货")
    assert built(EmbeddedEngine(tmp_path), [passage("b#0", "退货")]).name == "v0001"
    assert ids(by_words(reader, "退货").keyword) == ["b#0"]


def test_a_reader_keeps_what_it_holds_when_its_version_is_deleted(engine: EmbeddedEngine, tmp_path: Path) -> None:
    count = 300
    old = built(engine, [passage(f"a{n:03d}#0", f"退货说明{n}") for n in range(count)])
    held = EmbeddedEngine(tmp_path).snapshot("shop")
    built(engine, [passage("b#0", "退货")])
    engine.delete("shop", old.name)
    assert not (tmp_path / "shop" / old.name).exists()
    assert len(held.search(None, None, ANYBODY).keyword) == 0
    assert [held.store[n].id for n in range(count)] == [f"a{n:03d}#0" for n in range(count)]


def test_questions_during_switches_and_deletions_never_fail(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    reader = EmbeddedEngine(tmp_path)
    stop = threading.Event()
    failures: list[BaseException] = []

    def ask() -> None:
        while not stop.is_set():
            try:
                assert len(by_words(reader, "退货").keyword) == 1
            except BaseException as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(15):
        old = next(version.name for version in engine.versions("shop") if version.active)
        built(engine, [passage(f"n{number}#0", "退货")])
        engine.delete("shop", old)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_name_read_just_before_its_version_was_deleted_is_read_again(
    engine: EmbeddedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = built(engine, [passage("a#0", "退货")])
    built(engine, [passage("b#0", "退货")])
    engine.delete("shop", old.name)
    names = iter([old.name])
    really = Home.active
    monkeypatch.setattr(Home, "active", lambda home: next(names, None) or really(home))
    assert ids(by_words(EmbeddedEngine(tmp_path), "退货").keyword) == ["b#0"]


def test_many_threads_ask_one_engine(engine: EmbeddedEngine) -> None:
    count = 400
    chunks = [passage(f"s{n:03d}#0", f"退货第{n}条", *(["staff"] if n % 3 == 0 else [])) for n in range(count)]
    built(engine, chunks, directions(count))
    viewers = [Viewer(), Viewer(groups=frozenset({"staff"})), Viewer(sees_all=True)]

    def ask(n: int) -> tuple[list[str], list[str]]:
        viewer = viewers[n % 3]
        words = by_words(engine, f"退货第{n}条", viewer, 20)
        return ids(words.keyword), ids(by_vector(engine, directions(1, seed=n)[0], viewer, 20).vector)

    expected = [ask(n) for n in range(60)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, list(range(60)) * 4)) == expected * 4


def test_builds_started_at_once_get_folders_of_their_own(tmp_path: Path) -> None:
    engines = [EmbeddedEngine(tmp_path) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        builds = list(pool.map(lambda engine: engine.open_build(META), engines))
    assert len({build.version for build in builds}) == 8
    for build in builds:
        build.abandon()


def test_versions_are_listed_by_age_beyond_four_digits(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    (tmp_path / "shop" / "v0001").rename(tmp_path / "shop" / "v9999")
    assert built(engine, [passage("b#0", "退货")]).name == "v10000"
    assert [version.name for version in engine.versions("shop")] == ["v9999", "v10000"]


def test_the_files_are_mapped_not_read(engine: EmbeddedEngine) -> None:
    built(engine, [passage("a#0", "退货")])
    array = engine.snapshot("shop")._vectors
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    assert isinstance(array, np.memmap)


def test_closed_files_and_made_up_names_leave_no_trace(engine: EmbeddedEngine, tmp_path: Path) -> None:
    for n in range(20):
        with pytest.raises(IndexMissing):
            engine.meta(f"made-up-{n}")
    assert engine._homes == {}
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_deletion_is_out_of_sight_and_cleaned_up(
    engine: EmbeddedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = built(engine, [passage("a#0", "退货")])
    built(engine, [passage("b#0", "退货")])
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", lambda *_, **__: None)
        engine.delete("shop", old.name)
    (tmp_path / "shop" / "CURRENT.4711").write_text("v0001", encoding="utf-8")
    assert [version.name for version in engine.versions("shop")] == ["v0002"]
    assert engine.clean_up("shop") == [".deleted-v0001", "CURRENT.4711"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"v0009", b"../../etc", b"v0001 v0002", b"x" * 5000])
def test_a_damaged_pointer_is_one_sentence(engine: EmbeddedEngine, tmp_path: Path, content: bytes) -> None:
    built(engine, [passage("a#0", "退货")])
    (tmp_path / "shop" / "CURRENT").write_bytes(content)
    with pytest.raises(IndexMissing, match="python -m ingest shop"):
        by_words(engine, "退货")
    assert [version.active for version in engine.versions("shop")] == [False]
    engine.activate("shop", "v0001")
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]


def damaged(path: Path, how: str) -> None:
    if how == "gone":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-3])
    else:
        path.write_bytes(b"\0" * path.stat().st_size)


def file_names() -> list[str]:
    return [
        *("meta.json", "chunks.bin", "chunks.off.i64", "ids.bin", "ids.off.i64", "sources.bin", "sources.off.i64"),
        *("by_id.i32", "source_of.i32", "audience.i32", "audiences.json", "vectors.f32", "lengths.i32"),
        *("term.keys.u64", "post.off.i64", "post.chunks.i32", "post.counts.i32", "post.impacts.f32"),
    ]


def test_the_list_of_files_is_whole(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    assert sorted(path.name for path in (tmp_path / "shop" / "v0001").iterdir()) == sorted(file_names())


@pytest.mark.parametrize("how", ["gone", "empty", "cut"])
@pytest.mark.parametrize("name", file_names())
def test_a_damaged_file_is_one_sentence(tmp_path: Path, name: str, how: str) -> None:
    writer = EmbeddedEngine(tmp_path)
    built(writer, [passage("a#0", "退货"), passage("b#0", "运费", "staff")])
    damaged(tmp_path / "shop" / "v0001" / name, how)
    engine = EmbeddedEngine(tmp_path)
    with pytest.raises(KaijuanError, match="请运行 python -m ingest shop") as raised:
        by_words(engine, "退货")
        by_vector(engine, unit(1, 0, 0, 0))
    assert "\n" not in str(raised.value)
    assert len(engine.versions("shop")) == (0 if name == "meta.json" else 1)
    assert built(engine, [passage("c#0", "退货")]).name == "v0002"
    assert ids(by_words(engine, "退货").keyword) == ["c#0"]


def test_a_passage_overwritten_on_disk_is_one_sentence(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    damaged(tmp_path / "shop" / "v0001" / "chunks.bin", "zeros")
    with pytest.raises(EngineError, match="第 1 段已损坏"):
        by_words(EmbeddedEngine(tmp_path), "退货")


def test_a_damaged_version_is_not_activated(engine: EmbeddedEngine, tmp_path: Path) -> None:
    old = built(engine, [passage("a#0", "退货")])
    new = built(engine, [passage("b#0", "退货")])
    engine.activate("shop", old.name)
    damaged(tmp_path / "shop" / new.name / "post.impacts.f32", "cut")
    with pytest.raises(EngineError, match="已损坏"):
        EmbeddedEngine(tmp_path).activate("shop", new.name)
    assert ids(by_words(EmbeddedEngine(tmp_path), "退货").keyword) == ["a#0"]


def test_an_index_of_another_format_says_so_and_does_not_stop_a_new_one(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    file = tmp_path / "shop" / "v0001" / "meta.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "format": 1}), encoding="utf-8")
    with pytest.raises(IndexMismatch, match=r"格式是 1.*python -m ingest shop"):
        by_words(engine, "退货")
    assert engine.versions("shop") == []
    assert built(engine, [passage("b#0", "退货")]).name == "v0002"
    engine.delete("shop", "v0001")
    assert ids(by_words(engine, "退货").keyword) == ["b#0"]


def test_a_meta_that_contradicts_itself_is_refused(engine: EmbeddedEngine, tmp_path: Path) -> None:
    for embedder, dims in [("toy", 0), (None, 4)]:
        with pytest.raises(EngineError, match=f"{dims} 维"):
            built(engine, [], embedder=embedder, dims=dims)
    assert list(tmp_path.iterdir()) == []


def test_a_question_with_a_vector_of_no_numbers_is_refused(engine: EmbeddedEngine) -> None:
    built(engine, [passage("a#0", "退货")])
    with pytest.raises(EngineError, match="非有限"):
        by_vector(engine, np.full(4, np.nan, dtype=np.float32))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(EngineError, match="无法写入"):
        EmbeddedEngine(tmp_path).open_build(META)


def test_an_index_dir_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "index"
    file.write_text("x", encoding="utf-8")
    engine = EmbeddedEngine(file)
    with pytest.raises(EngineError, match="无法写入"):
        engine.open_build(META)
    with pytest.raises(IndexMissing):
        engine.meta("shop")


def test_a_disk_that_refuses_is_one_sentence_and_leaves_the_old_index(engine: EmbeddedEngine, tmp_path: Path) -> None:
    built(engine, [passage("a#0", "退货")])
    build = engine.open_build(META)
    build.add([passage("b#0", "退货")], directions(1))
    (tmp_path / "shop" / build.version).mkdir()
    (tmp_path / "shop" / build.version / "in-the-way").touch()
    with pytest.raises(EngineError, match="旧索引照常可用"):
        build.finish()
    build.abandon()
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]


def test_each_replacement_has_a_time_of_its_own(tmp_path: Path) -> None:
    """The system alone would stamp files written within milliseconds of each other alike."""
    for n in range(20):
        before = time.time_ns()
        replace_text(tmp_path / "CURRENT", str(n))
        assert before <= (tmp_path / "CURRENT").stat().st_mtime_ns <= time.time_ns()
    assert [path.name for path in tmp_path.iterdir()] == ["CURRENT"]


def test_home_keeps_its_folder_to_itself(tmp_path: Path) -> None:
    home = Home(tmp_path, "shop")
    assert home.active() is None
    assert home.finished() == []
    assert home.version_folder("../shop") is None
    assert home.identity("v00010000000000") is None
