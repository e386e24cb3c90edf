"""scripts/opensearch where something is missing: one clear sentence, and nothing left running."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kaijuan.settings import ROOT

SCRIPT = ROOT / "scripts" / "opensearch"
TOOLS = ["sh", "dirname", "pwd", "cat", "grep", "sed", "head", "tail", "mkdir", "rm", "id", "ps", "sleep", "basename"]


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder of the usual tools, without Java and Maven."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        if found := shutil.which(tool):
            (folder / tool).symlink_to(found)
    return folder


def run(tmp_path: Path, tools: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": str(tools), "KAIJUAN_OPENSEARCH_HOME": str(tmp_path / "home")}
    return subprocess.run(
        [tools / "sh", SCRIPT, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_without_java_one_sentence(tmp_path: Path, tools: Path) -> None:
    started = run(tmp_path, tools, "start")
    assert started.returncode == 1
    assert started.stdout == ""
    [line] = started.stderr.splitlines()
    assert "java was not found" in line
    assert "scripts/opensearch start" in line


@pytest.mark.parametrize(
    ("version", "words"), [("17.0.15", "mvn was not found"), ("1.8.0", "11 to 21"), ("24", "11 to 21")]
)
def test_without_maven_or_with_another_java_one_sentence(tmp_path: Path, tools: Path, version: str, words: str) -> None:
    java = tools / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    started = run(tmp_path, tools, "start")
    assert started.returncode == 1
    [line] = started.stderr.splitlines()
    assert words in line


def test_status_and_stop_where_nothing_runs(tmp_path: Path, tools: Path) -> None:
    assert run(tmp_path, tools, "status").returncode == 3
    assert run(tmp_path, tools, "stop").returncode == 0


def test_a_process_id_that_now_belongs_to_another_is_left_alone(tmp_path: Path, tools: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "server.pid").write_text(str(os.getpid()), encoding="utf-8")
    assert run(tmp_path, tools, "status").returncode == 3
    assert run(tmp_path, tools, "stop").returncode == 0


@pytest.mark.parametrize(
    "arguments", [[], ["restart"], ["start", "--fast"], ["start", "--port", "many"], ["fetch", "--all"]]
)
def test_a_word_it_does_not_know_is_named(tmp_path: Path, tools: Path, arguments: list[str]) -> None:
    done = run(tmp_path, tools, *arguments)
    assert done.returncode in (1, 2)
    assert len(done.stderr.splitlines()) == 1
