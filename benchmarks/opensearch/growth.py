"""What becomes of speed, space and memory as a collection grows."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from benchmarks.material import Material
from benchmarks.opensearch.ingest import BATCH
from benchmarks.opensearch.queries import Queries, build_meta, measure_queries
from benchmarks.opensearch.server import Usage, remove_indices, resident, stored, usage
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine

#: Chunks between two lines of progress.
_SAID_EVERY = 10_000


@dataclass(frozen=True, slots=True)
class Size:
    """One size: seconds of its ingest, bytes and segments as they stand, what the server used afterwards.

    `client_grown` is how much the process that ingests grew meanwhile, the material itself excepted.
    """

    chunks: int
    ingest_seconds: float
    index_bytes: int
    segments: int
    after_ingest: Usage
    after_questions: Usage
    client_grown: int
    queries: Queries


def index(server: Server, collection: str, material: Material) -> tuple[float, int]:
    """Build and activate the material's index: the seconds it took, and by how many bytes this process grew."""
    engine = OpenSearchEngine(server)
    at_first = largest = resident()
    build = engine.open_build(build_meta(collection))
    start = time.perf_counter()
    total = len(material.chunks)
    for begin in range(0, total, BATCH):
        build.add(material.chunks[begin : begin + BATCH], material.vectors[begin : begin + BATCH])
        largest = max(largest, resident())
        done = min(begin + BATCH, total)
        if done % _SAID_EVERY == 0:
            print(
                f"  {done} of {total} chunks, {done / (time.perf_counter() - start):.0f}/s", file=sys.stderr, flush=True
            )
    version = build.finish().name
    seconds = time.perf_counter() - start
    largest = max(largest, resident())
    engine.activate(collection, version)
    engine.close()
    return seconds, largest - at_first


def measure_size(server: Server, material: Material, rounds: int, seed: int) -> Size:
    """Index the material, ask its questions, and delete the index."""
    collection = f"growth{len(material.chunks)}"
    seconds, grown = index(server, collection, material)
    client = Client(server)
    size, segments = stored(client, f"{server.prefix}{collection}")
    after_ingest = usage(client)
    queries = measure_queries(server, collection, material, rounds, seed, {})
    after_questions = usage(client)
    client.close()
    remove_indices(server, f"{collection}*")
    return Size(
        chunks=len(material.chunks),
        ingest_seconds=seconds,
        index_bytes=size,
        segments=segments,
        after_ingest=after_ingest,
        after_questions=after_questions,
        client_grown=grown,
        queries=queries,
    )
