"""Reindexing in the background: what its state file says while it runs, when it is over, and when it was killed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kaijuan.errors import IngestError, IngestLocked
from kaijuan.indexing.jobs import Job, Steps, Work, read_job, start_job
from kaijuan.indexing.lock import ingest_lock
from kaijuan.settings import ROOT
from kaijuan.wiring import Services
from tests.indexing.workplace import DOCUMENTS, NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

#: Seconds after which a job that should be over long ago is given up.
PATIENCE = 120.0


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@pytest.fixture
def folder(place: Workplace) -> Path:
    return place.settings.data_dir / "jobs"


def _work(services: Services) -> Work:
    return Work(services.collection(NAME), services.ingesting(), services.settings.data_dir / "reports")


def _done(folder: Path, work: Work, force: bool = False) -> Job:
    start_job(folder, work, force).join(PATIENCE)
    job = read_job(folder, NAME)
    assert job is not None
    return job


def test_a_job_indexes_and_tells_its_stages(place: Workplace, folder: Path) -> None:
    assert read_job(folder, NAME) is None
    job = _done(folder, _work(place.services(LetterEmbedder())))
    assert job.state == "done" and place.versions() == {"v0001": True}
    assert [line.what for line in job.log] == ["started", "embed", "judge", "switched", "gate", "done"]
    assert next(line for line in job.log if line.what == "switched").values["documents"] == len(DOCUMENTS)
    assert (place.settings.data_dir / "reports" / NAME / "latest.html").is_file()


def test_an_unchanged_collection_stays_as_it_is(place: Workplace, folder: Path) -> None:
    _done(folder, _work(place.services()))
    job = _done(folder, _work(place.services()))
    assert "unchanged" in [line.what for line in job.log] and place.versions() == {"v0001": True}


def test_one_job_of_a_collection_at_a_time(place: Workplace, folder: Path) -> None:
    services = place.services()
    go, waiting = threading.Event(), threading.Event()

    def warm(steps: Steps) -> None:
        steps(1, 4)
        waiting.set()
        assert go.wait(PATIENCE)

    work = Work(services.collection(NAME), services.ingesting(), folder.parent / "reports", warm)
    thread = start_job(folder, work)
    try:
        assert waiting.wait(PATIENCE)
        job = read_job(folder, NAME)
        assert job is not None and (job.state, job.stage) == ("running", "warm")
        with pytest.raises(IngestLocked, match="正在重建索引"):
            start_job(folder, work)
    finally:
        go.set()
        thread.join(PATIENCE)
    job = read_job(folder, NAME)
    assert job is not None and job.state == "done"


def test_a_killed_job_is_shown_as_ended_and_another_can_start(place: Workplace, folder: Path) -> None:
    mark = place.root / "mark"
    arguments = [str(place.settings.corpus_dir), str(place.settings.data_dir), str(mark)]
    process = subprocess.Popen([sys.executable, "-m", "tests.indexing.stopping_job", *arguments], cwd=ROOT)
    try:
        end = time.monotonic() + PATIENCE
        while not mark.is_file():
            assert process.poll() is None and time.monotonic() < end, "the job did not come to its mark"
            time.sleep(0.02)
        job = read_job(folder, NAME)
        assert job is not None and job.state == "running"
        with pytest.raises(IngestLocked):
            start_job(folder, _work(place.services()))
    finally:
        process.kill()
        process.wait()
    job = read_job(folder, NAME)
    assert job is not None and job.state == "ended"
    assert _done(folder, _work(place.services())).state == "done"


def test_a_refused_build_keeps_its_figures_and_can_be_forced(place: Workplace, folder: Path) -> None:
    gold = {"id": "q1", "question": "电子发票的抬头可以修改吗", "gold": ["d2#0"]}
    place.write("questions.jsonl", json.dumps(gold, ensure_ascii=False) + "\n")
    assert _done(folder, _work(place.services())).state == "done"
    (place.folder / "发票.md").unlink()
    job = _done(folder, _work(place.services()))
    assert job.state == "refused" and place.versions() == {"v0001": True}
    assert job.gate is not None and job.gate["lost"] == ["q1"]
    assert (job.gate["before"]["recall5"], job.gate["after"]["recall5"]) == (1.0, 0.0)
    forced = _done(folder, _work(place.services()), force=True)
    assert (forced.state, forced.force) == ("done", True)
    assert [name for name, active in place.versions().items() if active] != ["v0001"]


def test_what_goes_wrong_is_said(place: Workplace, folder: Path) -> None:
    with ingest_lock(place.settings.data_dir / "locks", NAME):
        job = _done(folder, _work(place.services()))
    assert job.state == "failed" and "正在由进程" in job.log[-1].values["error"]


def test_a_fault_of_the_program_ends_the_job_with_one_sentence(place: Workplace, folder: Path) -> None:
    class Broken(LetterEmbedder):
        def passage(self, text: str) -> object:  # type: ignore[override]
            raise ZeroDivisionError("secret")

    job = _done(folder, _work(place.services(Broken())))
    said = job.log[-1].values["error"]
    assert job.state == "failed" and said.endswith("。") and "secret" not in said


def test_a_folder_that_cannot_be_written_is_said(place: Workplace, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(IngestError, match="KAIJUAN_DATA_DIR"):
        start_job(folder, _work(place.services()))


def test_a_state_of_another_program_version_is_no_job(place: Workplace, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / f"{NAME}.json").write_text('{"collection": "tiny", "novel": 1, "log": []}', encoding="utf-8")
    assert read_job(folder, NAME) is None
