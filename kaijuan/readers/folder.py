"""Folders: every readable file of a corpus folder as a document, one at a time and in a fixed order."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from kaijuan.errors import CorpusError
from kaijuan.readers import front_matter
from kaijuan.readers.decode import decode
from kaijuan.readers.markdown import markdown_document
from kaijuan.readers.plain import plain_document
from kaijuan.readers.result import ReadError, ReadResult, Skipped
from kaijuan.types import Document

Warn = Callable[[str], None]

_BUILDERS = {".md": markdown_document, ".markdown": markdown_document, ".txt": plain_document}
#: Files that describe the collection and are no part of it.
_BESIDES = {"collection.toml", "questions.jsonl", "frozen.sha256"}


def read_folder(folder: Path) -> ReadResult:
    """All documents of a folder and its subfolders; raises CorpusError when there is no such folder."""
    documents: list[Document] = []
    skipped: list[Skipped] = []
    warnings: list[str] = []
    for item in iter_folder(folder, warnings.append):
        if isinstance(item, Document):
            documents.append(item)
        else:
            skipped.append(item)
    return ReadResult(tuple(documents), tuple(skipped), tuple(warnings))


def iter_folder(folder: Path, warn: Warn | None = None) -> Iterator[Document | Skipped]:
    """Documents and left-out files in the order of their paths, one held at a time.

    Hidden files are passed over. Of two documents with one id the second is left out. `warn` receives sentences about
    documents that were read but deserve a look. Raises CorpusError when there is no such folder.
    """
    if not folder.is_dir():
        raise CorpusError(f"资料文件夹 {folder} 不存在或不是文件夹，请检查路径。")
    seen: dict[str, str] = {}
    for found in _walk(folder, folder):
        if isinstance(found, Skipped):
            yield found
            continue
        try:
            document = read_file(found, folder, warn)
        except ReadError as error:
            yield Skipped(_relative(found, folder), error.reason_code, str(error))
            continue
        first = seen.setdefault(document.id, document.path)
        if first == document.path:
            yield document
        else:
            message = f"{document.path} 的文档编号 {document.id} 已被 {first} 使用，请改用不同的编号。"
            yield Skipped(document.path, "duplicate id", message)


def read_file(path: Path, root: Path, warn: Warn | None = None) -> Document:
    """One file under `root` as a document; raises ReadError (a CorpusError) when it cannot be taken in."""
    name = _relative(path, root)
    _check_place(path, root, name)
    build = _BUILDERS.get(path.suffix.lower())
    if build is None:
        raise ReadError(f"{name} 的类型不受支持，请转为 .md 或 .txt 文件。", "unknown type")
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        raise ReadError(f"{name} 无法读取（{error.strerror}），请检查文件和权限。") from error
    except CorpusError as error:
        raise ReadError(f"{name} 未读入：{error}") from error
    matter, body = front_matter.split(text)
    if not any(character.isprintable() and not character.isspace() for character in body):
        raise ReadError(f"{name} 是空文件，没有可以索引的文字，请补充内容或删除它。", "empty")
    if warn is not None:
        _look_over(name, matter, body, warn)
    if matter.id is None:
        # One spelling of the name on every system: macOS takes composed characters apart.
        matter = replace(matter, id=unicodedata.normalize("NFC", name))
    return build(body, matter, name)


def _walk(directory: Path, root: Path) -> Iterator[Path | Skipped]:
    try:
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        name = _relative(directory, root)
        yield Skipped(name, "unreadable", f"文件夹 {name} 无法读取（{error.strerror}），请检查权限。")
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _BESIDES:
            continue
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root)
        elif entry.is_symlink() and path.is_dir() and _is_inside(path, root):
            continue  # its files are read where they are
        else:
            yield path


def _check_place(path: Path, root: Path, name: str) -> None:
    """Refuse what leads out of the folder and what is no ordinary file (a pipe would block for ever)."""
    try:
        inside, ordinary = _is_inside(path, root), path.is_file()
    except (OSError, RuntimeError) as error:
        raise ReadError(f"{name} 是无法解析的链接，请删除或改为普通文件。") from error
    if not inside:
        raise ReadError(f"{name} 指向资料文件夹之外，未读入；请把文件复制到文件夹内。", "outside folder")
    if not ordinary:
        raise ReadError(f"{name} 不存在或不是普通文件，请检查路径。")


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _relative(path: Path, root: Path) -> str:
    """Path below the folder with "/", fit to be shown and stored even where the name is no valid UTF-8."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return os.fsencode(name).decode("utf-8", errors="replace")


def _look_over(name: str, matter: front_matter.FrontMatter, body: str, warn: Warn) -> None:
    if matter.undated:
        warn(f"{name} 的日期“{matter.undated}”不是有效日期，已按无日期处理；请写成 2026-03-05 的形式。")
    if broken := body.count("\ufffd"):
        warn(f"{name} 有 {broken} 处文字无法识别，请检查文件的编码。")
