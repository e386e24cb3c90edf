"""`python -m ingest NAME… | --all | versions NAME | rollback NAME [VERSION]`: a thin face over kaijuan.indexing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tqdm import tqdm

from kaijuan.errors import KaijuanError
from kaijuan.indexing.ingest import IngestReport, ingest, is_indexed
from kaijuan.indexing.versions import rollback
from kaijuan.wiring import Services, load_services


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
    options = parser.parse_args(arguments)
    names = services.collection_names() if options.all else options.names
    if not names:
        print("请给出集合名，或用 --all 处理所有集合；例：python -m ingest shop", file=sys.stderr)
        return 2
    failed = done = False
    for name in names:
        try:
            collection = services.collection(name)
            if options.if_missing and is_indexed(collection, services.engine, services.stages.embedder):
                print(f"{name}：已有索引")
                continue
            report = _with_progress(services, name)
        except KaijuanError as error:
            print(f"{name}：{error}", file=sys.stderr)
            failed = True
        else:
            done = True
            _print(report)
            failed |= bool(report.rejected) or any(skipped.reason_code != "empty" for skipped in report.skipped)
    if done and services.stages.embedder_notice:
        print(services.stages.embedder_notice.text)
    return int(failed)


def _with_progress(services: Services, name: str) -> IngestReport:
    with tqdm(total=0, desc=name, unit="段", leave=False, disable=None) as bar:

        def progress(stage: str, done: int, total: int) -> None:
            del stage
            bar.total = total
            bar.update(done - bar.n)

        report = ingest(services.collection(name), services.ingesting(), progress)
    with tqdm(total=0, desc=f"{name} 句子", unit="篇", leave=False, disable=None) as bar:

        def warmed(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        services.warm(name, warmed)
    return report


def _print(report: IngestReport) -> None:
    state = "内容没有变化，沿用" if report.unchanged else "已切换到"
    print(
        f"{report.collection}：{state}版本 {report.version}，{report.documents} 篇文档，{report.chunks} 段，"
        f"新算向量 {report.embedded} 个，用时 {report.seconds:.1f} 秒"
    )
    for skipped in report.skipped:
        print(f"  跳过 {skipped.path}：{skipped.message}")
    for chunk_id, reason in report.rejected:
        print(f"  未收录 {chunk_id}：{reason}，请检查这一段的内容或嵌入模型")
    for warning in report.warnings:
        print(f"  注意 {warning}")
    for name in report.cleaned:
        print(f"  清理了上次中断留下的 {name}")


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
