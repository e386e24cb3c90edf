"""Watching a folder by looking at its files again and again: no daemon, no dependency, works on any file system."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

#: Seconds between two looks, and seconds without a further edit after which a folder is taken to be settled.
INTERVAL, SETTLE = 0.5, 1.0

#: Size, times of last edit and of last change in nanoseconds, and inode of a file.
Stamp = tuple[int, int, int, int]


class Watch:
    """A folder as it was when it was last looked at."""

    def __init__(self, folder: Path, interval: float = INTERVAL, settle: float = SETTLE) -> None:
        self._folder, self._interval, self._settle = folder, interval, settle
        self._seen, self._looked = snapshot(folder), time.time()

    def wait(self) -> float:
        """Wait for edits and until they have come to rest; the time of the last one, in seconds since the epoch.

        What was edited between two calls counts too.
        """
        edited: float | None = None
        while True:
            edited = self._look() or edited
            now = time.time()
            if edited is not None and now - edited >= self._settle:
                return edited
            time.sleep(self._interval if edited is None else min(self._interval, edited + self._settle - now))

    def _look(self) -> float | None:
        """When the last edit since the last look was, None without one."""
        seen, now = snapshot(self._folder), time.time()
        before, since = self._seen, self._looked
        self._seen, self._looked = seen, now
        if seen == before:
            return None
        changed = [stamp[2] / 1e9 for name, stamp in seen.items() if before.get(name) != stamp]
        # A deletion leaves no time, and a clock that was set back would tell a wrong one.
        return max((at for at in changed if since - self._interval <= at <= now), default=now)


def snapshot(folder: Path) -> Mapping[str, Stamp]:
    """Stamps of all files below a folder by their paths, hidden ones left out; what cannot be looked at is not there."""
    return dict(_stamps(folder))


def _stamps(folder: Path) -> Iterator[tuple[str, Stamp]]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield from _stamps(Path(entry.path))
                else:
                    stat = entry.stat()
                    yield entry.path, (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
