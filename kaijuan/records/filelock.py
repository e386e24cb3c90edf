"""A lock on a file that the operating system lets go of when its process ends; waited for, but not for ever."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.01


@contextmanager
def file_lock(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock, among threads as among processes; raises TimeoutError after `patience` seconds, or OSError."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _wait(file, time.monotonic() + patience)
        yield
    finally:
        os.close(file)


def _wait(file: int, end: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= end:
                raise TimeoutError("lock file is held") from error
            time.sleep(_PAUSE)
