"""meta.json of a build: what it was made with and how much it holds; written last, so that without it there is no build."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from kaijuan.engines.base import BuildMeta
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
