"""Calling the product's commands, in a process of their own or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from kaijuan.settings import ROOT

#: A command's main with its arguments, called as the interpreter would.
Run = Callable[..., "Ended"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls mains in this process."""

    def call(main: Callable[[Sequence[str]], int], *arguments: str) -> Ended:
        capsys.readouterr()
        try:
            status = main(list(arguments))
        except SystemExit as stopped:  # argparse ends so after a wrong call
            status = int(stopped.code or 0)
        captured = capsys.readouterr()
        return Ended(status, captured.out, captured.err)

    return call


def process(module: str, *arguments: str) -> Ended:
    """`python -m module` with this environment."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def check_one_sentence(ended: Ended, *words: str) -> None:
    """An error is one sentence on stderr that names what it is about, and nothing on stdout."""
    said = ended.err.strip()
    assert (ended.status, ended.out) == (1, ""), ended
    assert "Traceback" not in said and "\n" not in said and said.endswith("。"), said
    assert all(word in said for word in words), said
