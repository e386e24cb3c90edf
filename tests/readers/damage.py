"""Damaged files by number, and a process that reads them: `python -m tests.readers.damage FORM FIRST LAST FOLDER`.

It prints a JSON line before and after each file. A file that takes more than LIMIT seconds of processor time ends the
process by a signal, inside a library too, so that the last line names it; so does a crash.
"""

from __future__ import annotations

import io
import json
import logging
import random
import signal
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePath

from kaijuan.chunking import chunk
from kaijuan.readers import ReadError, Skipped, read_file
from kaijuan.types import Document
from tests.mixed_files import FORMS, mixed_folder

#: Seconds of processor time after which a reader counts as hanging.
LIMIT = 5.0
_SUFFIXES = (".md", ".txt", ".html", ".docx", ".xlsx", ".csv", ".jsonl", ".json", ".pdf", ".doc", ".zip", "")
_SAMPLES = 2  # of each format: one with sentences, one with a table


def samples(form: str, folder: Path) -> list[bytes]:
    """Whole files of one format."""
    planted = mixed_folder(folder, len(FORMS) * _SAMPLES)
    return [(folder / p.path).read_bytes() for p in planted if p.form == form]


def damaged(form: str, number: int, whole: list[bytes]) -> tuple[str, bytes]:
    """Name and content of the damaged file of this number; the same number gives the same file."""
    chance = random.Random(f"{form}/{number}")
    kinds = [_cut, _flipped, _without_middle, _overwritten, _renamed]
    kind = [*kinds, _inside][number % (len(kinds) + (form in ("docx", "xlsx")))]
    data = kind(chance, chance.choice(whole))
    suffix = f".{form.split('-')[0]}"
    if kind is _renamed:
        suffix = chance.choice([other for other in _SUFFIXES if other != suffix])
    return f"{number:05d}-{kind.__name__.strip('_')}{suffix}", data


def _cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def _flipped(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 10, 100))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _without_middle(chance: random.Random, data: bytes) -> bytes:
    begin, end = sorted(chance.sample(range(len(data)), 2))
    return data[:begin] + data[end:]


def _overwritten(chance: random.Random, data: bytes) -> bytes:
    """A stretch of it as noise or as NULs, as a bad disk leaves it."""
    begin, end = sorted(chance.sample(range(len(data)), 2))
    noise = chance.randbytes(end - begin) if chance.random() < 0.5 else bytes(end - begin)
    return data[:begin] + noise + data[end:]


def _renamed(chance: random.Random, data: bytes) -> bytes:
    """Whole or damaged besides; the name is changed elsewhere."""
    return chance.choice((data, data, _cut(chance, data), _flipped(chance, data)))


def _inside(chance: random.Random, data: bytes) -> bytes:
    """An archive that is in order with one damaged part, which no checksum gives away."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        parts = [part for part in old.namelist() if part.endswith((".xml", ".rels"))]
        chosen = chance.choice([part for part in parts if old.read(part)])
        kind: Callable[[random.Random, bytes], bytes] = chance.choice((_cut, _flipped, _without_middle, _overwritten))
        for part in old.namelist():
            content = old.read(part)
            new.writestr(part, kind(chance, content) if part == chosen else content)
    return file.getvalue()


class _Unforeseen(logging.Handler):
    """Keeps what readers were not prepared for."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """See logging.Handler."""
        self.said.append(self.format(record))


def _read(path: Path, root: Path, unforeseen: _Unforeseen) -> dict[str, object]:
    sentences: list[str] = []
    unforeseen.said.clear()
    documents = 0
    start = time.process_time()
    try:
        for item in read_file(path, root, sentences.append):
            if isinstance(item, Skipped):
                sentences.append(item.message)
            else:
                documents += 1
                _check_chunks(item)
    except ReadError as error:
        sentences.append(str(error))
    seconds = time.process_time() - start
    return {"documents": documents, "sentences": sentences, "seconds": seconds, "unforeseen": unforeseen.said}


def _check_chunks(document: Document) -> None:
    """What was made of a damaged file can be indexed as any other."""
    for piece in chunk(document):
        assert 0 <= piece.start <= piece.end <= len(document.text), piece.id
        piece.search_text.encode("utf-8")


def main(form: str, first: int, last: int, folder: Path) -> None:
    """Read the damaged files of these numbers."""
    with tempfile.TemporaryDirectory(dir=folder) as whole_files:
        whole = samples(form, Path(whole_files))
    unforeseen = _Unforeseen()
    logging.getLogger("kaijuan.readers").addHandler(unforeseen)
    for number in range(first, last):
        name, data = damaged(form, number, whole)
        path = folder / PurePath(name)
        path.write_bytes(data)
        print(json.dumps({"number": number, "name": name}), flush=True)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        outcome = _read(path, folder, unforeseen)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps({"number": number, "name": name, **outcome}), flush=True)
        path.unlink()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
