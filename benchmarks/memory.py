"""Memory of a process that opens an index and answers questions; run in a process of its own: python -m benchmarks.memory.

Standard input: {"index_dir", "collection", "dims", "questions"}; standard output: bytes by kind.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from kaijuan.engines.base import KeywordQuery, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.text import query_terms
from kaijuan.types import Viewer

_KINDS = {"RssAnon": "own", "RssFile": "mapped"}


def searching_memory(index_dir: Path, collection: str, dims: int, questions: list[str]) -> dict[str, int]:
    """Bytes that opening and searching add to a fresh process: {"own", "mapped"} (mapped pages are shared and evictable)."""
    asked = json.dumps({"index_dir": str(index_dir), "collection": collection, "dims": dims, "questions": questions})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory"],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    grown: dict[str, int] = json.loads(done.stdout)
    return grown


def _resident() -> dict[str, int]:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return {name: int(fields[kind].split()[0]) * 1024 for kind, name in _KINDS.items()}


def _main() -> None:
    asked = json.load(sys.stdin)
    vectors = np.random.default_rng(1).standard_normal((len(asked["questions"]), asked["dims"]), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    terms = [query_terms(question) for question in asked["questions"]]
    _ = vectors @ vectors[0]  # the arithmetic library's own threads and buffers are not the index's
    before = _resident()
    engine = EmbeddedEngine(Path(asked["index_dir"]))
    for own, vector in zip(terms, vectors, strict=True):
        engine.search(asked["collection"], KeywordQuery(own, 50), VectorQuery(vector, 50), Viewer())
    after = _resident()
    print(json.dumps({name: after[name] - before[name] for name in before}))


if __name__ == "__main__":
    _main()
