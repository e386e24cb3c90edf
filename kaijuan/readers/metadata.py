"""Metadata beside the files: rows of metadata.csv, which say more about a file than the file itself can.

A file of metadata that cannot be read stops the ingest: without it restricted documents would be open to everybody.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from kaijuan.errors import CorpusError
from kaijuan.readers import front_matter
from kaijuan.readers.csv import read_table
from kaijuan.readers.decode import decode
from kaijuan.readers.front_matter import FrontMatter
from kaijuan.readers.place import check_place, relative
from kaijuan.readers.remarks import Remarks, Warn
from kaijuan.text import fold
from kaijuan.types import Document, Standing

METADATA_FILE = "metadata.csv"
_PATHS = frozenset({"path", "file", "filename", "文件", "文件名", "路径"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: what it says about a file, and by which keys, as an empty cell says nothing; `place` is file and line."""

    place: str
    matter: FrontMatter
    keys: frozenset[str]


class Metadata:
    """The metadata files of one folder and its subfolders; a deeper one speaks after those above it."""

    def __init__(self, root: Path, warn: Warn, groups: tuple[str, ...] = ()) -> None:
        self._root = root
        self._warn = warn
        self._groups = groups
        self._entries: dict[str, list[Entry]] = {}
        self._places: dict[str, str] = {}

    def enter(self, directory: Path) -> None:
        """Take in the metadata file of a directory where there is one; raises CorpusError when it cannot be read."""
        file = directory / METADATA_FILE
        if not file.is_file() and not file.is_symlink():
            return
        name = relative(file, self._root)
        try:
            check_place(file, self._root, name)
            text = decode(file.read_bytes())
        except OSError as error:
            raise CorpusError(f"{name} 无法读取（{error.strerror}），请检查文件和权限。") from error
        except CorpusError as error:
            raise CorpusError(f"{name} 无法读取：{error}") from error
        self._take(text, name, PurePosixPath(name).parent)

    def about(self, name: str) -> list[Entry]:
        """What is said about a file, the weightiest last."""
        self._places.pop(_key(name), None)
        return self._entries.get(_key(name), [])

    def say_left_over(self) -> None:
        """Say which rows have named no file until now."""
        for name, place in self._places.items():
            self._warn(f"{place}写的文件“{name[:80]}”不存在，这一行没有用上，请核对文件名。")

    def _take(self, text: str, name: str, directory: PurePosixPath) -> None:
        table = read_table(text, name)
        keys = [_column(cell) for cell in table.header]
        if "path" not in keys:
            raise CorpusError(f"{name} 没有 path 列，不知道每一行说的是哪个文件，请加上 path（或“文件”）列。")
        unknown = [cell for cell, key in zip(table.header, keys, strict=True) if key is None]
        if unknown:
            self._warn(f"{name} 第 1 行的列“{'、'.join(unknown)[:80]}”没有用到，请改为认识的列名或删除。")
        here: set[str] = set()
        for row in table.rows:
            place = f"{name} 第 {row.line} 行"
            if row.broken or any(row.cells[len(keys) :]):
                raise CorpusError(f"{place}的引号或列数与表头对不上，无法确定可见范围，请修正后再导入。")
            values = {key: [cell] for key, cell in zip(keys, row.cells, strict=False) if key and cell}
            file = _key((directory / values.pop("path", [""])[0].replace("\\", "/")).as_posix())
            if file in here:
                self._warn(f"{place}的文件“{file[:80]}”前面已经写过，以这一行为准；请只留一行。")
            here.add(file)
            self._keep(file, place, values, Remarks(name, self._warn, self._groups), row.line)

    def _keep(self, file: str, place: str, values: Mapping[str, list[str]], remarks: Remarks, line: int) -> None:
        matter = front_matter.matter_of(values)
        remarks.look_over(matter, line)
        self._entries.setdefault(file, []).append(Entry(place, matter, frozenset(values)))
        self._places[file] = place


def overridden(document: Document, entry: Entry, alone: bool) -> Document:
    """The document as the metadata has it; id and title hold only where it is its file's only document."""
    said, keys = entry.matter, entry.keys
    own = document.standing or Standing()
    standing = Standing(
        status=(said.standing.status if said.standing else "in_force") if _said(entry, "status") else own.status,
        by=own.by,
        by_title=own.by_title,
        valid_from=(said.standing and said.standing.valid_from) or own.valid_from,
        valid_until=(said.standing and said.standing.valid_until) or own.valid_until,
    )
    return replace(
        document,
        id=(alone and said.id) or document.id,
        title=(alone and said.title) or document.title,
        updated=said.updated or document.updated,
        department=said.department or document.department,
        kind=said.kind or document.kind,
        audience=said.audience or document.audience,
        supersedes=said.supersedes if "supersedes" in keys else document.supersedes,
        standing=None if standing == Standing() else standing,
    )


def _said(entry: Entry, key: str) -> bool:
    """Whether a row gives this key a value that means something."""
    return key in entry.keys and key not in {odd for odd, _ in entry.matter.odd}


def _column(name: str) -> str | None:
    folded = fold(name).strip()
    return "path" if folded in _PATHS else front_matter.KEYS.get(folded)


def _key(name: str) -> str:
    parts = [part for part in PurePosixPath(name.strip()).parts if part not in (".", "/")]
    return unicodedata.normalize("NFC", "/".join(parts))
