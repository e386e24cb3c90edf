"""Reindexing in the background: a thread of the server does the ingest, a state file tells every page how far it is.

One job a collection, data/jobs/NAME.json. A job holds a lock that the operating system lets go of when its process
ends: a state that says "running" without that lock is of a job that was killed, and is shown as ended.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal

from kaijuan.collection import Collection
from kaijuan.errors import IngestError, IngestLocked, KaijuanError
from kaijuan.indexing.gate import GateRefused
from kaijuan.indexing.ingest import Ingesting, IngestReport, ingest
from kaijuan.indexing.report import write_report

State = Literal["running", "done", "refused", "failed", "ended"]
#: Told how many are done now and how many there are.
Steps = Callable[[int, int], None]
#: Seconds between two writings of the progress alone.
_EVERY = 0.2
#: Seconds that a start waits for a lock that a reader may be probing.
_PATIENCE = 0.5

_log = logging.getLogger("kaijuan.jobs")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a job's log: ISO time, what happened (a key for the pages' sentences) and its values."""

    at: str
    what: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """A reindex as its state file has it; `stage` is read, embed, judge or warm, `done` of `total` within it.

    `gate` is the verdict of a refused build (Verdict.as_note).
    """

    collection: str
    state: State
    started: str
    force: bool = False
    stage: str = "read"
    done: int = 0
    total: int = 0
    log: tuple[Line, ...] = ()
    gate: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What a job works with: an ingest's tools, the folder of reports, what is prepared once the build answers."""

    collection: Collection
    tools: Ingesting
    reports: Path
    warm: Callable[[Steps], object] | None = None


class _Keeper:
    """Keeps a running job's state file up to date; used by its thread alone."""

    def __init__(self, file: Path, job: Job) -> None:
        self._file, self._written = file, 0.0
        self.job = job

    def set(self, **values: Any) -> None:
        self.job = replace(self.job, **values)
        self._write()

    def say(self, what: str, **values: Any) -> None:
        self.set(log=(*self.job.log, Line(_now(), what, values)))

    def stage(self, name: str) -> None:
        self.set(stage=name, done=0, total=0)

    def step(self, done: int, total: int) -> None:
        self.job = replace(self.job, done=done, total=total)
        if done == total or time.monotonic() - self._written > _EVERY:
            self._write()

    def _write(self) -> None:
        unfinished = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        unfinished.write_text(json.dumps(asdict(self.job), ensure_ascii=False), encoding="utf-8")
        unfinished.replace(self._file)
        self._written = time.monotonic()


def start_job(folder: Path, work: Work, force: bool = False) -> threading.Thread:
    """Start reindexing a collection in the background; its thread, for those who want to wait.

    `force` lets a build answer that the gate would refuse. Raises IngestLocked while another job of the collection is
    running, IngestError when the folder cannot be written.
    """
    name = work.collection.name
    lock = _hold(folder, name)
    try:
        keeper = _Keeper(folder / f"{name}.json", Job(name, "running", _now(), force))
        keeper.say("forced" if force else "started")
    except OSError as error:
        lock.close()
        raise _unwritable(folder, error) from error
    thread = threading.Thread(target=_run, args=(lock, keeper, work, force), name=f"job {name}", daemon=True)
    thread.start()
    return thread


def read_job(folder: Path, name: str) -> Job | None:
    """The last job of a collection, None when there was none; one whose process is gone has ended."""
    job = _stored(folder, name)
    if job is None or job.state != "running" or _is_held(folder, name):
        return job
    job = _stored(folder, name)  # it may have finished between the two looks
    return replace(job, state="ended") if job and job.state == "running" else job


def _run(lock: IO[str], keeper: _Keeper, work: Work, force: bool) -> None:
    """The whole job; whatever goes wrong becomes its state, and the lock is let go last."""
    name = work.collection.name
    try:
        _reindex(keeper, work, force)
    except GateRefused as refused:
        note = refused.verdict.as_note()
        keeper.say("gate", **note)
        keeper.set(state="refused", gate=note)
    except KaijuanError as error:
        keeper.say("failed", error=str(error))
        keeper.set(state="failed")
    except Exception as error:  # the page must learn that it is over, whatever it was
        _log.error("job %s: %s", name, type(error).__name__, exc_info=error)
        with suppress(OSError):
            keeper.say(
                "failed", error=f"集合 {name} 的重建出了意外（{type(error).__name__}），请查看服务器日志后重试。"
            )
            keeper.set(state="failed")
    finally:
        lock.close()


def _reindex(keeper: _Keeper, work: Work, force: bool) -> None:
    def progress(stage: str, done: int, total: int) -> None:
        if keeper.job.stage != stage:
            keeper.stage(stage)
            keeper.say(stage, total=total)
        keeper.step(done, total)
        if done == total:
            keeper.stage("judge")
            keeper.say("judge")

    report = ingest(work.collection, work.tools, progress, force)
    _say_report(keeper, report)
    if work.warm:
        keeper.stage("warm")
        work.warm(keeper.step)
    # Not a failure of the job: the new version answers already.
    try:
        write_report(report, work.reports)
    except IngestError as error:
        keeper.say("noted", sentence=str(error))
    keeper.say("done", version=report.version)
    keeper.set(state="done")


def _say_report(keeper: _Keeper, report: IngestReport) -> None:
    counted = {"documents": report.documents, "chunks": report.chunks, "embedded": report.embedded}
    keeper.say(
        "unchanged" if report.unchanged else "switched",
        version=report.version,
        seconds=round(report.seconds, 1),
        **counted,
    )
    if report.gate:
        keeper.say("gate", **report.gate.as_note())
    left = len(report.skipped) + len(report.rejected)
    if left or report.warnings:
        keeper.say("left_out", left=left, warnings=len(report.warnings))


def _stored(folder: Path, name: str) -> Job | None:
    try:
        plain = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        return Job(**{**plain, "log": tuple(Line(**line) for line in plain["log"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None  # none yet, or written by another program version


def _hold(folder: Path, name: str) -> IO[str]:
    """The collection's lock, held until it is closed."""
    until = time.monotonic() + _PATIENCE
    while True:
        with _lock_file(folder, name) as (file, taken):
            if taken:
                return file
        if time.monotonic() > until:
            raise IngestLocked(f"集合 {name} 正在重建索引，请等它结束后再开始。")
        time.sleep(0.02)


def _is_held(folder: Path, name: str) -> bool:
    with _lock_file(folder, name) as (file, taken):
        file.close()
        return not taken


@contextmanager
def _lock_file(folder: Path, name: str) -> Iterator[tuple[IO[str], bool]]:
    """The lock file and whether its lock was free and is ours now; it is closed unless it was."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / f"{name}.lock").open("a", encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from error
    taken = True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        taken = False
    try:
        yield file, taken
    finally:
        if not taken:
            file.close()


def _unwritable(folder: Path, error: OSError) -> IngestError:
    return IngestError(f"任务目录 {folder} 无法写入（{error.strerror}），请检查 KAIJUAN_DATA_DIR 的目录和权限。")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
