"""`index.reindex-live`: questions asked while an ingest runs, and an ingest that is killed half way.

The killed one is a process of its own: `python -m tests.field.live FOLDER KILL_AT ENGINE URL PREFIX` ingests the staging
in FOLDER and ends itself with SIGKILL before it embeds passage number KILL_AT.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from kaijuan.settings import ROOT
from tests.field.cases import Case
from tests.field.indexing import write_documents
from tests.field.outcome import Check, Mismatch, compare, equal
from tests.field.staging import COLLECTION, Staging, Store, Workshop
from tests.field.stand_ins import StandInEmbedder

_OLD, _NEW = "第一版", "第二版"
_QUESTION = "资料正文"
#: Seconds that an ingest waits for the questions that are to be asked meanwhile, and a process for its end.
_PATIENCE = 20.0


def run(case: Case, workshop: Workshop) -> None:
    """Ingest the old documents, then the new ones, under the eyes of somebody who keeps asking."""
    with workshop.staging() as staging:
        write_documents(staging, int(case.input["old_docs"]), _OLD)
        staging.ingest(StandInEmbedder())
        if "kill_at" in case.input:
            case.only_inputs("old_docs", "new_docs", "kill_at")
            compare(case.exact, _killed(staging, int(case.input["new_docs"]), int(case.input["kill_at"])))
        else:
            case.only_inputs("old_docs", "new_docs", "queries_during_reindex")
            questions = int(case.input.get("queries_during_reindex", 20))
            compare(case.exact, _asked(staging, int(case.input["new_docs"]), questions))


class Counting:
    """Calls something before its passage number `at`, passages counted from 1."""

    def __init__(self, at: int, then: Callable[[], None]) -> None:
        self._at, self._then, self._count = at, then, 0

    def __call__(self) -> None:
        self._count += 1
        if self._count == self._at:
            self._then()


def _killed(staging: Staging, new: int, at: int) -> dict[str, Check]:
    _replace_documents(staging, new)
    command = [sys.executable, "-m", "tests.field.live", str(staging.root), str(max(1, min(at, new)))]
    command += [staging.store.engine, staging.store.url, staging.store.prefix]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if ended.returncode != -signal.SIGKILL:
        raise Mismatch("the ingest was not killed", -signal.SIGKILL, f"{ended.returncode} {ended.stderr[-200:]}")
    after_kill = _seen(staging)
    staging.ingest(StandInEmbedder())
    after_rerun = _seen(staging)
    if left := staging.services().engine.clean_up(COLLECTION):
        raise Mismatch("the half-built index was left behind", "nothing", left)
    return {
        "count_after_kill": equal(len(after_kill)),
        "count_after_rerun": equal(len(after_rerun)),
        "mixed": equal(_is_mixed(after_kill) or _is_mixed(after_rerun)),
    }


def _asked(staging: Staging, new: int, questions: int) -> dict[str, Check]:
    """Every passage of the new build waits for its share of the questions, so that all of them fall into the ingest."""
    _replace_documents(staging, new)
    seen: list[list[str]] = []
    errors: list[Exception] = []
    progress, finished = threading.Condition(), threading.Event()
    waited_for = 0

    def ask() -> None:
        try:
            while not finished.is_set():
                found = _seen(staging)
                with progress:
                    seen.append(found)
                    progress.notify_all()
        except Exception as error:
            errors.append(error)

    def wait() -> None:
        nonlocal waited_for
        waited_for += 1
        with progress:
            progress.wait_for(lambda: errors or len(seen) >= waited_for * questions / new, timeout=_PATIENCE)

    reader = threading.Thread(target=ask)
    reader.start()
    try:
        staging.ingest(StandInEmbedder(before_passage=wait))
    finally:
        finished.set()
        reader.join()
    if errors:
        raise Mismatch("a question asked during the ingest failed", "an answer", repr(errors[0]))
    if len(seen) < questions:
        raise Mismatch("questions during the ingest", questions, len(seen))
    seen.append(_seen(staging))
    if any(_is_mixed(found) for found in seen) or len(seen[-1]) != new:
        raise Mismatch("old and new documents were seen together, or the new ones not at all", new, len(seen[-1]))
    counts = sorted({len(found) for found in seen})
    return {
        "allowed_counts": lambda allowed: _allowed(counts, allowed),
        "zero_seen": equal(0 in counts),
    }


def _allowed(counts: list[int], allowed: list[int]) -> None:
    if not set(counts) <= set(allowed):
        raise Mismatch("counts seen", allowed, counts)


def _replace_documents(staging: Staging, count: int) -> None:
    for file in staging.folder.glob("d*.md"):
        file.unlink()
    write_documents(staging, count, _NEW)


def _seen(staging: Staging) -> list[str]:
    """The generation of every document that a question finds now."""
    texts = [hit.chunk.text for hit in staging.keyword_trace(_QUESTION).keyword]
    return [_OLD if _OLD in text else _NEW for text in texts]


def _is_mixed(found: list[str]) -> bool:
    return len(set(found)) > 1


def _kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _ingest_and_die(folder: Path, at: int, store: Store) -> None:
    Staging(folder, store).ingest(StandInEmbedder(before_passage=Counting(at, _kill_this_process)))


if __name__ == "__main__":
    _ingest_and_die(Path(sys.argv[1]), int(sys.argv[2]), Store(*sys.argv[3:]))
