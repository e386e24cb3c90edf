"""The demonstration on a stage of its own: the real index and models, records that begin with the seeded conversations."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kaijuan.settings import Settings
from tests.browser.running import ROOT, running_app

ROLES = "访客: ; 管理: 管理"
#: What the stage shares with the real data folder; whatever is asked and measured on it goes with it.
_SHARED = ("index", "models", "cache")


@contextmanager
def demonstration() -> Iterator[str]:
    """Start the app as a demonstration and give its address; the collections must be indexed.

    Raises CalledProcessError when the conversations cannot be had, RuntimeError when the app does not come up.
    """
    real = Settings().data_dir
    # Beside the real one and named from here: the admin page shows the path.
    with tempfile.TemporaryDirectory(prefix="stage-", dir=real) as made:
        folder = os.path.relpath(made, ROOT)
        for name in _SHARED:
            (Path(made) / name).symlink_to((real / name).resolve(), target_is_directory=True)
        settings = {"KAIJUAN_DEMO": "true", "KAIJUAN_DEMO_ROLES": ROLES, "KAIJUAN_DATA_DIR": folder}
        subprocess.run([sys.executable, "-m", "kaijuan.demo"], cwd=ROOT, env={**os.environ, **settings}, check=True)
        with running_app(settings) as address:
            yield address
