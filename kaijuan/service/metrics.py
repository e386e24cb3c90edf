"""What /metrics tells: counters of this process since it started, and what the records hold now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kaijuan.errors import RecordsError
from kaijuan.records.held import Held, held
from kaijuan.records.meters import Counted, Histogram, Key
from kaijuan.service.exposition import Family, HistogramFamily, text_of
from kaijuan.wiring import Services

_OUTCOMES = ("answered", "refused", "failed")
#: Measure, metric, labels, what it says.
_COUNTERS = (
    ("answers", "answers", ("collection", "outcome"), "Questions that were answered, refused or failed."),
    ("refusals", "refusals", ("collection", "reason"), "Refusals by their reason."),
    ("citations", "citations", ("collection",), "Sources cited by answers."),
    ("invented", "citations_invented", ("collection",), "Citation numbers that named no source and were removed."),
    ("empty", "answers_empty", ("collection",), "Answers that cite nothing."),
    ("incomplete", "answers_incomplete", ("collection",), "Answers that broke off."),
    ("unsupported", "sentences_unsupported", ("collection",), "Sentences whose cited passage does not hold them."),
    ("tokens", "tokens", ("collection", "direction"), "Tokens of the language model as far as they are known."),
)
_HISTOGRAMS = (
    ("answer_seconds", ("collection",), "Seconds of a whole answer."),
    ("first_text_seconds", ("collection",), "Seconds until a model's first text."),
    ("stage_seconds", ("stage",), "Seconds of a stage of an answer."),
)


def metrics_text(services: Services) -> str:
    """All metrics in the text format."""
    return text_of([*_of_process(services), *_of_records(services)])


def _of_process(services: Services) -> Iterator[Family | HistogramFamily]:
    counted = services.meters.counted()
    for measure, name, labels, says in _COUNTERS:
        values = _counters(counted, measure)
        if measure == "answers":
            values = {**dict.fromkeys(_from_the_start(services), 0), **values}
        yield Family(f"kaijuan_{name}_total", says, labels, values)
    for measure, labels, says in _HISTOGRAMS:
        yield HistogramFamily(f"kaijuan_{measure}", says, labels, _histograms(counted, measure))


def _from_the_start(services: Services) -> Iterator[Key]:
    """Labels that stand there before anything happened, so that the first time is seen as a rise."""
    for name in services.collection_names():
        yield from ((name, outcome) for outcome in _OUTCOMES)


def _counters(counted: Counted, measure: str) -> dict[Key, float]:
    return {key[1:]: value for key, value in counted.counters.items() if key[0] == measure}


def _histograms(counted: Counted, measure: str) -> Mapping[Key, Histogram]:
    return {key[1:]: value for key, value in counted.histograms.items() if key[0] == measure}


def _of_records(services: Services) -> Iterator[Family]:
    """What stands in the file; where it cannot be read, that alone is told."""
    found: Held | None = None
    if services.records is not None:
        try:
            found = held(services.records)
        except RecordsError:
            found = None
    says = "Whether the records could be read for these metrics."
    yield Family("kaijuan_records_readable", says, (), {(): int(found is not None)}, "gauge")
    if found is None:
        return
    says = "Answers in the records; old ones are deleted."
    yield Family("kaijuan_records_answers", says, ("collection", "outcome"), _of_answers(found), "gauge")
    yield Family("kaijuan_thumbs", "Answers by what people thought of them.", ("kind",), _keyed(found.thumbs), "gauge")
    yield Family("kaijuan_tickets", "Questions handed over, by status.", ("status",), _keyed(found.tickets), "gauge")


def _of_answers(found: Held) -> dict[Key, float]:
    return {(collection, outcome): number for (collection, outcome), number in found.answers.items()}


def _keyed(values: Mapping[str, int]) -> dict[Key, float]:
    return {(name,): value for name, value in values.items()}
