"""What reading a folder gives: the documents, what was left out and why, and what deserves a look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kaijuan.errors import CorpusError
from kaijuan.types import Document

ReasonCode = Literal[
    "empty", "unknown type", "duplicate id", "outside folder", "unreadable",
    "encrypted", "damaged", "old format", "too large", "broken line", "no reader", "no text",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Skipped:
    """One file, or one record of a file, that was left out.

    `path` is relative to the folder, `message` one sentence for the report; `line` (from 1) is where a record of the
    file begins whose other records were read, None for a whole file.
    """

    path: str
    reason_code: ReasonCode
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ReadResult:
    """One folder as read, in the order of its paths; `warnings` are sentences about documents that were read."""

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()


class ReadError(CorpusError):
    """One file cannot be taken in; `reason_code` says of which kind the reason is."""

    def __init__(self, message: str, reason_code: ReasonCode = "unreadable") -> None:
        super().__init__(message)
        self.reason_code: ReasonCode = reason_code
