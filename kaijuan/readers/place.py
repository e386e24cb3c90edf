"""Places: names of files below their folder, and which of them may be opened at all."""

from __future__ import annotations

import os
from pathlib import Path

from kaijuan.readers.result import ReadError


def relative(path: Path, root: Path) -> str:
    """Path below the folder with "/", fit to be shown and stored even where the name is no valid UTF-8."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return os.fsencode(name).decode("utf-8", errors="replace")


def is_inside(path: Path, root: Path) -> bool:
    """Whether a path leads to something in the folder once all links are followed."""
    return path.resolve().is_relative_to(root.resolve())


def check_place(path: Path, root: Path, name: str) -> None:
    """Raise ReadError for what leads out of the folder and for no ordinary file (a pipe would block for ever)."""
    try:
        inside, ordinary = is_inside(path, root), path.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        raise ReadError(f"{name} 是无法解析的链接，请删除或改为普通文件。") from error
    if not inside:
        raise ReadError(f"{name} 指向资料文件夹之外，未读入；请把文件复制到文件夹内。", "outside folder")
    if not ordinary:
        raise ReadError(f"{name} 不存在或不是普通文件，请检查路径。")
