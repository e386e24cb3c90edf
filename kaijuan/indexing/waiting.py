"""Waiting for a search engine that was started at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable

from kaijuan.engines.base import Engine
from kaijuan.errors import EngineNotReady, KaijuanError

_PAUSE = 1.0


def wait_until_ready(engine: Engine, collection: str, until: float, told: Callable[[EngineNotReady], None]) -> None:
    """Wait while the engine cannot be reached or does not serve yet; `told` hears why, once, when the waiting begins.

    `until` is a time of time.monotonic(), in seconds; raises EngineNotReady when it has passed. Whatever else is wrong
    with the engine is left to whoever asks it next.
    """
    waiting = False
    while True:
        try:
            engine.versions(collection)
        except EngineNotReady as error:
            if time.monotonic() >= until:
                raise
            if not waiting:
                told(error)
            waiting = True
        except KaijuanError:
            return
        else:
            return
        time.sleep(_PAUSE)
