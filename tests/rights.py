"""Files that another user may or may not write: what root may do everywhere is tried as somebody who may not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that anybody may reach; pytest's own are closed to other users."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@contextmanager
def without_rights() -> Iterator[None]:
    """As a user who may only what the files allow; root may everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
