"""Ingests as processes of their own: one at a time, and one that is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kaijuan.errors import IngestLocked
from kaijuan.indexing.lock import ingest_lock
from kaijuan.settings import ROOT
from tests.indexing.workplace import DOCUMENTS, NAME, VIEWER, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

#: Seconds until a process that should have come to its mark long ago is given up.
PATIENCE = 120.0


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@contextmanager
def _stopped_ingest(place: Workplace) -> Iterator[subprocess.Popen[bytes]]:
    """An ingest of its own process that holds the lock and has written part of its build."""
    mark = place.root / "mark"
    mark.unlink(missing_ok=True)
    arguments = [str(place.settings.corpus_dir), str(place.settings.data_dir), str(mark)]
    process = subprocess.Popen([sys.executable, "-m", "tests.indexing.workplace", *arguments], cwd=ROOT)
    try:
        end = time.monotonic() + PATIENCE
        while not mark.is_file():
            assert process.poll() is None and time.monotonic() < end, "the ingest did not come to its mark"
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


def _command(place: Workplace, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ingest", *arguments],
        cwd=ROOT,
        env={**os.environ, **place.environment},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


def test_a_killed_ingest_leaves_the_old_build_answering_and_the_next_one_cleans_up(place: Workplace) -> None:
    first = place.ingest(LetterEmbedder()).version
    services = place.services(LetterEmbedder())
    for name in DOCUMENTS:
        place.write(name, DOCUMENTS[name] + "\n\n新增一句。\n")
    with _stopped_ingest(place) as process:
        assert place.versions() == {first: True} and place.left_behind()
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert place.versions() == {first: True}
    left = place.left_behind()
    assert left and not any("新增" in text for text in place.found("新增一句", LetterEmbedder()))
    report = place.ingest(LetterEmbedder())
    assert sorted(report.cleaned) == left and place.left_behind() == []
    assert not report.unchanged and report.documents == 3
    assert any("新增" in chunk.text for chunk in services.engine.document(NAME, "d1", VIEWER))


def test_the_very_first_ingest_killed_leaves_no_index_and_can_be_repeated(place: Workplace) -> None:
    with _stopped_ingest(place):
        pass
    assert place.versions() == {}
    assert place.ingest(LetterEmbedder()).cleaned != () and place.left_behind() == []
    assert place.found("SF-3000 打不开", LetterEmbedder())


def test_a_second_ingest_is_told_so_in_one_sentence_and_changes_nothing(place: Workplace) -> None:
    with _stopped_ingest(place) as process:
        before = place.left_behind()
        for arguments in ((NAME,), ("rollback", NAME)):
            second = _command(place, *arguments)
            assert second.returncode == 1 and "版本" not in second.stdout
            said = second.stderr.strip()
            assert said.count("\n") == 0 and said.endswith("。") and "Traceback" not in said
            assert NAME in said and str(process.pid) in said
        assert place.left_behind() == before, "somebody else's unfinished build was cleaned away"
    third = _command(place, NAME)
    assert third.returncode == 0, third.stderr
    assert "清理" in third.stdout


def test_the_lock_is_let_go_when_the_ingest_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), ingest_lock(tmp_path, "tiny"):
        raise RuntimeError
    with ingest_lock(tmp_path, "tiny"):
        pass


def test_another_collection_is_not_locked(tmp_path: Path) -> None:
    with ingest_lock(tmp_path, "one"), ingest_lock(tmp_path, "two"):
        again = ingest_lock(tmp_path, "one")
        with pytest.raises(IngestLocked, match=str(os.getpid())):
            again.__enter__()
