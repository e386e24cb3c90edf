"""Prometheus' text format 0.0.4, written from families of samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from kaijuan.records.meters import BOUNDS, Histogram, Key

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Kind = Literal["counter", "gauge"]


@dataclass(frozen=True, slots=True)
class Family:
    """A metric's name, what it says, the names of its labels, and values by the labels' own."""

    name: str
    says: str
    labels: tuple[str, ...]
    values: Mapping[Key, float]
    kind: Kind = "counter"


@dataclass(frozen=True, slots=True)
class HistogramFamily:
    """The same of a histogram of seconds."""

    name: str
    says: str
    labels: tuple[str, ...]
    values: Mapping[Key, Histogram]


def text_of(families: Iterable[Family | HistogramFamily]) -> str:
    """All families, the samples of each in the order of their labels."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family | HistogramFamily) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped_help(family.says)}"
    if isinstance(family, Family):
        yield f"# TYPE {family.name} {family.kind}"
        for key, value in sorted(family.values.items()):
            yield _sample(family.name, dict(zip(family.labels, key, strict=True)), value)
        return
    yield f"# TYPE {family.name} histogram"
    for key, histogram in sorted(family.values.items(), key=lambda item: item[0]):
        yield from _of_histogram(family.name, dict(zip(family.labels, key, strict=True)), histogram)


def _of_histogram(name: str, labels: dict[str, str], histogram: Histogram) -> Iterator[str]:
    """Buckets count what is at most as large as their bound, so each holds those before it."""
    bounds = [*map(str, BOUNDS), "+Inf"]
    for bound, count in zip(bounds, accumulate(histogram.counts), strict=True):
        yield _sample(f"{name}_bucket", {**labels, "le": bound}, count)
    yield _sample(f"{name}_sum", labels, histogram.total)
    yield _sample(f"{name}_count", labels, sum(histogram.counts))


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(said)}"' for label, said in labels.items())
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def _escaped(value: str) -> str:
    r"""A label's value as it stands between quotes.

    >>> print(_escaped('a"b\\c'))
    a\"b\\c
    """
    return _escaped_help(value).replace('"', '\\"')


def _escaped_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
