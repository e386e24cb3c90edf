"""`sec.path`: what is read of paths that lead out of the document folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kaijuan.readers import ReadError, read_file
from kaijuan.types import Document
from tests.field.cases import Case
from tests.field.outcome import Mismatch, compare
from tests.field.staging import Workshop


def run(case: Case, workshop: Workshop) -> None:
    """Read every path of the case; what lies outside exists, so that only its place can keep it out."""
    case.only_inputs("root", "paths")
    with workshop.staging() as staging:
        root = staging.folder / str(case.input["root"])
        root.mkdir()
        for path in case.input["paths"]:
            _put(root / path, staging.root)
        served = {path: _served(root / path, root) for path in case.input["paths"]}
    compare(case.exact, {"served": lambda wanted: _same(wanted, served)})


def _put(path: Path, within: Path) -> None:
    """Put a file where the path leads, as long as that is in the case's own folder."""
    for directory in (path.parent, path.resolve().parent):
        if directory.resolve().is_relative_to(within.resolve()):
            directory.mkdir(parents=True, exist_ok=True)
    if path.resolve().is_relative_to(within.resolve()):
        path.resolve().write_text("一份资料的正文。\n", encoding="utf-8")


def _served(path: Path, root: Path) -> bool:
    try:
        return any(isinstance(one, Document) for one in read_file(path, root))
    except ReadError as error:
        if error.reason_code != "outside folder":
            raise Mismatch(f"{path} left out for another reason", "outside folder", error.reason_code) from error
        return False


def _same(wanted: dict[str, Any], got: dict[str, bool]) -> None:
    for path, served in wanted.items():
        if got.get(path) is not served:
            raise Mismatch(f"{path} served", served, got.get(path))
