"""Watching: edit a file, ask again; a real process, real files."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kaijuan.indexing.lock import ingest_lock
from kaijuan.indexing.watch import Watch, snapshot
from kaijuan.settings import ROOT
from tests.indexing.workplace import DOCUMENTS, NAME, VIEWER, Workplace

#: Seconds until something that should have happened long ago is given up.
PATIENCE = 120.0


class _Watching:
    """A running `ingest --watch` and the lines that it says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        threading.Thread(target=lambda: [self._lines.put(line) for line in process.stdout or ()], daemon=True).start()

    def line(self, words: str) -> str:
        """The next line that holds these words."""
        end = time.monotonic() + PATIENCE
        heard = []
        while time.monotonic() < end:
            try:
                heard.append(self._lines.get(timeout=0.2))
            except queue.Empty:
                assert self.process.poll() is None, heard
                continue
            if words in heard[-1]:
                return heard[-1]
        raise AssertionError(heard)


@contextmanager
def _watching(place: Workplace) -> Iterator[_Watching]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ingest", NAME, "--watch"],
        cwd=ROOT,
        env={**os.environ, **place.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        yield _Watching(process)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def test_edit_a_file_ask_again(place: Workplace) -> None:
    services = place.services()
    with _watching(place) as watching:
        watching.line("已切换到版本 v0001")
        assert any("七天" in chunk.text for chunk in services.engine.document(NAME, "d1", VIEWER))
        place.write("退货.md", DOCUMENTS["退货.md"].replace("七天", "十五天"))
        said = watching.line("已切换到版本 v0002")
        seconds = re.search(r"从保存到可检索 (\d+\.\d) 秒", said)
        assert seconds and float(seconds[1]) >= 1.0, said
        # An engine that was open all the time answers with the edit.
        assert any("十五天" in chunk.text for chunk in services.engine.document(NAME, "d1", VIEWER))
        assert "十五天" in services.answer("几天内可以退货", NAME, VIEWER).text
        (place.folder / "型号.txt").unlink()
        watching.line("已切换到版本 v0003")
        assert services.engine.source_ids(NAME, VIEWER) == ["d1", "d2"]
        watching.process.send_signal(signal.SIGINT)
        watching.line("已停止监视")
        assert watching.process.wait(PATIENCE) == 0
    assert place.left_behind() == []


def test_what_goes_wrong_is_one_sentence_and_the_watching_goes_on(place: Workplace) -> None:
    with _watching(place) as watching:
        watching.line("已切换到版本 v0001")
        place.write("collection.toml", "chunk_chars = 0\n")
        said = watching.line("片段长度上限")
        assert said.rstrip().endswith("。")
        place.write("collection.toml", 'title = "小集合"\n')
        watching.line("没有变化")
        place.write("退货.md", DOCUMENTS["退货.md"].replace("七天", "九天"))
        watching.line("已切换到版本 v0002")


def test_an_edit_while_another_process_indexes_is_not_lost(place: Workplace) -> None:
    with _watching(place) as watching:
        watching.line("已切换到版本 v0001")
        with ingest_lock(place.settings.data_dir / "locks", NAME):
            place.write("退货.md", DOCUMENTS["退货.md"].replace("七天", "九天"))
            assert str(os.getpid()) in watching.line("正在由进程")
        watching.line("已切换到版本 v0002")


def test_edits_come_to_rest_before_they_count_and_their_time_is_the_last_one(tmp_path: Path) -> None:
    watch = Watch(tmp_path, interval=0.02, settle=0.2)
    for n in range(3):
        (tmp_path / "a.md").write_text(f"{n}", encoding="utf-8")
        time.sleep(0.05)
    last = (tmp_path / "a.md").stat().st_ctime
    assert watch.wait() == pytest.approx(last, abs=1e-6)


def test_an_edit_between_two_waits_counts(tmp_path: Path) -> None:
    watch = Watch(tmp_path, interval=0.02, settle=0.05)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("a", encoding="utf-8")
    watch.wait()
    (tmp_path / "sub" / "a.md").unlink()
    before = time.time()
    assert watch.wait() >= before


def test_a_file_of_the_same_size_with_its_old_time_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("七天", encoding="utf-8")
    before, stat = snapshot(tmp_path), file.stat()
    time.sleep(0.02)
    file.write_text("八天", encoding="utf-8")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert snapshot(tmp_path) != before


def test_hidden_files_and_a_folder_that_is_gone_are_nothing(tmp_path: Path) -> None:
    (tmp_path / ".a.md.swp").write_text("", encoding="utf-8")
    assert snapshot(tmp_path) == {} and snapshot(tmp_path / "none") == {}
