"""`python -m kaijuan ask NAME "问题"`, `doctor [NAME…]`, `diagnose NAME "问题" CHUNK_OR_TEXT` and `tickets`, each with `--json`."""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from kaijuan.answering.types import Answer
from kaijuan.diagnosis.diagnose import Examining, diagnose
from kaijuan.diagnosis.report import diagnosis_lines
from kaijuan.errors import EngineError, KaijuanError, ModelUnavailable, SettingsError
from kaijuan.evaluation.patients import patient_of
from kaijuan.indexing.doctor import Patient, examine
from kaijuan.records.store import Records
from kaijuan.records.tickets import tell_again, tickets
from kaijuan.settings import read_settings
from kaijuan.types import Finding, Notice, Viewer
from kaijuan.wiring import Services, load_deliveries, load_services

_LEVELS = {"ok": "好", "warn": "注意", "bad": "坏"}
_TOLD = {"none": "只存在本系统", "waiting": "等待送达", "sent": "已送达", "failed": "没有送到"}
#: Open tickets that are listed, the newest first.
_TICKETS = 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit status 0 for an answer, a refusal or good health, 1 otherwise, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m kaijuan", description="开卷：每句话都有出处的问答。")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser("ask", help="向一个集合提问")
    ask.add_argument("name", metavar="NAME", help="集合名")
    ask.add_argument("question", metavar="QUESTION", help="问题")
    ask.add_argument("--groups", default="", metavar="A,B", help="提问者所在的组，用逗号分开；* 表示可见全部资料")
    ask.add_argument("--json", action="store_true", help="输出完整答案和检索过程")
    ask.set_defaults(run=_ask)
    doctor = commands.add_parser("doctor", help="检查搜索引擎、模型和各集合的索引")
    doctor.add_argument("names", nargs="*", metavar="NAME", help="集合名，不写则检查全部")
    doctor.add_argument("--json", action="store_true", help="输出全部检查结果")
    doctor.set_defaults(run=_doctor)
    lost = commands.add_parser("diagnose", help="查出一段资料在哪一步没有进入回答")
    lost.add_argument("name", metavar="NAME", help="集合名")
    lost.add_argument("question", metavar="QUESTION", help="问题")
    lost.add_argument("wanted", metavar="CHUNK_OR_TEXT", help="应该用到的片段或资料的编号，或一段原文")
    lost.add_argument("--group", action="append", default=[], metavar="GROUP", help="提问者所在的组，可以写多次")
    lost.add_argument("--json", action="store_true", help="输出全部结果")
    lost.set_defaults(run=_diagnose)
    handed = commands.add_parser("tickets", help="列出转人工的工单和送达状态")
    handed.add_argument("--retry", action="store_true", help="把没有送到工单系统的工单现在再送一次")
    handed.add_argument("--json", action="store_true", help="输出完整的工单")
    handed.set_defaults(run=_tickets)
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
    except KaijuanError as error:
        print(error, file=sys.stderr)
        return 1
    return status


def _ask(options: argparse.Namespace) -> int:
    viewer = Viewer.in_groups("command line", options.groups)
    answer = load_services().answer(options.question, options.name, viewer)
    if options.json:
        print(json.dumps(asdict(answer), ensure_ascii=False, indent=1))
    else:
        for line in _lines(answer):
            print(line)
    return 0


def _lines(answer: Answer) -> Iterator[str]:
    yield answer.text
    if answer.refusal:
        yield answer.refusal.explanation
        if answer.nearest:
            yield f"相近主题（不是依据）：{'、'.join(title for _, title in answer.nearest)}"
    if answer.weak:
        yield "（依据较弱，请核对来源。）"
    if answer.missing:
        yield f"资料中没有找到：{'、'.join(answer.missing)}"
    for source in answer.sources:
        chunk = source.chunk
        where = " > ".join(chunk.headings) or chunk.title
        yield f"[{source.number}] {chunk.title}（{chunk.updated or '未注明日期'}，{chunk.department or '—'}）{where}  {chunk.id}"
    for notice in answer.notices:
        yield f"提示：{notice.text}"


def _diagnose(options: argparse.Namespace) -> int:
    services = load_services()
    collection = services.collection(options.name)
    # Whoever runs the command can read the files; the question is asked with the groups given.
    examining = Examining(
        services.answering(services.options(collection)),
        Viewer(name="command line", sees_all=True),
        services.ingesting().read_cache,
    )
    asking = Viewer(name="command line", groups=frozenset(options.group))
    found = diagnose(options.question, options.wanted, collection, examining, asking)
    if options.json:
        print(json.dumps(asdict(found), ensure_ascii=False, indent=1))
    else:
        for line in diagnosis_lines(found):
            print(line)
    return 0


def _tickets(options: argparse.Namespace) -> int:
    settings = read_settings()
    records = Records(settings.records_file, settings.records_days)
    if options.retry:
        deliveries = load_deliveries(settings)
        if deliveries is None:
            raise SettingsError("没有设置接收工单的地址，请设置 KAIJUAN_WEBHOOK_URL 和 KAIJUAN_WEBHOOK_SECRET。")
        tell_again(records)
        deliveries.round()
    found = tickets(records, status="open", limit=_TICKETS).items
    if options.json:
        print(json.dumps([asdict(ticket) for ticket in found], ensure_ascii=False, indent=1, default=str))
    else:
        for ticket in found:
            question = " ".join(ticket.question.split())
            print(
                f"{ticket.id}  {ticket.at:%Y-%m-%d %H:%M}  {_TOLD[ticket.webhook]}  {question}  {ticket.webhook_said}".rstrip()
            )
        if not found:
            print("没有未处理的工单。")
    return int(options.retry and any(ticket.webhook in ("waiting", "failed") for ticket in found))


def _doctor(options: argparse.Namespace) -> int:
    found = _findings(options.names)
    if options.json:
        print(json.dumps([asdict(finding) for finding in found], ensure_ascii=False, indent=1))
    else:
        for line in _report(found):
            print(line)
    return int(any(finding.level == "bad" for finding in found))


def _findings(names: Sequence[str]) -> list[Finding]:
    keyword_only = read_settings().embedder == "none"
    try:
        services = _services()
    except EngineError as error:  # a certificate's file that is not there, for example
        return [Finding.of_sentence("连接", error)]
    names = list(dict.fromkeys(names)) or services.collection_names()
    unreadable: list[Finding] = []
    patients: list[Patient] = []
    for name in names:
        try:
            collection = services.collection(name)
            patients.append(patient_of(collection, services.options(collection), unreadable))
        except KaijuanError as error:
            unreadable.append(Finding.of_sentence("集合", error, name[:64], otherwise="换成现有的集合名"))
    if not names:
        said = f"{services.settings.corpus_dir} 里没有集合"
        unreadable.append(Finding("集合", "warn", said, "放入带 collection.toml 的文件夹，或改 KAIJUAN_CORPUS_DIR"))
    return [*examine(services.stages, patients, keyword_only), *unreadable]


def _services() -> Services:
    """The services; without their embedding model where it cannot be had, so that the rest is looked at all the same."""
    settings = read_settings()
    try:
        return load_services(settings)
    except ModelUnavailable as error:
        services = load_services(settings.model_copy(update={"embedder": "none"}))
        return replace(services, stages=replace(services.stages, embedder_notice=Notice("embed", str(error))))


def _report(found: Sequence[Finding]) -> Iterator[str]:
    """One line a finding, those of a collection under its name, and the sum at the end."""
    wide = max(_width(finding.check) for finding in found)
    collections = dict.fromkeys(["", *(finding.collection for finding in found)])
    for collection in collections:
        yield f"集合 {collection}" if collection else "整体"
        for finding in found:
            if finding.collection == collection:
                remedy = f"；办法：{finding.remedy}" if finding.remedy else ""
                level, check = _padded(_LEVELS[finding.level], 4), _padded(finding.check, wide)
                yield f"  {level}  {check}  {finding.said}{remedy}"
    bad, warn = (sum(finding.level == level for finding in found) for level in ("bad", "warn"))
    yield f"{bad} 处要处理，{warn} 处要留意。" if bad or warn else "一切正常。"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns in a terminal, where a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


if __name__ == "__main__":
    raise SystemExit(main())
