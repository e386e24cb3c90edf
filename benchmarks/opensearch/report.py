"""The figures as Markdown for docs/measurements.md and as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.opensearch.growth import Size
from benchmarks.opensearch.ingest import BARE as BARE_BULK
from benchmarks.opensearch.ingest import OURS, Ingests, Written
from benchmarks.opensearch.queries import BARE, COLD, COLD_BARE, READY, RETRIEVE, SEARCH, SIZE, Queries
from benchmarks.opensearch.rivals import NAMES, OWN_BARE

#: The ratios that are wanted at most.
WANTED_QUERY, WANTED_INGEST = 1.10, 1.2


def query_table(queries: Queries, notes: Mapping[str, str]) -> str:
    """Both legs by everybody: milliseconds, and how many times the bare call at p50."""
    lines = [
        f"{queries.material}: {queries.chunks} chunks, {queries.questions} questions in {queries.rounds} rounds, "
        f"{SIZE} hits a leg. Ratios at p50; in brackets the lowest and highest of a round.",
        "",
        "| what | p50 ms | p95 ms | / bare `_msearch` | / its own two searches bare |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in (BARE, READY, SEARCH, RETRIEVE):
        lines.append(_query_row(name, queries, BARE))
    for name in (COLD_BARE, COLD):
        lines.append(_query_row(name, queries, COLD_BARE))
    for name in NAMES:
        if name in queries.taken:
            lines.append(_query_row(f"{name}", queries, BARE, name + OWN_BARE))
        else:
            lines.append(f"| {name} | {notes.get(name, 'not asked for')} | | | |")
    versions = [note for name, note in notes.items() if name in queries.taken]
    lines += [
        "",
        f"First time: the counts of {queries.asked_terms:.0f} terms (median) are asked in the same round trip.",
    ]
    return "\n".join([*lines, *([f"Frameworks: {', '.join(versions)}."] if versions else [])])


def _query_row(name: str, queries: Queries, bare: str, own_bare: str | None = None) -> str:
    taken, against = queries.taken[name], queries.taken[bare]
    ratio = "1" if name == bare else _ratio(taken.ratio(against), taken.ratio_range(against))
    own = ""
    if own_bare:
        own_taken = queries.taken[own_bare]
        own = f"{_ratio(taken.ratio(own_taken), taken.ratio_range(own_taken))} of {own_taken.percentile(50):.2f} ms"
    return f"| {name} | {taken.percentile(50):.2f} | {taken.percentile(95):.2f} | {ratio} | {own} |"


def _ratio(ratio: float, between: tuple[float, float]) -> str:
    low, high = between
    return f"{ratio:.2f}" if low == high else f"{ratio:.2f} ({low:.2f}–{high:.2f})"


def ingest_table(ingests: Ingests) -> str:
    """Seconds of each round, and the ratio."""
    return "\n".join(
        [
            f"Ingest of {ingests.chunks} chunks with ready vectors, {len(ingests.ours)} rounds, order alternating.",
            "",
            "| what | median s | chunks/s | each round s | of it computed by the client |",
            "| --- | --- | --- | --- | --- |",
            _ingest_row(OURS, ingests.chunks, ingests.ours),
            _ingest_row(BARE_BULK, ingests.chunks, ingests.bare),
            "",
            f"Ratio of the medians {ingests.ratio:.2f}, wanted ≤ {WANTED_INGEST}: {verdict(ingests.ratio, WANTED_INGEST)}.",
        ]
    )


def _ingest_row(name: str, chunks: int, rounds: Sequence[Written]) -> str:
    median = statistics.median(written.seconds for written in rounds)
    computed = statistics.median(written.computed for written in rounds)
    each = " ".join(f"{written.seconds:.2f}" for written in rounds)
    return f"| {name} | {median:.2f} | {chunks / median:.0f} | {each} | {computed:.2f} |"


def growth_table(sizes: Sequence[Size]) -> str:
    """One row a size."""
    lines = [
        "| chunks | ingest chunks/s | index MB (segments) | engine.search p50 / p95 ms | / bare | retrieve p50 ms "
        "| server heap, old part MB | server resident MB | ingesting process grew MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for size in sizes:
        taken = size.queries.taken
        ratio = taken[SEARCH].ratio(taken[BARE])
        used = size.after_questions
        lines.append(
            f"| {size.chunks:,} | {size.chunks / size.ingest_seconds:.0f} | {_mb(size.index_bytes)} ({size.segments}) "
            f"| {taken[SEARCH].percentile(50):.2f} / {taken[SEARCH].percentile(95):.2f} | {ratio:.2f} "
            f"| {taken[RETRIEVE].percentile(50):.2f} | {_mb(used.heap)}, {_mb(used.old)} | {_mb(used.resident)} "
            f"| {_mb(size.client_grown)} |"
        )
    return "\n".join(lines)


def verdict(value: float, wanted: float) -> str:
    """Whether a ratio is as wanted."""
    return "ok" if value <= wanted else "MISSED"


def query_verdict(queries: Queries) -> str:
    """Whether the legs keep to the bare call."""
    ratios = {name: queries.taken[name].ratio(queries.taken[BARE]) for name in (SEARCH, RETRIEVE)}
    said = [f"{name} {ratio:.2f} ({verdict(ratio, WANTED_QUERY)})" for name, ratio in ratios.items()]
    return f"Wanted ≤ {WANTED_QUERY:.2f} of the bare call at p50: {', '.join(said)}."


def as_json(queries: Queries) -> dict[str, Any]:
    """The query figures for a file."""
    cold = {COLD: COLD_BARE}
    return {
        "material": queries.material,
        "chunks": queries.chunks,
        "questions": queries.questions,
        "rounds": queries.rounds,
        "asked_terms": queries.asked_terms,
        "subjects": {
            name: {
                "p50_ms": taken.percentile(50),
                "p95_ms": taken.percentile(95),
                "ratio_to_bare": taken.ratio(queries.taken[cold.get(name, BARE)]),
            }
            for name, taken in queries.taken.items()
        },
    }


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f}"
