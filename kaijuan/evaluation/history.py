"""The history of evaluations: one JSON line a run under data/evaluations/NAME/, with all that says what it can be compared to.

Two runs may be compared when the settings and the questions are the same; the index version is what is compared.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from kaijuan.errors import CorpusError
from kaijuan.evaluation.frozen import questions_hash
from kaijuan.evaluation.metrics import bootstrap
from kaijuan.evaluation.questions import Question
from kaijuan.evaluation.run import Comparison, EvaluationResult, TierResult

_FILE = "runs.jsonl"
#: What differs between two runs so that their figures say nothing about the index alone.
Difference = Literal["settings", "questions"]


@dataclass(frozen=True, slots=True)
class Run:
    """One run as kept: ISO time, hashes of the settings and of the labelled questions, and its result."""

    at: str
    settings: str
    questions: str
    result: EvaluationResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question before and after, for one figure (0 to 1); `id` and `question` as labelled."""

    id: str
    question: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """What was won, negative for what was lost."""
        return self.after - self.before


def new_run(result: EvaluationResult, questions: Sequence[Question], settings: str) -> Run:
    """A result that has just been measured, with its time and the hash of the questions that have gold."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return Run(at, settings, questions_hash([q for q in questions if q.gold]), result)


def keep_run(folder: Path, run: Run) -> None:
    """Add a run to its collection's history; raises CorpusError when that cannot be written."""
    file = folder / run.result.name / _FILE
    plain = {"at": run.at, "settings": run.settings, "questions": run.questions, "result": run.result.to_json()}
    line = json.dumps(plain, ensure_ascii=False).encode("utf-8") + b"\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stored:
            if stored.tell() and not _ends_whole(file):
                line = b"\n" + line  # what an interrupted run left must not swallow this one
            stored.write(line)
            stored.flush()
            os.fsync(stored.fileno())
    except OSError as error:
        raise CorpusError(
            f"评测记录 {file} 无法写入（{error.strerror}），请检查 KAIJUAN_DATA_DIR 的目录和权限。"
        ) from error


def load_runs(folder: Path, name: str) -> list[Run]:
    """All runs of a collection that can be read, oldest first; a line that was cut off is passed over.

    Raises CorpusError when the file is there and cannot be read.
    """
    file = folder / name / _FILE
    if not file.is_file():
        return []
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise CorpusError(f"评测记录 {file} 无法读取（{error.strerror}），请检查目录和权限。") from error
    return sorted(_runs(lines), key=lambda run: run.at)


def differences(one: Run, other: Run) -> tuple[Difference, ...]:
    """Why the figures of two runs cannot be laid to the index alone; empty when they can be compared."""
    found: list[Difference] = []
    if one.settings != other.settings:
        found.append("settings")
    if one.questions != other.questions:
        found.append("questions")
    return tuple(found)


def outcomes(
    before: EvaluationResult, before_tier: str, after: EvaluationResult, after_tier: str, figure: str
) -> list[Outcome]:
    """Questions that both hold with the same text and gold, those that changed most first, then by id."""
    known = {_key(row): row for row in before.questions}
    found = [
        Outcome(
            str(row["id"]),
            str(row["question"]),
            float(known[_key(row)]["tiers"][before_tier][figure]),
            float(row["tiers"][after_tier][figure]),
        )
        for row in after.questions
        if _key(row) in known
    ]
    return sorted(found, key=lambda one: (-abs(one.change), one.change, one.id))


def compared(found: Sequence[Outcome], figure: str) -> Comparison | None:
    """The paired comparison with its bootstrap interval; None of nothing."""
    changes = [one.change for one in found]
    interval = bootstrap(changes)
    if interval is None:
        return None
    wins, losses = sum(c > 0 for c in changes), sum(c < 0 for c in changes)
    return Comparison(figure, sum(changes) / len(changes), interval, wins, losses, len(changes) - wins - losses)


def _ends_whole(file: Path) -> bool:
    with file.open("rb") as stored:
        stored.seek(-1, os.SEEK_END)
        return stored.read(1) == b"\n"


def _runs(lines: Sequence[bytes]) -> Iterator[Run]:
    for line in lines:
        try:
            plain = json.loads(line)
            yield Run(plain["at"], plain["settings"], plain["questions"], _result(plain["result"]))
        except (ValueError, KeyError, TypeError):
            continue  # the rest of an interrupted write, or the form of another program version


def _result(plain: Mapping[str, Any]) -> EvaluationResult:
    tiers = tuple(
        TierResult(
            **{
                **tier,
                "comparisons": tuple(
                    Comparison(**{**c, "interval": tuple(c["interval"])}) for c in tier["comparisons"]
                ),
            }
        )
        for tier in plain["tiers"]
    )
    return EvaluationResult(**{**plain, "tiers": tiers, "questions": tuple(plain["questions"])})


def _key(row: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    return str(row["id"]), str(row["question"]), tuple(map(str, row["gold"]))
