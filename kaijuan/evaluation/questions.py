"""Labelled questions: a collection's questions.jsonl, or a data set folder (corpus.jsonl, queries.jsonl, qrels.tsv)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kaijuan.errors import CorpusError
from kaijuan.types import Chunk


@dataclass(frozen=True, slots=True)
class Question:
    """One labelled question; `gold` holds chunk ids or document ids and is empty for one that cannot be answered."""

    id: str
    text: str
    gold: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Passages and questions from outside, one passage a chunk."""

    name: str
    chunks: tuple[Chunk, ...]
    questions: tuple[Question, ...]


def load_questions(file: Path) -> tuple[Question, ...]:
    """Questions of a collection in file order; raises CorpusError naming file and line."""
    return tuple(
        Question(str(row["id"]), str(row["question"]), tuple(map(str, row["gold"])), str(row.get("kind", "")))
        for row in _rows(file, ("id", "question", "gold"))
    )


def load_dataset(folder: Path) -> Dataset:
    """A data set folder; raises CorpusError naming what is missing."""
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        if not (folder / name).is_file():
            raise CorpusError(
                f"数据集 {folder.name} 缺少文件 {name}，请给出含 corpus.jsonl、queries.jsonl、qrels.tsv 的目录。"
            )
    chunks = tuple(
        Chunk(id=str(row["id"]), source_id=str(row["id"]), title=str(row.get("title", "")), text=str(row["text"]))
        for row in _rows(folder / "corpus.jsonl", ("id", "text"))
    )
    gold: dict[str, list[str]] = {}
    for query, passage in _relevant(folder / "qrels.tsv"):
        gold.setdefault(query, []).append(passage)
    questions = tuple(
        Question(str(row["id"]), str(row["text"]), tuple(gold.get(str(row["id"]), ())))
        for row in _rows(folder / "queries.jsonl", ("id", "text"))
    )
    return Dataset(folder.name, chunks, questions)


def frozen_hash(folder: Path) -> str:
    """SHA-256 over a collection's questions, labels and documents: equal only when none of them was touched."""
    digest = hashlib.sha256()
    for file in sorted([*folder.glob("*.md"), folder / "questions.jsonl"]):
        digest.update(file.name.encode("utf-8") + b"\0" + file.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def _relevant(file: Path) -> Iterator[tuple[str, str]]:
    """Question and passage of every label above 0; the first line names the columns."""
    for number, line in enumerate(_text(file).split("\n"), start=1):
        if number == 1 or not line.strip():
            continue
        try:
            query, passage, relevance = line.rstrip("\r").split("\t")
            wanted = float(relevance) > 0
        except ValueError as error:
            raise CorpusError(
                f"文件 {file.name} 第 {number} 行应为制表符分隔的问题编号、段落编号和相关度，请修正。"
            ) from error
        if wanted:
            yield query, passage


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"文件 {file.name} 无法读取（{error}），请检查后重试。") from error


def _rows(file: Path, keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise CorpusError(f"文件 {file.name} 第 {number} 行不是 JSON（{error}），请修正。") from error
        if missing := [key for key in keys if not isinstance(row, dict) or key not in row]:
            raise CorpusError(f"文件 {file.name} 第 {number} 行缺少字段 {'、'.join(missing)}，请补上。")
        if "gold" in keys and not isinstance(row["gold"], list):
            raise CorpusError(f"文件 {file.name} 第 {number} 行的 gold 应为编号的列表，请修正。")
        yield row
