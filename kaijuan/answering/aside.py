"""An answer made in a thread of its own, so that whoever waits for it can go away while a model is silent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from queue import Empty, SimpleQueue

from kaijuan.answering.types import Event, Finished
from kaijuan.models.base import Breaking, breaking


class Aside:
    """The events of one answer, from another thread.

    Broken off, the answer ends at its next event, and a reply that is being read from a model's service at once.
    """

    def __init__(self, start: Callable[[], Iterator[Event]]) -> None:
        """`start` begins the answer, as `answer` does; both happen in the other thread."""
        self._start = start
        self._came: SimpleQueue[Event | Exception | None] = SimpleQueue()
        self._breaking = Breaking()
        threading.Thread(target=self._run, daemon=True, name="kaijuan-answer").start()

    def events(self, patience: float) -> Iterator[Event | None]:
        """The events as they come, None whenever none came for `patience` seconds; raises what the answer raises."""
        while True:
            try:
                came = self._came.get(timeout=patience)
            except Empty:
                yield None
                continue
            if isinstance(came, Exception):
                raise came
            if came is None:
                return
            yield came

    def break_off(self) -> None:
        """Let the answer end, wherever it is; one that has ended does not mind."""
        self._breaking.break_off()

    def _run(self) -> None:
        try:
            with breaking(self._breaking):
                self._follow()
        except Exception as error:  # whatever it is, it belongs to who waits
            self._came.put(error)
        else:
            self._came.put(None)

    def _follow(self) -> None:
        with closing(self._start()) as events:  # type: ignore[type-var]
            for event in events:
                # An answer that is done is handed over all the same: it costs nothing more.
                if self._breaking.broken and not isinstance(event, Finished):
                    return
                self._came.put(event)
