"""Processes of their own that write into one file of records."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kaijuan.settings import ROOT


def writer(path: Path, number: int, name: str, start: Path) -> subprocess.Popen[str]:
    """A process that writes so many answers once `start` is there, and says the id of each; see tests.records.made."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.records.made", str(path), str(number), name, str(start)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def program(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a short program came to."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
