"""meta.json of a build: what it was made with and how much it holds; written last, so that without it there is no build."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kaijuan.engines.base import BuildMeta
from kaijuan.engines.embedded.files import replace_text
from kaijuan.errors import IndexMismatch

#: Layout of the files of a build; raised whenever they change.
FORMAT = 4


def write_meta(folder: Path, meta: BuildMeta, chunks: int, documents: int) -> None:
    """Write meta.json."""
    stored = {"format": FORMAT, "chunks": chunks, "documents": documents, **asdict(meta)}
    (folder / "meta.json").write_text(json.dumps(stored, ensure_ascii=False, indent=1), encoding="utf-8")


def read_meta(folder: Path) -> tuple[BuildMeta, int, int]:
    """Meta, chunk count and document count.

    Raises IndexMismatch for another format; FileNotFoundError, ValueError, TypeError or KeyError for a damaged file.
    """
    stored = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    if not isinstance(stored, dict):
        raise TypeError("meta.json holds no table")
    if (found := stored.pop("format")) != FORMAT:
        name = folder.parent.name
        raise IndexMismatch(
            f"索引 {name}/{folder.name} 的格式是 {found}，本程序需要 {FORMAT}，请运行 python -m ingest {name} 重建。"
        )
    chunks, documents = stored.pop("chunks"), stored.pop("documents")
    return BuildMeta(**stored), int(chunks), int(documents)


def write_notes(folder: Path, notes: Mapping[str, Any]) -> None:
    """Replace notes.json in one atomic step."""
    replace_text(folder / "notes.json", json.dumps(notes, ensure_ascii=False, indent=1))


def read_notes(folder: Path) -> dict[str, Any]:
    """What was noted about a build; empty when nothing was, or when it cannot be read (the build itself is whole)."""
    try:
        stored = json.loads((folder / "notes.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}
