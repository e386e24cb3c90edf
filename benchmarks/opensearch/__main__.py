"""Speed of the OpenSearch engine on a server of this machine: python -m benchmarks.opensearch [queries] [ingest] [growth].

Queries: both legs by the engine and by the whole retrieval (no embedding), against a bare `_msearch` of the same two
queries that returns the same fields, and beside them the hybrid retrieval of three frameworks (benchmarks/requirements.txt
in an environment of its own, named by --python). Ingest: our build against a bare bulk of the same documents. Growth: the
same collection at several sizes. Everything a table compares comes from one run, its subjects in random order. Vectors are
random: they cost what real ones cost and find nothing sensible. The run's indices have a prefix of their own and are
deleted at the end.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.material import SEED, Material, dataset, generated
from benchmarks.opensearch.growth import Size, index, measure_size
from benchmarks.opensearch.ingest import measure_ingest
from benchmarks.opensearch.queries import WARM_UP, Queries, measure_queries
from benchmarks.opensearch.report import as_json, growth_table, ingest_table, query_table, query_verdict
from benchmarks.opensearch.rivals import running_rivals
from benchmarks.opensearch.server import described, own_server, remove_indices
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.errors import CorpusError, KaijuanError

PARTS = ("queries", "ingest", "growth")
SIZES = (1_000, 10_000, 100_000)


def main(arguments: list[str] | None = None) -> int:
    """Run, print the tables, write the JSON; exit status 1 with a sentence when the server cannot be used."""
    options = _options(arguments)
    report: dict[str, Any] = {}
    try:
        with own_server(options.url) as server:
            for name, part in _run(server, options):
                report.setdefault(name, []).append(part)
                _write(options.json, report)  # a later part may be interrupted
    except KaijuanError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("已中断，本次建立的索引已删除。", file=sys.stderr)
        return 130
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.opensearch", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all when none is named")
    parser.add_argument("--url", default="http://127.0.0.1:9200", help="a server of this machine")
    parser.add_argument("--size", type=int, default=5_000, help="chunks of the queries and ingest parts")
    parser.add_argument(
        "--dataset", type=Path, help="folder with corpus.jsonl and queries.jsonl, for queries and ingest"
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="chunks of the growth part")
    parser.add_argument("--questions", type=int, default=100, help="questions that are measured")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is asked")
    parser.add_argument("--ingest-rounds", type=int, default=5, help="how often each way of writing is timed")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="interpreter that has the frameworks")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args(arguments)
    if wrong := [part for part in options.parts if part not in PARTS]:
        parser.error(f"没有名为 {wrong[0]} 的部分，可选 {'、'.join(PARTS)}。")
    options.parts = options.parts or list(PARTS)
    return options


def _run(server: Server, options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    client = Client(server)
    yield "environment", _environment(client)
    client.close()
    if {"queries", "ingest"} & set(options.parts):
        print("preparing …", file=sys.stderr, flush=True)
        material = _material(options)
    if "queries" in options.parts:
        queries, notes = _queries(server, material, options)
        print(f"\n{query_table(queries, notes)}\n{query_verdict(queries)}", flush=True)
        yield "queries", as_json(queries) | {"frameworks": notes}
        remove_indices(server)  # only now, since nobody would measure again for a server that has gone
    if "ingest" in options.parts:
        ingests = measure_ingest(server, material, options.ingest_rounds)
        print(f"\n{ingest_table(ingests)}", flush=True)
        yield "ingest", asdict(ingests) | {"ratio": ingests.ratio}
    if "growth" in options.parts:
        yield from _growth(server, options)


def _material(options: argparse.Namespace) -> Material:
    questions = options.questions + WARM_UP
    if not options.dataset:
        return generated(options.size, questions)
    try:
        material = dataset(options.dataset, options.size, questions)
    except (OSError, ValueError, KeyError) as error:
        raise CorpusError(
            f"数据集 {options.dataset} 读不出来（{error}），请指定含有 corpus.jsonl 和 queries.jsonl 的文件夹。"
        ) from error
    if len(material.questions) <= WARM_UP:
        raise CorpusError(
            f"数据集 {options.dataset} 只有 {len(material.questions)} 个问题，至少需要 {WARM_UP + 1} 个，请换一个数据集。"
        )
    return material


def _queries(server: Server, material: Material, options: argparse.Namespace) -> tuple[Queries, dict[str, str]]:
    index(server, "queries", material)
    with (
        tempfile.TemporaryDirectory(prefix="kaijuan-bench-") as folder,
        running_rivals(server, options.python, material, Path(folder)) as rivals,
    ):
        gc.collect()
        gc.freeze()  # the material is a million objects that a process answering questions would not have
        queries = measure_queries(server, "queries", material, options.rounds, SEED, rivals.subjects)
        gc.unfreeze()
        return queries, rivals.notes()


def _growth(server: Server, options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    sizes: list[Size] = []
    for chunks in options.sizes:
        print(f"{chunks} chunks: preparing …", file=sys.stderr, flush=True)
        material = generated(chunks, options.questions + WARM_UP)
        gc.collect()
        gc.freeze()
        sizes.append(measure_size(server, material, options.rounds, SEED))
        gc.unfreeze()
        del material
        print(f"\n{growth_table(sizes[-1:])}", file=sys.stderr, flush=True)
        yield "growth", _size_json(sizes[-1])
    print(f"\n{growth_table(sizes)}", flush=True)


def _size_json(size: Size) -> dict[str, Any]:
    return {
        "chunks": size.chunks,
        "ingest_seconds": size.ingest_seconds,
        "index_bytes": size.index_bytes,
        "segments": size.segments,
        "after_ingest": asdict(size.after_ingest),
        "after_questions": asdict(size.after_questions),
        "client_grown": size.client_grown,
        "queries": as_json(size.queries),
    }


def _environment(client: Client) -> dict[str, Any]:
    return described(client) | {"cpus": os.cpu_count(), "load": os.getloadavg()}


def _write(file: Path | None, report: dict[str, Any]) -> None:
    if file:
        file.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
