"""`python -m kaijuan ask NAME "问题" [--json]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from kaijuan.answering.types import Answer
from kaijuan.errors import KaijuanError
from kaijuan.types import Viewer
from kaijuan.wiring import load_services


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit status 0 for an answer or a refusal, 1 for an error, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m kaijuan", description="开卷：每句话都有出处的问答。")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser("ask", help="向一个集合提问")
    ask.add_argument("name", metavar="NAME", help="集合名")
    ask.add_argument("question", metavar="QUESTION", help="问题")
    ask.add_argument("--json", action="store_true", help="输出完整答案和检索过程")
    options = parser.parse_args(arguments)
    try:
        answer = load_services().answer(options.question, options.name, Viewer(name="command line"))
    except KaijuanError as error:
        print(error, file=sys.stderr)
        return 1
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


if __name__ == "__main__":
    raise SystemExit(main())
