"""One ingest of a collection at a time: a lock that the operating system lets go of when its process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kaijuan.errors import IngestError, IngestLocked


@contextmanager
def ingest_lock(folder: Path, collection: str) -> Iterator[None]:
    """Hold the collection's lock file; raises IngestLocked at once when another process holds it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IngestError(
            f"数据目录 {folder.parent} 无法写入（{error.strerror}），请检查 KAIJUAN_DATA_DIR。"
        ) from error
    with (folder / f"{collection}.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise IngestLocked(
                f"集合 {collection} 正在由进程 {file.read().strip() or '未知'} 建立索引，请等它结束后再运行。"
            ) from error
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield
