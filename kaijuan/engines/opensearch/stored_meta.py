"""What an index says about itself in the `_meta` of its mapping; without `finished` there it is no version yet."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from kaijuan.engines.base import BuildMeta, Version
from kaijuan.errors import IndexMismatch

#: Form of the documents and of `_meta`; raised whenever they change.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Counts:
    """What a build holds: chunks, documents, and the terms of all chunks together (their extras not counted)."""

    chunks: int = 0
    documents: int = 0
    terms: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """One finished build as its index describes it; `build` tells it from any other that had the same name.

    What was noted about it later makes it no other build.
    """

    index: str
    version: str
    build: str
    meta: BuildMeta
    counts: Counts
    notes: dict[str, Any] = field(default_factory=dict, compare=False)

    def as_version(self, active: bool) -> Version:
        """The build as the engine lists it."""
        return Version(self.version, active, self.counts.chunks, self.counts.documents, self.meta, self.notes)


def to_meta(meta: BuildMeta, build: str, schema: str, counts: Counts | None) -> Any:
    """`_meta` of a build; without counts it is unfinished."""
    return {
        "format": FORMAT,
        "build": build,
        "schema": schema,
        "finished": counts is not None,
        "counts": asdict(counts or Counts()),
        **{f"meta_{name}": value for name, value in asdict(meta).items()},
    }


def is_finished(stored: Any) -> bool:
    """Whether `_meta` is that of a finished build, of whatever format."""
    return isinstance(stored, dict) and stored.get("finished") is True


def from_meta(stored: Any, index: str, version: str, collection: str) -> Stored:
    """The build that `_meta` describes; raises IndexMismatch when it is of another format or not ours."""
    try:
        if stored["format"] != FORMAT:
            raise ValueError(f"格式是 {stored['format']}，本程序需要 {FORMAT}")
        meta = {name.removeprefix("meta_"): v for name, v in stored.items() if name.startswith("meta_")}
        counts = Counts(**stored["counts"])
        return Stored(index, version, stored["build"], BuildMeta(**meta), counts, dict(stored.get("notes") or {}))
    except (KeyError, TypeError, ValueError) as error:
        raise IndexMismatch(
            f"索引 {index} 的说明读不懂（{error}），请运行 python -m ingest {collection} 重建。"
        ) from error
