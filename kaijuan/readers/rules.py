"""Rules: what a collection lays down for the reading of its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kaijuan.collection import Collection
from kaijuan.readers.limits import Limits, limits_of
from kaijuan.readers.remarks import Warn
from kaijuan.readers.result import Skipped
from kaijuan.types import Document

#: What reads one file's content, its remarks going to the given place.
Reading = Callable[[Warn], Sequence[Document | Skipped]]
#: What may stand in front of it (path, name, where remarks go, what reads): a cache.
InFront = Callable[[Path, str, Warn, Reading], Sequence[Document | Skipped]]


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits of one file, the groups that an audience may name (any, where none are listed), and a cache to ask first."""

    limits: Limits = field(default_factory=Limits)
    groups: tuple[str, ...] = ()
    in_front: InFront | None = field(default=None, compare=False)


def rules_of(collection: Collection) -> Rules:
    """The rules in a collection's collection.toml; raises CorpusError for limits that there are not."""
    return Rules(limits_of(collection.limits, collection.name), collection.groups)
