"""Speed and memory of an ingest without its model: python -m benchmarks.ingest [--files N] [--json FILE].

Seconds are taken by the clock and by the processor; on a busy machine the second ones say what the code costs. The
whole ingest and its memory are measured in processes of their own, in which no embedding model is loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from kaijuan.chunking import chunk, recipe
from kaijuan.collection import load_collection
from kaijuan.engines.base import BuildMeta
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.indexing.build import build, corpus_hash
from kaijuan.indexing.ingest import Ingesting, ingest
from kaijuan.readers import read_folder
from kaijuan.text import ANALYZER, analyze
from kaijuan.types import Document

SEED, FILES, COLLECTION = 20261130, 10_000, "bench"
WANTED_CHUNKS, WANTED_MB, WANTED_MEMORY_MB = 2_000.0, 5.0, 300.0
_MB = 1024 * 1024
T = TypeVar("T")
_NAMES = ["净水器", "扫地机", "加湿器", "电饭煲", "空调扇", "吸尘器", "投影仪", "打印机"]
_THEMES = ["保修", "退货", "换货", "运费", "发票", "安装", "清洗", "充电", "投诉", "会员"]
_SENTENCES = (
    "{p}的{t}规定自公布之日起执行，此前的说明同时停止使用。",
    "客户询问{p}的{t}时，先核对订单编号和收货人姓名，再按本页答复。",
    "{p}超过 {n} 天未处理的{t}申请由系统自动关闭，客户可以重新提交。",
    "照片要能看清外包装、面单和机身铭牌，型号以 {p}-{n} 的形式登记。",
    "涉及{t}的费用在 {n} 元以内由门店承担，超出部分报主管审批。",
    "节假日期间{t}的处理时间可能顺延，请提前告知客户。",
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one step by the clock and by the processor."""

    step: str
    clock: float
    processor: float


def main(arguments: list[str] | None = None) -> int:
    """Run, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, help="Markdown files of the collection")
    parser.add_argument("--json", type=Path, help="where the figures go too")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.alone:
        print(json.dumps(_whole_ingest(options.alone)))
        return 0
    with tempfile.TemporaryDirectory(prefix="kaijuan-bench-") as folder:
        root = Path(folder)
        size = _write(root / "corpus" / COLLECTION, options.files)
        steps, chunks = _steps(root)
        whole = _in_a_process(root)
    report = {
        "files": options.files,
        "megabytes": size / _MB,
        "chunks": chunks,
        "steps": [asdict(cost) for cost in steps],
        "whole": whole,
        "environment": {"cpus": os.cpu_count(), "load": os.getloadavg()},
    }
    print(_table(size, chunks, options.files, steps, whole))
    if options.json:
        options.json.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def _write(folder: Path, files: int) -> int:
    """Markdown files with headings, prose, lists and tables; their bytes together."""
    chance = random.Random(SEED)
    folder.mkdir(parents=True)
    (folder / "collection.toml").write_text('title = "基准"\n', encoding="utf-8")
    size = 0
    for number in range(files):
        target = folder / f"{number // 500:03d}" / f"{number:05d}.md"
        target.parent.mkdir(exist_ok=True)
        data = _article(chance, number).encode("utf-8")
        target.write_bytes(data)
        size += len(data)
    return size


def _article(chance: random.Random, number: int) -> str:
    name = f"{chance.choice(_NAMES)} {number:05d}"
    parts = [f"---\nid: a{number:05d}\nupdated: 2026-03-05\n---\n\n# {name}服务说明\n"]
    for theme in chance.sample(_THEMES, chance.randint(2, 5)):
        said = [
            chance.choice(_SENTENCES).format(p=name, t=theme, n=chance.randint(2, 99))
            for _ in range(chance.randint(4, 12))
        ]
        half = len(said) // 2
        parts.append(f"## {theme}\n\n{''.join(said[:half])}\n")
        if chance.random() < 0.3:
            rows = "\n".join(f"| {other} | {chance.randint(1, 99)} 天 |" for other in chance.sample(_THEMES, 5))
            parts.append(f"| 项目 | 期限 |\n| --- | --- |\n{rows}\n")
        parts.append("\n".join(f"- {sentence}" for sentence in said[half:]) + "\n")
    return "\n".join(parts)


def _steps(root: Path) -> tuple[list[Cost], int]:
    """What each step costs, and how many chunks there are; the build analyses once more what "analyse" shows apart."""
    costs: list[Cost] = []
    folder = root / "corpus" / COLLECTION
    documents: tuple[Document, ...] = _timed("read", costs, lambda: read_folder(folder).documents)
    chunks = _timed("chunk", costs, lambda: [c for d in documents for c in chunk(d)])
    engine = EmbeddedEngine(root / "steps")
    meta = BuildMeta(COLLECTION, None, 0, recipe(512, 64), ANALYZER, corpus_hash(chunks), "bench", form=engine.form)
    _timed("build", costs, lambda: build(engine, meta, chunks, None, None))
    _timed("analyse", costs, lambda: [bool(analyze(c.search_text)) for c in chunks])
    return costs, len(chunks)


def _timed(step: str, costs: list[Cost], work: Callable[[], T]) -> T:
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    costs.append(Cost(step, time.perf_counter() - clock, time.process_time() - processor))
    return result


def _in_a_process(root: Path) -> dict[str, float]:
    """Figures of a whole ingest in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.ingest", "--alone", str(root)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _whole_ingest(root: Path) -> dict[str, float]:
    """Seconds of an ingest up to the version that answers, and MB of memory at its height and before it."""
    collection = load_collection(root / "corpus", COLLECTION)
    tools = Ingesting(EmbeddedEngine(root / "index"), None, root / "vectors.sqlite", root / "locks")
    before, processor = _peak(), time.process_time()
    report = ingest(collection, tools)
    return {
        "clock": report.seconds,
        "health": report.health_seconds,
        "processor": time.process_time() - processor,
        "chunks": report.chunks,
        "before_mb": before,
        "peak_mb": _peak(),
    }


def _peak() -> float:
    """MB of memory at the height so far; what getrusage says begins at the height of the process that started this one."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(dict(line.split(":", 1) for line in lines)["VmHWM"].split()[0]) / 1024


def _table(size: int, chunks: int, files: int, steps: list[Cost], whole: dict[str, float]) -> str:
    megabytes = size / _MB
    text = Cost("read + chunk", sum(c.clock for c in steps[:2]), sum(c.processor for c in steps[:2]))
    three = Cost("read + chunk + build", sum(c.clock for c in steps[:3]), sum(c.processor for c in steps[:3]))
    alone = Cost("whole ingest with health", whole["clock"] + whole["health"], whole["processor"])
    lines = [
        f"{files} Markdown files, {megabytes:.1f} MB, {chunks} chunks; load {os.getloadavg()[0]:.1f} "
        f"on {os.cpu_count()} cores",
        "",
        "| step | s, clock | s, processor | chunks/s, clock | chunks/s, processor | MB/s, clock | MB/s, processor |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for c in (*steps, text, three, alone):
        rates = [f"{chunks / t:,.0f}" for t in (c.clock, c.processor)]
        rates += [f"{megabytes / t:.1f}" for t in (c.clock, c.processor)]
        lines.append(f"| {c.step} | {c.clock:.1f} | {c.processor:.1f} | {' | '.join(rates)} |")
    grown = whole["peak_mb"] - whole["before_mb"]
    lines += ["", "| wanted | by the clock | by the processor |", "| --- | --- | --- |"]
    lines.append(
        _against(f"≥ {WANTED_CHUNKS:,.0f} chunks/s", WANTED_CHUNKS, chunks / three.clock, chunks / three.processor)
    )
    lines.append(_against(f"≥ {WANTED_MB} MB/s of text", WANTED_MB, megabytes / text.clock, megabytes / text.processor))
    held = "ok" if grown <= WANTED_MEMORY_MB else "MISSED"
    lines.append(
        f"| ≤ {WANTED_MEMORY_MB:.0f} MB above the start ({whole['before_mb']:.0f} MB) | {grown:.0f} MB {held} | |"
    )
    return "\n".join(lines)


def _against(what: str, wanted: float, *measured: float) -> str:
    return f"| {what} | " + " | ".join(f"{m:,.1f} {'ok' if m >= wanted else 'MISSED'}" for m in measured) + " |"


if __name__ == "__main__":
    sys.exit(main())
