"""The folder of one collection: its versions, which of them answers, and what interrupted work left behind.

CURRENT          name of the version that answers, replaced by one rename
v0001/ …         finished versions
.building-v0002  a build in progress, or what an interrupted one left
.deleted-v0001   a version being deleted, or what an interrupted deletion left
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from kaijuan.engines.embedded.files import replace_text
from kaijuan.errors import CollectionNotFound, EngineError

#: Folders of unfinished builds and deletions begin with these; readers never look at them.
UNFINISHED, DELETED = ".building-", ".deleted-"
_POINTER = "CURRENT"
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
#: Inode and time of change of a file.
Identity = tuple[int, int]
_VERSION = re.compile(r"v([0-9]{4,9})\Z")


class Home:
    """What one collection has on disk; nothing is opened here."""

    def __init__(self, index_dir: Path, collection: str) -> None:
        """Raises CollectionNotFound for a name that could lead out of `index_dir`."""
        if not _COLLECTION.match(collection):
            raise CollectionNotFound(f"没有名为“{collection[:64]}”的集合；集合名只能由字母、数字、“-”和“_”组成。")
        self.collection = collection
        self.folder = index_dir / collection
        self._folder = str(self.folder)
        self._pointer = str(self.folder / _POINTER)

    def switched(self) -> Identity | None:
        """Tells one switch from the next, None when no version answers; every question asks this and no more."""
        return _identity(self._pointer)

    def active(self) -> str | None:
        """Name of the version that answers, None when there is none."""
        try:
            with Path(self._pointer).open("rb") as file:
                return file.read(64).decode("utf-8", "replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise EngineError(f"集合 {self.collection} 的索引无法读取（{error.strerror}），请检查文件权限。") from error

    def identity(self, version: str) -> Identity | None:
        """Tells a version from another one of the same name, None when there is no such finished version."""
        return _identity(f"{self._folder}/{version}/meta.json") if _VERSION.match(version) else None

    def version_folder(self, version: str) -> Path | None:
        """Folder of a finished version, None when there is none of this name."""
        folder = self.folder / version if _VERSION.match(version) else None
        return folder if folder and (folder / "meta.json").is_file() else None

    def finished(self) -> list[Path]:
        """Folders of the finished versions, oldest first."""
        if not self.folder.is_dir():
            return []
        numbered = [(int(match[1]), path) for path in self.folder.iterdir() if (match := _VERSION.match(path.name))]
        return [path for _, path in sorted(numbered) if (path / "meta.json").is_file()]

    def start_build(self) -> tuple[str, Path]:
        """Name of a new version and the empty folder in which it is to be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = max((self._number(path) for path in self.folder.iterdir()), default=0)
        while True:
            number += 1
            version = f"v{number:04d}"
            try:
                folder = self.folder / f"{UNFINISHED}{version}"
                folder.mkdir()
            except FileExistsError:  # another process took the number in between
                continue
            return version, folder

    def activate(self, version: str) -> None:
        """Let a version answer from now on."""
        replace_text(self.folder / _POINTER, version)

    def delete(self, folder: Path) -> None:
        """Remove a version: out of sight in one step, then file by file."""
        hidden = folder.with_name(f"{DELETED}{folder.name}")
        shutil.rmtree(hidden, ignore_errors=True)
        folder.rename(hidden)
        shutil.rmtree(hidden, ignore_errors=True)

    def clean_up(self) -> list[str]:
        """Remove what interrupted builds, deletions and switches left; names of what was removed."""
        if not self.folder.is_dir():
            return []
        left = [path for mark in (UNFINISHED, DELETED, f"{_POINTER}.") for path in self.folder.glob(f"{mark}*")]
        for path in left:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return sorted(path.name for path in left)

    @staticmethod
    def _number(path: Path) -> int:
        match = _VERSION.match(path.name.removeprefix(UNFINISHED).removeprefix(DELETED))
        return int(match[1]) if match else 0


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path)  # noqa: PTH116 (making a Path takes longer than asking the system)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
