"""What became of each file of a collection: documents, chunks, warnings, and why something of it was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kaijuan.readers import ReadResult, Skipped
from kaijuan.types import Chunk


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file: how many documents and chunks it gave, sentences about it, and what of it was left out.

    `path` is relative to the collection's folder.
    """

    path: str
    documents: int
    chunks: int
    warnings: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def file_reports(read: ReadResult, chunks: Sequence[Chunk]) -> tuple[FileReport, ...]:
    """Every file that was read or left out, by its path."""
    paths = {document.id: document.path or document.id for document in read.documents}
    documents = Counter(paths.values())
    pieces = Counter(paths[chunk.source_id] for chunk in chunks)
    skipped: dict[str, list[Skipped]] = {}
    for one in read.skipped:
        skipped.setdefault(one.path, []).append(one)
    names = sorted(documents.keys() | skipped.keys())
    warnings = _by_file(read.warnings, names)
    return tuple(
        FileReport(name, documents[name], pieces[name], tuple(warnings[name]), tuple(skipped.get(name, ())))
        for name in names
    )


def _by_file(warnings: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """A reader's sentence begins with its file's name and a blank; of two names that fit, the longer is meant."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for warning in warnings:
        words = str(warning).split(" ")
        starts = [" ".join(words[:length]) for length in range(len(words) - 1, 0, -1)]
        if name := next((start for start in starts if start in found), None):
            found[name].append(str(warning))
    return found
