"""A collection's synonyms.txt as an editor sees it: read, replaced in one atomic step, and what was saved noted.

Notes are one JSON line a save in NAME.jsonl of their folder.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from kaijuan.collection import Collection
from kaijuan.errors import CorpusError
from kaijuan.evaluation.preview import Preview
from kaijuan.retrieval.synonyms import check_size, parse_synonyms, read_text

_log = logging.getLogger("kaijuan.synonyms")
#: Saves of one server stand in line, so that of two editors the second sees what the first has written.
_saving = threading.Lock()


@dataclass(frozen=True, slots=True)
class Save:
    """One save: ISO time, who, number of groups, and the means before and after, None where they could not be measured.

    `worse` says that it was saved although a mean fell.
    """

    at: str
    by: str
    groups: int
    before: tuple[float, float, float] | None
    after: tuple[float, float, float] | None
    worse: bool


def present_text(collection: Collection) -> str | None:
    """The text as it is on disk, None without a file; raises CorpusError for one that cannot be read."""
    return read_text(collection.synonyms_file) if collection.synonyms_file.is_file() else None


def save_synonyms(collection: Collection, text: str, seen: str | None) -> str:
    """Replace the file by this text, and the text as it is then.

    `seen` is what the editor started from. Raises CorpusError when the text is no list of synonyms, when the file is
    not (any more) what was seen, and when it cannot be written; the file is untouched then.
    """
    file = collection.synonyms_file
    parse_synonyms(text, file.name)
    written = text.replace("\r\n", "\n").rstrip("\n") + "\n" if text.strip() else ""
    check_size(written.encode("utf-8"), file.name)
    with _saving:
        if present_text(collection) != seen:
            raise CorpusError(
                f"集合 {collection.name} 的 {file.name} 在你打开之后已被改动，没有保存；请重新载入后再编辑。"
            )
        _replace(file, written)
    return written


def note_save(folder: Path, collection: Collection, by: str, text: str, measured: Preview) -> Save:
    """Note a save, in the log too; raises CorpusError when that cannot be written."""
    synonyms = parse_synonyms(text)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    groups = synonyms.groups if synonyms else 0
    save = Save(at, by, groups, measured.before, measured.after, measured.worse)
    _log.info("synonyms of %s saved: %s", collection.name, json.dumps(asdict(save), ensure_ascii=False))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _notes(folder, collection).open("a", encoding="utf-8") as notes:
            notes.write(json.dumps(asdict(save), ensure_ascii=False) + "\n")
    except OSError as error:
        raise CorpusError(
            f"同义词已保存，但没有记入 {folder.name}（{error.strerror}），请检查 KAIJUAN_DATA_DIR 的目录和权限。"
        ) from error
    return save


def load_saves(folder: Path, collection: Collection) -> list[Save]:
    """All saves that can be read, the newest first."""
    try:
        lines = _notes(folder, collection).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return []
    return list(_saves(lines))[::-1]


def _saves(lines: list[str]) -> Iterator[Save]:
    for line in lines:
        try:
            plain = json.loads(line)
            before, after = (tuple(plain[name]) if plain[name] else None for name in ("before", "after"))
            yield Save(**{**plain, "before": before, "after": after})
        except (ValueError, KeyError, TypeError):
            continue  # the rest of an interrupted write, or the form of another program version


def _notes(folder: Path, collection: Collection) -> Path:
    return folder / f"{collection.name}.jsonl"


def _replace(file: Path, text: str) -> None:
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as unfinished:
            unfinished.write(text)
            unfinished.flush()
            os.fsync(unfinished.fileno())
        if file.exists():
            temporary.chmod(file.stat().st_mode & 0o7777)
        temporary.replace(file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CorpusError(f"同义词没有写进 {file.name}（{error.strerror}），请检查目录权限。") from error
