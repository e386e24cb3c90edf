"""Speed and memory of the embedded engine: python -m benchmarks.search [--quick] [--sizes …] [--dataset DIR] [--json FILE].

Every figure of one size comes from one run with interleaved rounds; a ratio is the median over the rounds, so that a
busy machine does not favour anybody. Vectors are random: they cost the same as real ones and find nothing sensible.
Each generated question is asked once, so that caches hold only what other questions left there.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.material import DIMS, Material, dataset, generated
from benchmarks.memory import searching_memory
from benchmarks.rounds import Timing, measure
from benchmarks.subjects import COLLECTION, disagreement, index, subjects

SIZES = (1_000, 5_000, 20_000, 50_000)
QUICK_SIZES = (1_000, 5_000)
#: What is divided by what, and the wanted ratio.
RATIOS = (
    ("keyword ranking", "bm25s direct", 1.0),
    ("keyword ranking", "bm25s.retrieve", 1.0),
    ("keyword hits", "bm25s.retrieve", None),
    ("vector hits", "numpy product", 1.2),
)
RETRIEVE_MS, RETRIEVE_AT = 10.0, 5_000


def main(arguments: list[str] | None = None) -> int:
    """Run, print the table, write the JSON."""
    options = _options(arguments)
    materials: list[tuple[str, int]] = [("generated", size) for size in options.sizes]
    if options.dataset:
        materials.append((str(options.dataset), max(options.dataset_size, 1)))
    results = []
    for name, size in materials:
        print(f"{name} {size}: preparing …", file=sys.stderr)
        material = (
            generated(size, options.questions) if name == "generated" else dataset(Path(name), size, options.questions)
        )
        results.append(_run(material))
        print(_table(results[-1]), flush=True)
        gc.collect()
    print(_growth(results))
    if options.json:
        report = {"environment": _environment(), "results": results}
        options.json.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
        print(f"JSON: {options.json}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="chunks of the generated indexes")
    parser.add_argument("--questions", type=int, default=300, help="questions a size")
    parser.add_argument("--dataset", type=Path, help="folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("--dataset-size", type=int, default=5_000, help="passages taken from it")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/search.json"), help="where the figures go")
    parser.add_argument("--quick", action="store_true", help="small sizes and few questions")
    options = parser.parse_args(arguments)
    if options.quick:
        options.sizes, options.questions = list(QUICK_SIZES), min(options.questions, 60)
    return options


def _run(material: Material) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="kaijuan-bench-") as folder:
        indexed = index(material, Path(folder))
        memory = searching_memory(Path(folder), COLLECTION, DIMS, material.questions[:100])
        timed = subjects(material, indexed.engine)
        different = disagreement(material, timed)
        # The test material is a few million objects that a server would not have; collecting them is not its work.
        gc.collect()
        gc.freeze()
        timings = measure(timed, len(material.questions), material.name)
        stages = _stages(timed["retrieve"], min(100, len(material.questions)))
        gc.unfreeze()
    chunks = len(material.chunks)
    return {
        "material": material.name,
        "chunks": chunks,
        "questions": len(material.questions),
        "median_chars": float(np.median([len(chunk.text) for chunk in material.chunks])),
        "timings_ms": {name: {"p50": t.p50, "p95": t.p95} for name, t in timings.items()},
        "retrieve_stages_ms": stages,
        "ratios": _ratios(timings),
        "largest_difference_from_bm25s": different,
        "build_seconds": indexed.seconds,
        "disk_bytes_per_chunk": indexed.disk_bytes / chunks,
        "memory_bytes_per_chunk": {kind: size / chunks for kind, size in memory.items()},
    }


def _stages(retrieve: Callable[[int], Any], questions: int) -> dict[str, float]:
    """Median milliseconds of each stage, from the traces themselves."""
    traces = [retrieve(question) for question in range(questions)]
    stages = zip(*(trace.stages for trace in traces), strict=True)
    return {column[0].stage: float(np.median([stage.seconds for stage in column])) * 1000 for column in stages}


def _ratios(timings: dict[str, Timing]) -> list[dict[str, Any]]:
    return [
        {"ours": ours, "theirs": theirs, "ratio": timings[ours].ratio(timings[theirs]), "wanted": wanted}
        for ours, theirs, wanted in RATIOS
        if theirs in timings
    ]


def _table(result: dict[str, Any]) -> str:
    lines = [
        f"\n{result['material']}: {result['chunks']} chunks, median {result['median_chars']:.0f} characters, "
        f"{result['questions']} questions, top 50"
    ]
    lines += [
        f"  {name:18s} p50 {t['p50']:9.3f} ms   p95 {t['p95']:9.3f} ms" for name, t in result["timings_ms"].items()
    ]
    lines.append("  retrieve by stage: " + "  ".join(f"{k} {v:.2f}" for k, v in result["retrieve_stages_ms"].items()))
    for row in result["ratios"]:
        wanted = (
            "" if row["wanted"] is None else f"   wanted ≤ {row['wanted']}  {_verdict(row['ratio'], row['wanted'])}"
        )
        lines.append(f"  {row['ours']} / {row['theirs']:15s} {row['ratio']:6.2f}{wanted}")
    if result["chunks"] <= RETRIEVE_AT:
        took = result["timings_ms"]["retrieve"]["p50"]
        lines.append(f"  retrieve p50 {took:.2f} ms   wanted ≤ {RETRIEVE_MS} ms  {_verdict(took, RETRIEVE_MS)}")
    if result["largest_difference_from_bm25s"] is not None:
        lines.append(f"  scores differ from bm25s by at most {result['largest_difference_from_bm25s']:.1e} (relative)")
    memory = result["memory_bytes_per_chunk"]
    lines.append(
        f"  a chunk: {result['disk_bytes_per_chunk']:.0f} bytes on disk; searching 100 questions takes "
        f"{memory['own']:.0f} bytes of own and {memory['mapped']:.0f} of mapped memory; built in {result['build_seconds']:.1f} s"
    )
    return "\n".join(lines)


def _verdict(value: float, wanted: float) -> str:
    return "ok" if value <= wanted else "MISSED"


def _growth(results: list[dict[str, Any]]) -> str:
    rows = [r for r in results if r["material"].startswith("generated")]
    names = ("keyword ranking", "keyword hits", "vector hits", "retrieve")
    lines = ["\ngrowth, p50 ms", "  chunks   " + "".join(f"{name:>17s}" for name in names)]
    lines += [f"  {r['chunks']:8d} " + "".join(f"{r['timings_ms'][n]['p50']:17.3f}" for n in names) for r in rows]
    return "\n".join(lines)


def _environment() -> dict[str, Any]:
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "default")
    return {"cpus": os.cpu_count(), "load": os.getloadavg(), "blas_threads": threads, "numpy": np.__version__}


if __name__ == "__main__":
    sys.exit(main())
