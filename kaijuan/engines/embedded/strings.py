"""A table of strings in two memory-mapped files: looked up by number, or by value where the table is sorted."""

from __future__ import annotations

import bisect
import mmap
from collections.abc import Iterable
from pathlib import Path

from kaijuan.engines.embedded.arrays import map_array, write_array


def write_strings(stem: Path, values: Iterable[str]) -> None:
    """Write `<stem>.bin` (UTF-8, end to end) and `<stem>.off.i64` (n + 1 byte offsets)."""
    offsets = [0]
    with stem.with_suffix(".bin").open("wb") as blob:
        for value in values:
            offsets.append(offsets[-1] + blob.write(value.encode("utf-8")))
    write_array(stem.with_suffix(".off.i64"), offsets)


class StringTable:
    """Read side of `write_strings`; numbers start at 0 in the order written."""

    def __init__(self, stem: Path) -> None:
        """Open the table; raises ValueError when its two files do not fit together."""
        self._offsets = map_array(stem.with_suffix(".off.i64"))
        with stem.with_suffix(".bin").open("rb") as blob:
            size = blob.seek(0, 2)
            self._blob: mmap.mmap | bytes = mmap.mmap(blob.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if int(self._offsets[-1]) != size:
            raise ValueError(f"{stem.name}.bin holds {size} bytes, {int(self._offsets[-1])} expected")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def raw(self, number: int) -> bytes:
        """UTF-8 bytes of one string."""
        return self._blob[self._offsets[number] : self._offsets[number + 1]]

    def __getitem__(self, number: int) -> str:
        return self.raw(number).decode("utf-8")

    def find(self, value: str) -> int | None:
        """Number of `value` in a table sorted by UTF-8 bytes, None when it is not there."""
        wanted = value.encode("utf-8", "surrogatepass")
        number = bisect.bisect_left(range(len(self)), wanted, key=self.raw)
        return number if number < len(self) and self.raw(number) == wanted else None
