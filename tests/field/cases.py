"""A field case as its file gives it, and what can be read from beside it.

Everything is read through `Case`, so that a key nobody looks at is noticed instead of being passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.field.outcome import Later

Level = Literal["must", "should"]
CASES_FILE = "cases.jsonl"
#: What a case may say about one of its documents.
DOCUMENT_KEYS = frozenset({"id", "text", "title", "date", "department"})


class CasesError(Exception):
    """The folder's case file cannot be read; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case; `folder` is where its `files/…` names start, `input` holds a top-level `file` as well."""

    id: str
    kind: str
    folder: Path
    level: Level = "must"
    input: Mapping[str, Any] = field(default_factory=dict)
    exact: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """The part of the kind before the dot."""
        return self.kind.partition(".")[0]

    def only_inputs(self, *known: str) -> None:
        """Raise Later when the situation has a side that these keys do not cover."""
        if unknown := [key for key in self.input if key not in known]:
            raise Later(f"unknown key input.{', input.'.join(unknown)}")

    def path(self, name: str) -> Path:
        """A file beside the cases."""
        return self.folder / name

    def documents(self) -> list[dict[str, Any]]:
        """The case's documents, given in the case or in a file of one JSON object a line."""
        rows = [dict(row) for row in self.input.get("docs", ())]
        if "docs_file" in self.input:
            text = self.path(self.input["docs_file"]).read_text(encoding="utf-8-sig")
            rows += [json.loads(line) for line in text.split("\n") if line.strip()]
        if unknown := sorted({key for row in rows for key in row} - DOCUMENT_KEYS):
            raise Later(f"unknown key docs.{', docs.'.join(unknown)}")
        return rows

    def questions(self) -> list[str]:
        """The case's question, or its questions that are tried one by one."""
        if "query_file" in self.input:
            return [self.path(self.input["query_file"]).read_text(encoding="utf-8-sig")]
        given = self.input.get("query", self.input.get("question", ()))
        return [given] if isinstance(given, str) else [str(one) for one in given]


def load_cases(folder: Path) -> list[Case]:
    """The cases of a folder in file order; raises CasesError naming the line that is wrong."""
    file = folder / CASES_FILE
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CasesError(f"{file} cannot be read ({error}); give a folder that holds {CASES_FILE}.") from error
    return list(_cases(folder, lines))


def _cases(folder: Path, lines: Iterable[str]) -> Iterable[Case]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _case(folder, json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CasesError(f"{folder / CASES_FILE} line {number} is no case ({error!r}); mend the line.") from error


def _case(folder: Path, row: Mapping[str, Any]) -> Case:
    expected = row.get("expect", {})
    given = dict(row.get("input", {}))
    if "file" in row:
        given["file"] = row["file"]
    return Case(
        id=str(row["id"]),
        kind=str(row["kind"]),
        folder=folder,
        # Anything but an explicit "should" counts in full: a misspelt level must not make a case harmless.
        level="should" if expected.get("level") == "should" else "must",
        input=given,
        exact=dict(expected.get("exact", {})),
    )
