"""Running cases: by kind to the module that can stage it, within a time limit, never ending in a traceback."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from tests.field import (
    answering,
    chunking,
    citing,
    cjk,
    dates,
    drawing,
    evaluating,
    fusing,
    indexing,
    life,
    live,
    paths,
    worded,
)
from tests.field.cases import Case
from tests.field.outcome import Later, Mismatch, Outcome, Status
from tests.field.staging import EMBEDDED, OPENSEARCH, EngineName, Workshop

#: Seconds a case may take.
LIMIT = 60.0

Stage = Callable[[Case, Workshop], None]

_LATER: dict[str, str] = {}
_GROUPS: dict[str, Stage] = {
    "cjk": cjk.run,
    "query": cjk.run,
    "chunk": chunking.run,
    "parse": chunking.run,
    "fuse": fusing.run,
    "cite": citing.run,
    "eval": evaluating.run,
    "answer": answering.run,
    "date": dates.run,
    "knn": indexing.run,
    "index": indexing.run,
    "life": life.run,
    "llm": worded.run,
    "sec": worded.run,
    "ui": drawing.run,
}
#: Stages whose outcome is the search engine's.
_ON_AN_ENGINE = (cjk.run, indexing.run, life.run, live.run, answering.run)


class OutOfTime(BaseException):
    """A case ran longer than its limit. No Exception, so that nothing on the way can take it for an error of its own."""


def engines_of(case: Case, engines: Sequence[EngineName]) -> Sequence[EngineName]:
    """Those of the engines on which a case is worth running; the embedded one where it has no part in the case."""
    try:
        stage = _stage(case)
        if stage is indexing.run and OPENSEARCH in engines and indexing.needs_opensearch(case):
            return [OPENSEARCH]
    except Exception:  # what is wrong with the case is said when it runs
        return [EMBEDDED]
    return engines if stage in _ON_AN_ENGINE else [EMBEDDED]


def run_case(case: Case, workshop: Workshop, limit: float = LIMIT) -> Outcome:
    """Run one case; whatever happens comes back as its outcome."""
    outcome = _run(case, workshop, limit)
    return replace(outcome, place="OpenSearch") if workshop.engine == OPENSEARCH else outcome


def _run(case: Case, workshop: Workshop, limit: float) -> Outcome:
    missed: Status = "should" if case.level == "should" else "FAIL"
    try:
        with _time_limit(limit):
            _stage(case)(case, workshop)
    except Later as later:
        return Outcome(case.id, case.kind, "later", str(later))
    except Mismatch as mismatch:
        return Outcome(case.id, case.kind, missed, str(mismatch))
    except OutOfTime:
        return Outcome(case.id, case.kind, missed, f"still running after {limit:g} s")
    except Exception as error:  # any error is a result here, and one line of it is what the reader needs
        return Outcome(case.id, case.kind, missed, f"{type(error).__name__}: {error}")
    return Outcome(case.id, case.kind, "ok")


def _stage(case: Case) -> Stage:
    if case.group in _LATER:
        raise Later(_LATER[case.group])
    if "files" in case.input:
        return life.run
    # Whatever its kind says, a case of one file and no question is about reading that file.
    if "file" in case.input and not case.questions():
        return chunking.run
    if case.kind == "index.reindex-live":
        return live.run
    if case.kind == "sec.path":
        return paths.run
    if case.group not in _GROUPS:
        raise Later(f"unknown kind {case.kind}")
    return _GROUPS[case.group]


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Break off what runs longer; without signals (outside the main thread) there is no limit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
