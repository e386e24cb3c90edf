"""`python -m ingest NAME… | --all | NAME --watch | versions NAME | rollback NAME [VERSION]`: a thin face over kaijuan.indexing."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from kaijuan.errors import EngineNotReady, IngestError, IngestLocked, KaijuanError
from kaijuan.indexing.gate import NOTE, Verdict, changes
from kaijuan.indexing.health import KINDS, Health
from kaijuan.indexing.ingest import IngestReport, ingest, is_indexed
from kaijuan.indexing.report import write_files, write_report
from kaijuan.indexing.versions import rollback
from kaijuan.indexing.waiting import wait_until_ready
from kaijuan.indexing.watch import Watch
from kaijuan.wiring import Services, load_services

#: Seconds that a search engine may take to come up, for all collections together.
PATIENCE = 60.0
#: Seconds after which a watched collection is tried again that another process indexes, or whose engine is not ready.
AGAIN = 5.0
#: What the gate said, for people.
_OUTCOMES = {
    "passed": "通过",
    "overridden": "没有通过，已按 --no-gate 强制切换",
    "first": "首次建立，没有可比的旧索引",
    "unlabelled": "没有标注的问题，未检查",
    "incomparable": "旧索引换了模型且没有同一批问题的记录，无法比较",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0 only when everything asked for was done."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        services = load_services()
        if arguments[:1] == ["versions"]:
            return _versions(services, arguments[1:])
        if arguments[:1] == ["rollback"]:
            return _rollback(services, arguments[1:])
        return _ingest(services, arguments)
    except KaijuanError as error:
        print(error, file=sys.stderr)
        return 1


def _ingest(services: Services, arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m ingest", description="为集合建立索引。")
    parser.add_argument("names", nargs="*", metavar="NAME", help="集合名")
    parser.add_argument("--all", action="store_true", help="所有集合")
    parser.add_argument("--if-missing", action="store_true", help="已有可用索引的集合不再处理")
    parser.add_argument("--no-gate", action="store_true", help="质量门禁不通过也切换（会记录在版本里）")
    parser.add_argument("--watch", action="store_true", help="文档改动后自动重建，Ctrl-C 结束")
    parser.add_argument("--report", type=Path, metavar="FILE", help="报告另存为 FILE（.html 和 .json 各一份）")
    options = parser.parse_args(arguments)
    names = services.collection_names() if options.all else options.names
    if not names:
        print("请给出集合名，或用 --all 处理所有集合；例：python -m ingest shop", file=sys.stderr)
        return 2
    if (options.watch or options.report) and len(names) != 1:
        print(
            "--watch 和 --report 一次只处理一个集合，请只给一个集合名；例：python -m ingest shop --watch",
            file=sys.stderr,
        )
        return 2
    if options.watch:
        return _watch(services, names[0], options.no_gate, options.report)
    failed = done = False
    until = time.monotonic() + PATIENCE
    for name in names:
        try:
            collection = services.collection(name)
            wait_until_ready(services.engine, name, until, _say_waiting)
            if options.if_missing and is_indexed(collection, services.engine, services.stages.embedder):
                print(f"{name}：已有索引")
                continue
            report = _with_progress(services, name, options.no_gate)
        except KaijuanError as error:
            print(f"{name}：{error}", file=sys.stderr)
            failed = True
        else:
            done = True
            _print(report)
            failed |= not _write(services, report, options.report)
            failed |= bool(report.rejected) or any(skipped.reason_code != "empty" for skipped in report.skipped)
    if done and services.stages.embedder_notice:
        print(services.stages.embedder_notice.text)
    return int(failed)


def _watch(services: Services, name: str, force: bool, file: Path | None) -> int:
    """Index now and after every edit, whatever goes wrong, until Ctrl-C."""
    watch = Watch(services.collection(name).folder)
    edited: float | None = None
    told = ""
    try:
        print(f"{name}：监视 {services.collection(name).folder}，改动后自动重建，按 Ctrl-C 结束", flush=True)
        while True:
            try:
                report = ingest(services.collection(name), services.ingesting(), force=force)
                _print_run(report, _since(edited, report))
                _write(services, report, file, quiet=True)
                services.warm(name)
                told = ""
            except KaijuanError as error:
                if str(error) != told:
                    print(f"{name}：{error}", file=sys.stderr, flush=True)
                told = str(error)
                if isinstance(error, IngestLocked | EngineNotReady):
                    time.sleep(AGAIN)
                    continue
            edited = watch.wait()
    except KeyboardInterrupt:
        print(f"{name}：已停止监视", flush=True)
        return 0


def _since(edited: float | None, report: IngestReport) -> float | None:
    """Seconds from the last edit until the version answered."""
    return None if edited is None else time.time() - report.health_seconds - edited


def _print_run(report: IngestReport, seconds: float | None) -> None:
    """One line about a run of a watched collection."""
    counted = {
        "跳过": len(report.skipped),
        "未收录": len(report.rejected),
        "注意": len(report.warnings),
        "体检发现": report.health.total if report.health else 0,
    }
    beside = "".join(f"，{what} {count}" for what, count in counted.items() if count)
    ledger = "" if seconds is None else f"，从保存到可检索 {seconds:.1f} 秒"
    print(f"{_done(report)}{beside}{ledger}", flush=True)


def _write(services: Services, report: IngestReport, file: Path | None, quiet: bool = False) -> bool:
    """Write the report and say where; whether that went well."""
    try:
        page = write_files(report, file) if file else write_report(report, services.settings.data_dir / "reports")
    except IngestError as error:
        print(error, file=sys.stderr, flush=True)
        return False
    if not quiet:
        print(f"  报告：{page}")
    return True


def _say_waiting(why: EngineNotReady) -> None:
    print(f"{str(why).removesuffix('。')}；先等它就绪，最多 {PATIENCE:.0f} 秒。", flush=True)


def _with_progress(services: Services, name: str, force: bool) -> IngestReport:
    with tqdm(total=0, desc=name, unit="段", leave=False, disable=None) as bar:

        def progress(stage: str, done: int, total: int) -> None:
            del stage
            bar.total = total
            bar.update(done - bar.n)

        report = ingest(services.collection(name), services.ingesting(), progress, force)
    with tqdm(total=0, desc=f"{name} 句子", unit="篇", leave=False, disable=None) as bar:

        def warmed(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        services.warm(name, warmed)
    return report


def _done(report: IngestReport) -> str:
    state = "内容没有变化，沿用" if report.unchanged else "已切换到"
    return (
        f"{report.collection}：{state}版本 {report.version}，{report.documents} 篇文档，{report.chunks} 段，"
        f"新算向量 {report.embedded} 个，用时 {report.seconds:.1f} 秒"
    )


def _print(report: IngestReport) -> None:
    print(_done(report))
    if report.gate:
        print(f"  质量门禁：{_outcome(report.gate)}")
    for skipped in report.skipped:
        print(f"  跳过 {skipped.path}：{skipped.message}")
    for chunk_id, reason in report.rejected:
        print(f"  未收录 {chunk_id}：{reason}，请检查这一段的内容或嵌入模型")
    for warning in report.warnings:
        print(f"  注意 {warning}")
    for name in report.cleaned:
        print(f"  清理了上次中断留下的 {name}")
    if report.health:
        print(f"  体检：{_found(report.health)}")


def _found(health: Health) -> str:
    return "，".join(f"{KINDS[kind]} {count} 处" for kind, count in health.counts) or "没有发现问题"


def _outcome(verdict: Verdict) -> str:
    said = f"{_OUTCOMES[verdict.outcome]}：{changes(verdict)}"
    return f"{said}；变差的问题：{'、'.join(verdict.lost)}" if verdict.lost else said


def _versions(services: Services, arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print("用法：python -m ingest versions NAME", file=sys.stderr)
        return 2
    name = services.collection(arguments[0]).name
    for version in services.engine.versions(name):
        mark = "*" if version.active else " "
        meta = version.meta
        print(
            f"{mark} {version.name}  {version.documents} 篇  {version.chunks} 段  {meta.embedder or '无向量'}  {meta.created}"
            f"  {_OUTCOMES.get(version.notes.get(NOTE, {}).get('outcome', ''), '没有门禁记录')}"
        )
    return 0


def _rollback(services: Services, arguments: Sequence[str]) -> int:
    if len(arguments) not in (1, 2):
        print("用法：python -m ingest rollback NAME [VERSION]", file=sys.stderr)
        return 2
    collection = services.collection(arguments[0])
    version = rollback(collection.name, services.ingesting(), arguments[1] if len(arguments) > 1 else None)
    print(f"{collection.name}：已切换到版本 {version}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
