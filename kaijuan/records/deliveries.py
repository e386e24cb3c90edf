"""Tickets on their way to another system: told in the background, again after growing waits, taken up at every start.

One process tells at a time. Waits and tries are this process's own: a start begins them anew, and a ticket that could
not be told stays in the records with the reason.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from kaijuan.errors import KaijuanError
from kaijuan.records.filelock import file_lock
from kaijuan.records.store import Records
from kaijuan.records.tickets import told, untold
from kaijuan.records.types import Ticket
from kaijuan.records.webhook import Receiver, Told, tell

_log = logging.getLogger("kaijuan.webhook")

#: Seconds before the second try; each further wait is four times as long, up to the longest. Ten tries are some 5 hours.
FIRST_WAIT, GROWTH, LONGEST_WAIT = 1.0, 4.0, 3600.0
TRIES = 10
#: Seconds between two rounds at least, as when a ticket is due and another process holds the lock.
SHORTEST_WAIT = 0.2
#: Seconds between looks for tickets that another process left waiting.
LOOK = 60.0


@dataclass(frozen=True, slots=True)
class Try:
    """Tries of one ticket so far, and when the next one is due (time.monotonic)."""

    number: int = 0
    due: float = 0.0


@dataclass(frozen=True, slots=True)
class Round:
    """What one round came to: tickets told, given up, and still waiting."""

    sent: int = 0
    failed: int = 0
    waiting: int = 0


class Deliveries:
    """Tells one receiver of the tickets that wait for it; safe to share between threads."""

    def __init__(
        self,
        records: Records,
        receiver: Receiver,
        first_wait: float = FIRST_WAIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._records = records
        self._receiver = receiver
        self._first_wait = first_wait
        self._clock = clock
        self._tries: dict[str, Try] = {}
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin to tell what waits, now and from now on; once."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="kaijuan-webhook")
                self._thread.start()

    def wake(self) -> None:
        """Look now: there is a new ticket."""
        self._wake.set()

    def stop(self) -> None:
        """End the thread; what waits is told after the next start."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def round(self) -> Round:
        """Tell every ticket that is due, once; raises RecordsError.

        While another process tells, all of them wait.
        """
        waiting = untold(self._records)
        self._tries = {ticket.id: self._tries.get(ticket.id, Try()) for ticket in waiting}
        done = Round()
        try:
            with file_lock(self._records.path.with_name(f"{self._records.path.name}.webhook.lock"), patience=0.0):
                # Another process may have told some of them since.
                for ticket in untold(self._records):
                    done = self._tell(ticket, done)
        except OSError:
            return replace(done, waiting=len(waiting) - done.sent - done.failed)
        return done

    def _tell(self, ticket: Ticket, done: Round) -> Round:
        tries = self._tries.get(ticket.id, Try())
        if self._stop.is_set() or tries.due > self._clock():
            return replace(done, waiting=done.waiting + 1)
        came = tell(self._receiver, ticket)
        if came.outcome == "sent":
            told(self._records, ticket.id, "sent")
            return replace(done, sent=done.sent + 1)
        _log.warning("ticket %s: %s", ticket.id, came.said)
        if came.outcome == "failed" or tries.number + 1 >= TRIES:
            told(self._records, ticket.id, "failed", came.said)
            return replace(done, failed=done.failed + 1)
        told(self._records, ticket.id, "waiting", came.said)
        self._tries[ticket.id] = Try(tries.number + 1, self._clock() + self._wait(tries.number, came))
        return replace(done, waiting=done.waiting + 1)

    def _wait(self, tried: int, came: Told) -> float:
        return min(max(self._first_wait * GROWTH**tried, came.wait), LONGEST_WAIT)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            try:
                self.round()
            except KaijuanError as error:
                _log.warning("%s", error)
            except Exception:  # the thread must outlive whatever one ticket does
                _log.exception("telling tickets failed")
            due = [tries.due - self._clock() for tries in self._tries.values() if tries.due > 0]
            self._wake.wait(max(min([LOOK, *due]), SHORTEST_WAIT))
