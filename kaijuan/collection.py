"""A collection: one folder of documents with its collection.toml and questions.jsonl.

collection.toml: name, title, description, leg_size, chunk_chars, overlap_chars, examples; for a corpus with a
keyword baseline a table [baseline] with its refusal threshold, for one with self-checks a table [checks] with the
questions they ask; groups that a document's audience may name, and a table [limits] of how large a file may be.
Tables [[tour]] (step, question, look, role) are this collection's stops of the demonstration's tour,
[[talks]] (questions, thumb, reason, handed_over) the conversations that it begins with.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kaijuan.errors import CollectionNotFound, CorpusError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
_THUMBS: Mapping[object, Literal["up", "down"] | None] = {None: None, "up": "up", "down": "down"}


@dataclass(frozen=True, slots=True)
class Stop:
    """One question of the tour: its place among the stops of all collections, and in one line what to look at.

    Where a `role` is named, the question is to be asked once more as that one.
    """

    step: int
    question: str
    look: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation to be had for a demonstration: its questions one after the other, and what is thought of the last.

    With `handed_over` the last question becomes a ticket, for the same reason.
    """

    questions: tuple[str, ...]
    thumb: Literal["up", "down"] | None = None
    reason: str = ""
    handed_over: bool = False


@dataclass(frozen=True, slots=True)
class Collection:
    """Settings of one collection; `leg_size` hits are taken from each leg, sizes are in characters.

    `groups` are the groups that a document's audience may name, empty when any may; `limits` those of one file.
    """

    name: str
    folder: Path
    title: str
    description: str = ""
    leg_size: int = 50
    chunk_chars: int = 512
    overlap_chars: int = 64
    examples: tuple[str, ...] = ()
    baseline_threshold: float | None = None
    checks: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    tour: tuple[Stop, ...] = ()
    talks: tuple[Talk, ...] = ()

    @property
    def questions_file(self) -> Path:
        """The labelled questions beside the documents."""
        return self.folder / "questions.jsonl"

    @property
    def synonyms_file(self) -> Path:
        """The synonyms beside the documents."""
        return self.folder / "synonyms.txt"


def load_collection(corpus_dir: Path, name: str) -> Collection:
    """The collection of this name; raises CollectionNotFound, or CorpusError when its file cannot be read."""
    file = corpus_dir / name / "collection.toml"
    if not _NAME.match(name) or not file.is_file():
        known = "、".join(collection_names(corpus_dir)) or "（无）"
        raise CollectionNotFound(f"没有名为“{name[:64]}”的集合，现有：{known}。")
    try:
        stored = tomllib.loads(file.read_text(encoding="utf-8"))
        collection = Collection(
            name=name,
            folder=file.parent,
            title=str(stored.get("title", name)),
            description=str(stored.get("description", "")),
            leg_size=int(stored.get("leg_size", 50)),
            chunk_chars=int(stored.get("chunk_chars", 512)),
            overlap_chars=int(stored.get("overlap_chars", 64)),
            examples=_texts(stored.get("examples", []), "examples"),
            baseline_threshold=_number(stored.get("baseline", {}).get("threshold")),
            groups=_texts(stored.get("groups", []), "groups"),
            limits=dict(stored.get("limits", {})),
            checks={str(key): str(value) for key, value in stored.get("checks", {}).items()},
            tour=tuple(map(_stop, stored.get("tour", []))),
            talks=tuple(map(_talk, stored.get("talks", []))),
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError, ValueError, AttributeError) as error:
        raise CorpusError(f"集合文件 {name}/collection.toml 无法读取（{error}），请修正后重试。") from error
    if not 1 <= collection.leg_size <= 1000:
        raise CorpusError(f"集合 {name} 的 leg_size 是 {collection.leg_size}，请改为 1 到 1000 之间的数。")
    return collection


def _texts(value: object, key: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(f"{key} 应为列表")
    return tuple(map(str, value))


def _stop(table: Mapping[str, object]) -> Stop:
    step, question, look = (table.get(key) for key in ("step", "question", "look"))
    if not isinstance(step, int) or not question or not look:
        raise ValueError("[[tour]] 的每一项都要有 step（整数）、question 和 look")
    return Stop(step, str(question), str(look), str(table.get("role", "")))


def _talk(table: Mapping[str, object]) -> Talk:
    questions, thumb = _texts(table.get("questions"), "questions"), table.get("thumb")
    if not questions or thumb not in _THUMBS:
        raise ValueError("[[talks]] 的每一项都要有 questions，thumb 只能是 up 或 down")
    return Talk(questions, _THUMBS[thumb], str(table.get("reason", "")), bool(table.get("handed_over", False)))


def _number(value: object) -> float | None:
    if value is not None and not isinstance(value, int | float):
        raise TypeError("threshold 应为数字")
    return value


def collection_names(corpus_dir: Path) -> list[str]:
    """Names of all collections, sorted."""
    if not corpus_dir.is_dir():
        return []
    return sorted(p.parent.name for p in corpus_dir.glob("*/collection.toml") if _NAME.match(p.parent.name))
