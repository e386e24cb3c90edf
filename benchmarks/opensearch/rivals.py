"""The frameworks' end in this process: each runs benchmarks/frameworks.py in its own environment and is asked question by question."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.material import Material
from benchmarks.opensearch.queries import SIZE
from benchmarks.opensearch.timing import Subject
from kaijuan.engines.opensearch.client import Server

NAMES = ("haystack", "langchain", "llama-index")
#: Ending of the name under which a framework's own two searches are timed as a bare call.
OWN_BARE = ", its searches bare"
SCRIPT = Path(__file__).parents[1] / "frameworks.py"


class Framework:
    """One framework's process; raises FrameworkFailed when it cannot be used."""

    def __init__(self, name: str, python: Path, material: Path) -> None:
        self._hits: list[int] = []
        self._process = subprocess.Popen(
            [python, "-I", SCRIPT, name, material],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        try:
            ready = self._answer()
        except FrameworkFailed:
            self.close()
            raise
        if "failed" in ready:
            self.close()
            raise FrameworkFailed(ready["failed"])
        self.version: str = ready["version"]

    def subject(self, bare: bool) -> Subject:
        """Its retrieval, or its own searches alone; the time is taken in its process."""

        def ask(question: int) -> float:
            assert self._process.stdin is not None
            print(json.dumps({"ask": question, "bare": bare}), file=self._process.stdin, flush=True)
            answer = self._answer()
            self._hits.append(answer["hits"])
            return float(answer["seconds"])

        return ask

    @property
    def hits(self) -> float:
        """How many passages a question brought, at the median."""
        return statistics.median(self._hits) if self._hits else 0.0

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise FrameworkFailed(f"its process ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


class FrameworkFailed(Exception):
    """A framework could not be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """The frameworks that run, with their subjects, and why the others do not."""

    subjects: dict[str, Subject] = field(default_factory=dict)
    running: dict[str, Framework] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def notes(self) -> dict[str, str]:
        """What to say of each: its versions and how many passages it brought, or why it is missing."""
        return self.missing | {
            name: f"{framework.version} ({framework.hits:.0f} passages a question)"
            for name, framework in self.running.items()
        }


@contextmanager
def running_rivals(server: Server, python: Path, material: Material, folder: Path) -> Iterator[Rivals]:
    """Start every framework, each with an index of its own under the run's prefix; they end with the block."""
    rivals = Rivals()
    with ExitStack() as stack:
        for name in NAMES:
            file = _write(server, name, material, folder)
            try:
                framework = Framework(name, python, file)
            except FrameworkFailed as failed:
                rivals.missing[name] = str(failed)
                continue
            stack.callback(framework.close)
            rivals.running[name] = framework
            rivals.subjects[name] = framework.subject(bare=False)
            rivals.subjects[name + OWN_BARE] = framework.subject(bare=True)
        yield rivals


def _write(server: Server, name: str, material: Material, folder: Path) -> Path:
    vectors, asked = folder / "vectors.npy", folder / "questions.npy"
    np.save(vectors, material.vectors)
    np.save(asked, material.question_vectors)
    file = folder / f"{name}.json"
    described = {
        "url": server.url,
        "index": f"{server.prefix}{name}",
        "size": SIZE,
        "ids": [chunk.id for chunk in material.chunks],
        "texts": [chunk.search_text for chunk in material.chunks],
        "questions": material.questions,
        "vectors": str(vectors),
        "question_vectors": str(asked),
    }
    file.write_text(json.dumps(described, ensure_ascii=False), encoding="utf-8")
    return file
