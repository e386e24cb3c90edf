"""A few seats for work that takes the processor alone, given in the order in which people come."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds after which somebody who waits looks whether anybody still waits for him.
_LOOK = 0.1


class Seats:
    """Seats for threads; who comes first is seated first, whoever gives up in between."""

    def __init__(self, count: int) -> None:
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def taken(self, check: Callable[[], None]) -> Iterator[None]:
        """Hold a seat; it is waited for as long as `check` does not raise."""
        turn = self._come()
        try:
            while not turn.wait(_LOOK):
                check()
            yield
        finally:
            self._go(turn)

    def _come(self) -> threading.Event:
        turn = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                turn.set()
            else:
                self._waiting.append(turn)
        return turn

    def _go(self, turn: threading.Event) -> None:
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
            elif self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
