"""Folders: every readable file of a corpus folder as documents, file by file and in a fixed order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kaijuan.collection import Collection
from kaijuan.errors import CorpusError
from kaijuan.readers.file import read_file
from kaijuan.readers.metadata import METADATA_FILE, Metadata
from kaijuan.readers.place import is_inside, relative
from kaijuan.readers.remarks import Warn
from kaijuan.readers.result import ReadError, ReadResult, Skipped
from kaijuan.readers.rules import Rules, rules_of
from kaijuan.types import Document

#: Files that describe the collection and are no part of it.
_BESIDES = {"collection.toml", "questions.jsonl", "frozen.sha256", "synonyms.txt", METADATA_FILE}


def read_collection(collection: Collection) -> ReadResult:
    """All documents of a collection under its own limits and groups; raises CorpusError like `read_folder`."""
    return read_folder(collection.folder, rules_of(collection))


def read_folder(folder: Path, rules: Rules | None = None) -> ReadResult:
    """All documents of a folder and its subfolders.

    Raises CorpusError when there is no such folder or a metadata.csv in it cannot be read.
    """
    documents: list[Document] = []
    skipped: list[Skipped] = []
    warnings: list[str] = []
    for item in iter_folder(folder, warnings.append, rules):
        if isinstance(item, Document):
            documents.append(item)
        else:
            skipped.append(item)
    return ReadResult(tuple(documents), tuple(skipped), tuple(warnings))


def iter_folder(folder: Path, warn: Warn | None = None, rules: Rules | None = None) -> Iterator[Document | Skipped]:
    """Documents and what was left out in the order of their paths, those of one file held at a time.

    Hidden files are passed over. Of two documents with one id the second is left out. `warn` receives sentences about
    documents that were read but deserve a look. Raises CorpusError like `read_folder`.
    """
    if not folder.is_dir():
        raise CorpusError(f"资料文件夹 {folder} 不存在或不是文件夹，请检查路径。")
    warn, rules = warn or (lambda _: None), rules or Rules()
    metadata = Metadata(folder, warn, rules.groups)
    seen: dict[str, str] = {}
    for found in _walk(folder, folder, metadata):
        for item in [found] if isinstance(found, Skipped) else _read(found, folder, warn, rules, metadata):
            first = seen.setdefault(item.id, item.path) if isinstance(item, Document) else None
            # Twice in one file is said by its reader, which knows the lines.
            if isinstance(item, Document) and first != item.path:
                message = f"{item.path} 的文档编号 {item.id} 已被 {first} 使用，请改用不同的编号。"
                yield Skipped(item.path, "duplicate id", message)
            else:
                yield item
    metadata.say_left_over()


def _read(path: Path, root: Path, warn: Warn, rules: Rules, metadata: Metadata) -> tuple[Document | Skipped, ...]:
    try:
        return read_file(path, root, warn, rules, metadata)
    except ReadError as error:
        name = relative(path, root)
        metadata.about(name)  # a row about a file that cannot be read is no row about nothing
        return (Skipped(name, error.reason_code, str(error)),)


def _walk(directory: Path, root: Path, metadata: Metadata) -> Iterator[Path | Skipped]:
    try:
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        name = relative(directory, root)
        yield Skipped(name, "unreadable", f"文件夹 {name} 无法读取（{error.strerror}），请检查权限。")
        return
    metadata.enter(directory)
    for entry in entries:
        # "~$" is what an office program leaves beside a file that is open.
        if entry.name.startswith((".", "~$")) or entry.name in _BESIDES:
            continue
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, metadata)
        elif entry.is_symlink() and path.is_dir() and is_inside(path, root):
            continue  # its files are read where they are
        else:
            yield path
