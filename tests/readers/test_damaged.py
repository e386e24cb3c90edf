"""Damaged files: whatever is done to a file, nothing crashes or hangs, and what is lost is said in one sentence.

KAIJUAN_DAMAGED=2000 reads so many damaged files of each format in place of 60; with `-s` the figures are shown.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kaijuan.settings import ROOT
from tests.mixed_files import FORMS
from tests.readers.damage import LIMIT, damaged, samples

COUNT = int(os.environ.get("KAIJUAN_DAMAGED", "60"))
#: Seconds in which a file is read on any machine; what waits for something else than the processor is found by it.
PATIENCE = 60
_QUOTED = re.compile("“[^”]*”?")


@dataclass(slots=True)
class Run:
    """What became of the damaged files of one format; `lost` are those at which the process ended."""

    outcomes: list[dict[str, Any]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_read_or_reported(tmp_path: Path, form: str) -> None:
    run = _run(form, COUNT, tmp_path)
    print(_figures(form, run))
    assert run.lost == []
    assert len(run.outcomes) == COUNT
    assert [o["name"] for o in run.outcomes if not o["documents"] and not o["sentences"]] == []
    assert [(o["name"], s) for o in run.outcomes for s in o["sentences"] if not _is_one_sentence(s, o["name"])] == []
    assert [(o["name"], o["unforeseen"][0]) for o in run.outcomes if o["unforeseen"]] == []


def test_a_number_gives_the_same_file_again(tmp_path: Path) -> None:
    whole = samples("docx", tmp_path)
    assert len(whole) == 2
    made = [damaged("docx", number, whole) for number in range(12)]
    assert made == [damaged("docx", number, whole) for number in range(12)]
    # Suffixes aside, all but a file that was renamed differ from the whole ones.
    assert {name.split("-")[1].split(".")[0] for name, data in made if data not in whole} >= {
        "cut",
        "flipped",
        "inside",
    }


def _run(form: str, count: int, folder: Path) -> Run:
    """Read all numbers, a new process beginning behind a file at which the last one ended."""
    run = Run()
    first = 0
    while first < count:
        lines, why = _process(form, first, count, folder)
        run.outcomes += [line for line in lines if "seconds" in line]
        if not why:
            break
        last = lines[-1] if lines else {"number": count, "name": "?"}
        run.lost.append(f"{last['name']}: {why}")
        first = last["number"] + 1
    return run


def _process(form: str, first: int, last: int, folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The lines of one process, and why it ended early, empty where it did not."""
    command = [sys.executable, "-m", "tests.readers.damage", form, str(first), str(last), str(folder)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, timeout=PATIENCE + LIMIT * (last - first), encoding="utf-8"
        )
    except subprocess.TimeoutExpired as error:
        said = error.stdout.decode("utf-8") if isinstance(error.stdout, bytes) else error.stdout or ""
        return _lines(said), "waits for ever"
    if not done.returncode:
        return _lines(done.stdout), ""
    if done.returncode == -signal.SIGPROF:
        return _lines(done.stdout), f"more than {LIMIT} seconds of processor time"
    return _lines(done.stdout), f"ended with {done.returncode}: {done.stderr[-600:]}"


def _lines(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith("\n")]


def _is_one_sentence(said: str, name: str) -> bool:
    """Whether a report is one sentence that names the file; what it quotes may be anything."""
    plain = _QUOTED.sub("", said)
    return name in said and plain.count("。") == 1 and plain.endswith("。") and "\n" not in said and len(said) < 400


def _figures(form: str, run: Run) -> str:
    slowest = sorted(run.outcomes, key=lambda o: (-o["seconds"], o["name"]))[:1]
    kinds = Counter(
        "read" if not o["sentences"] else "read with a remark" if o["documents"] else "refused" for o in run.outcomes
    )
    unforeseen = sum(bool(o["unforeseen"]) for o in run.outcomes)
    worst = "".join(f"{o['seconds']:.2f} s ({o['name']})" for o in slowest)
    return f"\n{form}: {dict(sorted(kinds.items()))}, unforeseen {unforeseen}, lost {len(run.lost)}, slowest {worst}"
