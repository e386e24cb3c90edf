"""Writing that outlives a power cut."""

from __future__ import annotations

import os
import time
from pathlib import Path


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_text(path: Path, text: str) -> None:
    """Give a small file new content in one atomic step; readers see the old or the new one, never a part.

    Inode and time of change together differ from one replacement to the next.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        # The system's own stamp moves in steps of milliseconds, too coarse to tell one replacement from the next.
        os.utime(file.fileno(), ns=(now := time.time_ns(), now))
        os.fsync(file.fileno())
    temporary.replace(path)
    flush(path.parent)
