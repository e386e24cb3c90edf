"""The native files of RGB (Chen et al., AAAI 2024): given passages, does the answer hold, refuse, join and tell disputes?

Each question sees its own passages and no others: all of them stand in one temporary collection, and each question asks
as a viewer who may read only its own. So the whole way is tested, the permission filter included.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kaijuan.answering.answer import Answering
from kaijuan.answering.types import Answer
from kaijuan.engines.base import BuildMeta, Engine
from kaijuan.errors import CorpusError
from kaijuan.evaluation.answers import Share, ask
from kaijuan.indexing.build import build, corpus_hash
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.text import ANALYZER, fold
from kaijuan.types import Chunk, Viewer

FILES = ("noise_refusal.jsonl", "integration.jsonl", "conflict.jsonl")
COLLECTION = "dataset-rgb-native"
#: Passages that a question sees, and how many of them are negatives where there are positives too.
PASSAGES, NOISE = 5, 3


@dataclass(frozen=True, slots=True)
class Task:
    """One question with the passages that it sees.

    kind: noise (must hold the answer), refusal (negatives only), integration (all parts), conflict (right and wrong).
    `parts` are what the answer must hold, each with its alternatives; `wrong` is the false answer of a conflict.
    """

    id: str
    kind: str
    question: str
    passages: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class RgbFigures:
    """What came of it.

    held and joined: answers that hold the answer, all of its parts. refused: negatives alone refused. false_refusals:
    refused although a positive was there. told: conflicts named; false_alone: the false answer given and nothing else.
    """

    held: Share
    joined: Share
    refused: Share
    false_refusals: Share
    told: Share
    false_alone: Share
    rows: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return asdict(self)


def load_tasks(folder: Path) -> tuple[Task, ...]:
    """All tasks of the three files; raises CorpusError when one is missing or cannot be read."""
    return tuple(task for name in FILES for row in _rows(folder / name) for task in _tasks(name, row))


def evaluate_rgb(
    tasks: Sequence[Task],
    answering: Answering,
    vector_cache: Path,
    progress: Callable[[int], None] | None = None,
) -> RgbFigures:
    """Index the tasks' passages once and answer every task."""
    _index(tasks, answering.stages.engine, answering, vector_cache)
    rows = []
    for task in tasks:
        viewer = Viewer(name="evaluation", groups=frozenset({_group(task)}))
        rows.append(_row(task, ask(task.question, COLLECTION, answering, viewer)))
        if progress:
            progress(1)
    return _figures(rows)


def _tasks(name: str, row: dict[str, Any]) -> Iterator[Task]:
    negative = list(row["negative"])
    if name == "noise_refusal.jsonl":
        parts, positive = _parts(row["answer"]), list(row["positive"])
        if positive:
            mixed = (*positive[: PASSAGES - NOISE], *negative[:NOISE])
            yield Task(row["id"], "noise", row["query"], mixed, parts)
        if negative:
            yield Task(f"{row['id']}-none", "refusal", row["query"], tuple(negative[:PASSAGES]), parts)
    elif name == "integration.jsonl":
        own = [part[0] for part in row["positive"] if part]
        mixed = (*own, *negative[: max(0, PASSAGES - len(own))])
        yield Task(row["id"], "integration", row["query"], mixed, _parts(row["answer"]))
    else:
        mixed = (*row["positive"][:2], *row["positive_wrong"][:2])
        yield Task(row["id"], "conflict", row["query"], mixed, _parts(row["answer"]), str(row["fakeanswer"]))


def _parts(given: str | list[Any]) -> tuple[tuple[str, ...], ...]:
    """Parts of an answer, each as its alternatives: an inner list holds alternatives, an outer one the parts."""
    parts = [given] if isinstance(given, str) else given
    return tuple(tuple(map(str, part)) if isinstance(part, list) else (str(part),) for part in parts)


def _group(task: Task) -> str:
    return f"task {task.id}"


def _index(tasks: Sequence[Task], engine: Engine, answering: Answering, vector_cache: Path) -> None:
    embedder = answering.stages.embedder
    chunks = [
        Chunk(f"{task.id}#{place}", f"{task.id}-{place}", "", text, end=len(text), audience=(_group(task),))
        for task in tasks
        for place, text in enumerate(task.passages)
    ]
    meta = BuildMeta(
        collection=COLLECTION,
        embedder=embedder.name if embedder else None,
        dims=embedder.dims if embedder else 0,
        chunking="passages",
        analyzer=ANALYZER,
        corpus_hash=corpus_hash(chunks),
        created="",
        form=engine.form,
    )
    versions = engine.versions(COLLECTION)
    if any(v.active and replace(v.meta, created="") == meta for v in versions):
        return
    with VectorCache(vector_cache) as cache:
        engine.activate(COLLECTION, build(engine, meta, chunks, embedder, cache).version.name)
    for old in versions:
        engine.delete(COLLECTION, old.name)


def _row(task: Task, own: Answer | None) -> dict[str, Any]:
    refused = own is None or own.refused
    text = "" if own is None or own.refused else own.text
    held = [_holds(text, part) for part in task.parts]
    return {
        "id": task.id,
        "kind": task.kind,
        "question": task.question,
        "refused": refused,
        "held": all(held) and bool(held),
        "false": bool(task.wrong) and _holds(text, (task.wrong,)),
        "told": own is not None and bool(own.conflicts),
        "text": text,
    }


def _holds(text: str, alternatives: Sequence[str]) -> bool:
    plain = "".join(fold(text).split())
    return any("".join(fold(alternative).split()) in plain for alternative in alternatives)


def _figures(rows: Sequence[dict[str, Any]]) -> RgbFigures:
    def share(kind: str, holds: Callable[[dict[str, Any]], bool]) -> Share:
        own = [row for row in rows if row["kind"] == kind]
        return Share(sum(holds(row) for row in own), len(own))

    answerable = [row for row in rows if row["kind"] != "refusal"]
    return RgbFigures(
        held=share("noise", lambda row: bool(row["held"])),
        joined=share("integration", lambda row: bool(row["held"])),
        refused=share("refusal", lambda row: bool(row["refused"])),
        false_refusals=Share(sum(row["refused"] for row in answerable), len(answerable)),
        # Both answers side by side name the disagreement too, whoever put them there.
        told=share("conflict", lambda row: bool(row["told"]) or (row["held"] and row["false"])),
        false_alone=share("conflict", lambda row: row["false"] and not row["held"]),
        rows=tuple(rows),
    )


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"数据集文件 {file.name} 无法读取（{error}），请检查目录。") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                row = json.loads(line)
                row["query"], row["negative"]
            except (ValueError, KeyError, TypeError) as error:
                raise CorpusError(f"文件 {file.name} 第 {number} 行无法读取（{error}），请修正。") from error
            yield row
