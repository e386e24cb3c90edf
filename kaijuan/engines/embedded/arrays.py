"""Arrays as bare files whose suffix says what their numbers are; memory-mapped when read.

numpy's own format is not used: reading its header goes through `ast`, which is not safe in several threads on
CPython 3.11 ("SystemError: AST constructor recursion depth mismatch"), and an app opens indexes in any thread.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_KINDS = {".i32": "<i4", ".i64": "<i8", ".u64": "<u8", ".f32": "<f4"}


def write_array(path: Path, values: ArrayLike) -> None:
    """Write numbers in the kind that the suffix says."""
    np.asarray(values, dtype=_KINDS[path.suffix]).tofile(path)


def map_array(path: Path) -> NDArray[Any]:
    """The numbers of a file, shape (n,), read-only; raises ValueError when the file ends within a number."""
    if not path.stat().st_size:
        return np.empty(0, dtype=_KINDS[path.suffix])
    array: NDArray[Any] = np.asarray(np.memmap(path, dtype=_KINDS[path.suffix], mode="r"))
    return array
