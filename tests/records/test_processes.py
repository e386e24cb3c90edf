"""Several processes on one file: none loses an answer, and one that is killed leaves it whole."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kaijuan.records.read import answer, answers, count
from kaijuan.records.store import Records
from kaijuan.records.types import Filter
from tests.records.made import PATIENCE, Clock, record, rows, whole
from tests.records.processes import program, writer

WRITERS, EACH = 4, 200


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.sqlite"


@pytest.fixture
def killing() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended after the test, whatever happened."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def _complete(path: Path) -> int:
    """How many answers there are, after it was checked that none is without its rows."""
    found = answers(Records(path, 90, Clock()), Filter(), limit=10_000).items
    made = record(Clock())
    assert rows(path, "hits") == len(found) * len(made.hits)
    assert rows(path, "context") == len(found) * len(made.context)
    assert rows(path, "stages") == len(found) * len(made.stages)
    return len(found)


@pytest.mark.slow
def test_four_processes_that_begin_the_file_together_lose_nothing(
    path: Path, tmp_path: Path, killing: list[subprocess.Popen[str]]
) -> None:
    start = tmp_path / "start"
    killing += [writer(path, EACH, f"p{n}", start) for n in range(WRITERS)]
    start.touch()
    said: list[str] = []
    for process in killing:
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        said += out.split()
    assert len(set(said)) == WRITERS * EACH
    records = Records(path, 90, Clock())
    assert {found.id for found in answers(records, Filter(), limit=10_000).items} == set(said)
    assert _complete(path) == WRITERS * EACH and whole(path)
    for n in range(WRITERS):
        turns = [found.turn for found in answers(records, Filter(viewer=f"p{n}"), limit=EACH).items]
        assert sorted(turns) == list(range(1, EACH + 1))


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 20, 57])
def test_a_process_killed_while_it_writes_loses_nothing_that_was_written(
    path: Path, tmp_path: Path, killing: list[subprocess.Popen[str]], after: int
) -> None:
    start = tmp_path / "start"
    start.touch()
    killing += [writer(path, 100_000, "killed", start), writer(path, 30, "spared", start)]
    killed, spared = killing
    assert killed.stdout is not None
    said = [killed.stdout.readline().strip() for _ in range(after)]
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(PATIENCE) == -signal.SIGKILL
    said += killed.stdout.read().split()
    out, err = spared.communicate(timeout=PATIENCE)
    assert spared.returncode == 0, err
    records = Records(path, 90, Clock())
    found = {kept.id for kept in answers(records, Filter(), limit=100_000).items}
    # One more than it said may have been written when it was killed.
    assert found >= {*said, *out.split()} and len(found) <= len(said) + 30 + 1
    assert _complete(path) == len(found) and whole(path)
    assert records.keep(record(Clock())) is None


@pytest.mark.slow
def test_a_process_killed_in_the_middle_of_a_transaction_leaves_nothing_of_it(
    path: Path, tmp_path: Path, killing: list[subprocess.Popen[str]]
) -> None:
    records = Records(path, 90, Clock())
    before = record(Clock())
    records.write(before)
    start = tmp_path / "start"
    start.touch()
    killing.append(writer(path, -1, "half", start))
    half = killing[0]
    assert half.stdout is not None and half.stdout.readline() == "begun\n"
    log = path.with_name("records.sqlite-wal")
    assert log.stat().st_size > 4_000_000, "the log holds part of what was not finished"
    locked = Records(path, 90, Clock(), patience=0.1).keep(record(Clock()))
    assert locked is not None and "占用" in locked.text
    half.send_signal(signal.SIGKILL)
    assert half.wait(PATIENCE) == -signal.SIGKILL
    assert count(records, Filter()) == 1 and answer(records, before.id) == before
    assert records.keep(record(Clock())) is None
    assert _complete(path) == 2 and whole(path)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts the open files of a process in /proc")
def test_a_forked_process_opens_its_own_connection(path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from kaijuan.records.read import count
from kaijuan.records.store import Records
from kaijuan.records.types import Filter
from tests.records.made import Clock, record

path = Path(sys.argv[1])
records = Records(path, 90, Clock())
records.write(record(Clock()))

def opened():
    return [file.resolve() for file in Path("/proc/self/fd").iterdir()].count(path.resolve())

inherited = opened()
child = os.fork()
for _ in range(50):
    records.write(record(Clock()))
if child == 0:
    os._exit(0 if opened() > inherited else 1)
assert os.waitpid(child, 0)[1] == 0
assert opened() == inherited
print(count(records, Filter()))
"""
    ran = program(code, str(path))
    assert (ran.returncode, ran.stdout.strip()) == (0, "101"), ran.stderr
    assert whole(path)
