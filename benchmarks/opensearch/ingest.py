"""Writing an index: our build with ready chunks and vectors, against a bare bulk of the very same documents."""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from opensearchpy import OpenSearch
from opensearchpy.helpers import bulk

from benchmarks.material import Material
from benchmarks.opensearch.queries import build_meta
from benchmarks.opensearch.server import remove_indices
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.documents import Json, analysis_of, document_id, to_document
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.engines.opensearch.stored_meta import to_meta

#: Chunks that are handed to a build at a time.
BATCH = 500
OURS, BARE = "our build, add to finish", "bare bulk, refresh, flush, count"
_COLLECTION, _MARK, _DECIMALS = "ingest", "bench", 10


@dataclass(frozen=True, slots=True)
class Written:
    """One index written: seconds by the clock, and seconds this process computed meanwhile."""

    seconds: float
    computed: float


@dataclass(frozen=True, slots=True)
class Ingests:
    """Every round of both ways; the same places in both are one round."""

    chunks: int
    ours: list[Written]
    bare: list[Written]

    @property
    def ratio(self) -> float:
        """Median seconds of ours by those of the bare bulk."""
        return statistics.median(w.seconds for w in self.ours) / statistics.median(w.seconds for w in self.bare)


def measure_ingest(server: Server, material: Material, rounds: int) -> Ingests:
    """Index the material `rounds` times each way, alternating which way begins, after one round of both to warm up."""
    documents = [_document(material, place) for place in range(len(material.chunks))]
    gc.collect()
    gc.freeze()
    ways = {OURS: lambda: _ours(server, material), BARE: lambda: _bare(server, documents)}
    taken: dict[str, list[Written]] = {OURS: [], BARE: []}
    for number in range(rounds + 1):
        print(f"ingest: round {number} of {rounds}", file=sys.stderr, flush=True)
        for way in (OURS, BARE) if number % 2 else (BARE, OURS):
            taken[way].append(ways[way]())
            remove_indices(server, f"{_COLLECTION}*")
    gc.unfreeze()
    return Ingests(len(documents), taken[OURS][1:], taken[BARE][1:])


def _document(material: Material, place: int) -> Json:
    chunk = material.chunks[place]
    vector = np.round(material.vectors[place].astype(np.float64), _DECIMALS).tolist()
    return to_document(chunk, analysis_of(chunk), _MARK) | {"vector": vector}


def _ours(server: Server, material: Material) -> Written:
    engine = OpenSearchEngine(server)
    build = engine.open_build(build_meta(_COLLECTION))
    start = _clocks()
    for begin in range(0, len(material.chunks), BATCH):
        build.add(material.chunks[begin : begin + BATCH], material.vectors[begin : begin + BATCH])
    build.finish()
    written = _since(start)
    engine.close()
    return written


def _bare(server: Server, documents: list[Json]) -> Written:
    schema, meta = Schema(), build_meta(_COLLECTION)
    index = f"{server.prefix}{_COLLECTION}-bare"
    own = Client(server)
    own.once("PUT", f"/{index}", schema.index_body(meta, to_meta(meta, _MARK, schema.fingerprint, None)))
    own.close()
    client = OpenSearch(hosts=[server.url], timeout=server.timeout)
    start = _clocks()
    bulk(client, _actions(documents), index=index)
    client.indices.refresh(index=index)
    client.indices.flush(index=index)
    there = client.count(index=index)["count"]
    written = _since(start)
    client.close()
    if there != len(documents):
        raise RuntimeError(f"the bare bulk wrote {there} of {len(documents)} documents")
    return written


def _clocks() -> Written:
    return Written(time.perf_counter(), time.process_time())


def _since(start: Written) -> Written:
    now = _clocks()
    return Written(now.seconds - start.seconds, now.computed - start.computed)


def _actions(documents: list[Json]) -> Iterator[dict[str, Any]]:
    for document in documents:
        yield {"_op_type": "create", "_id": document_id(document["id"]), "_source": document}
