"""What one process has answered since it started, as counters that only rise and histograms of seconds.

Not read from the file of records: old answers are deleted there every day, and whoever watches a counter takes one that
falls for a restart and adds all of it once more.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kaijuan.answering.types import Event
from kaijuan.errors import QuestionError
from kaijuan.records.types import AnswerRecord

#: Upper bounds of the buckets, in seconds; what takes longer than the last is counted as well.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

#: A measure's name with the values of its labels.
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values fell into each bucket (the last one beyond all bounds), and their sum in seconds."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)
    total: float = 0.0

    def with_value(self, seconds: float) -> Histogram:
        """The histogram with one more value."""
        place = bisect_left(BOUNDS, seconds)
        counts = tuple(count + (number == place) for number, count in enumerate(self.counts))
        return Histogram(counts, self.total + seconds)


@dataclass(frozen=True, slots=True)
class Counted:
    """All measures at one moment."""

    counters: dict[Key, int]
    histograms: dict[Key, Histogram]


class Meters:
    """Counts answers; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: Counter[Key] = Counter()
        self._histograms: dict[Key, Histogram] = {}

    def watched(self, collection: str, start: Callable[[], Iterator[Event]]) -> Iterator[Event]:
        """The events that `start` begins; an answer that ends in an error counts as failed, a bad question does not.

        Raises what `start` raises.
        """
        try:
            events = start()
        except QuestionError:
            raise
        except Exception:
            self._failed(collection)
            raise
        return self._watching(collection, events)

    def answered(self, record: AnswerRecord) -> None:
        """Count a finished answer, whether it is kept or not."""
        where = record.collection
        with self._lock:
            self._count("answers", where, "answered" if record.refused is None else "refused")
            if record.refused is not None:
                self._count("refusals", where, record.refused)
            self._count("citations", where, amount=record.cited)
            self._count("invented", where, amount=record.invented)
            self._count("empty", where, amount=int(record.empty))
            self._count("incomplete", where, amount=int(record.incomplete))
            self._count("unsupported", where, amount=record.unsupported or 0)
            self._count("tokens", where, "input", amount=record.input_tokens or 0)
            self._count("tokens", where, "output", amount=record.output_tokens or 0)
            self._observe("answer_seconds", where, seconds=record.seconds)
            for stage in record.stages:
                self._observe("stage_seconds", stage.stage, seconds=stage.seconds)
            if record.first_text_seconds is not None:
                self._observe("first_text_seconds", where, seconds=record.first_text_seconds)

    def counted(self) -> Counted:
        """All measures, taken together."""
        with self._lock:
            return Counted(dict(self._counters), dict(self._histograms))

    def _watching(self, collection: str, events: Iterator[Event]) -> Iterator[Event]:
        try:
            yield from events
        except Exception:
            self._failed(collection)
            raise

    def _failed(self, collection: str) -> None:
        with self._lock:
            self._count("answers", collection, "failed")

    def _count(self, *key: str, amount: int = 1) -> None:
        self._counters[key] += amount

    def _observe(self, *key: str, seconds: float) -> None:
        self._histograms[key] = self._histograms.get(key, Histogram()).with_value(seconds)
