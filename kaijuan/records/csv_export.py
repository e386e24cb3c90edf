"""Answers as CSV that a spreadsheet opens in Chinese and in which no cell can become a formula."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo

from kaijuan.records.answer_rows import header_of
from kaijuan.records.read import page_rows
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Filter

#: Answers that are read at once.
BATCH = 500
_BOM = "\ufeff"
#: What a spreadsheet takes for the beginning of a formula, wide forms included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_SOURCES = """
    SELECT answer_id, source_id FROM context
    WHERE cited > 0 AND answer_id IN (SELECT value FROM json_each(?))
    GROUP BY answer_id, source_id ORDER BY answer_id, min(cited)
"""
_THUMBS = {"up": "赞", "down": "踩"}
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class _Line:
    """One answer with the documents that it cites, in the order in which it cites them."""

    answer: AnswerRecord
    sources: tuple[str, ...]
    zone: tzinfo


_COLUMNS: dict[str, Callable[[_Line], Cell]] = {
    "编号": lambda line: line.answer.id,
    "时间": lambda line: line.answer.at.astimezone(line.zone).isoformat(sep=" ", timespec="seconds"),
    "集合": lambda line: line.answer.collection,
    "索引版本": lambda line: line.answer.version,
    "用户": lambda line: line.answer.viewer,
    "对话": lambda line: line.answer.conversation_id,
    "轮次": lambda line: line.answer.turn or None,
    "问题": lambda line: line.answer.question,
    "检索用语": lambda line: line.answer.asked,
    "回答": lambda line: line.answer.text,
    "拒答原因": lambda line: line.answer.refused,
    "引用的资料": lambda line: "、".join(line.sources),
    "作答方式": lambda line: line.answer.answerer,
    "模型": lambda line: line.answer.model,
    "提示词版本": lambda line: line.answer.prompt,
    "输入词元": lambda line: line.answer.input_tokens,
    "输出词元": lambda line: line.answer.output_tokens,
    "费用": lambda line: line.answer.price,
    "秒数": lambda line: line.answer.seconds,
    "首字秒数": lambda line: line.answer.first_text_seconds,
    "未说完": lambda line: _yes(line.answer.incomplete),
    "引用数": lambda line: line.answer.cited,
    "不存在的引用数": lambda line: line.answer.invented,
    "没有引用": lambda line: _yes(line.answer.empty),
    "引用不符的句数": lambda line: line.answer.unsupported,
    "未引用的句数": lambda line: line.answer.uncited,
    "不一致处数": lambda line: line.answer.conflicts,
    "证据较弱": lambda line: _yes(line.answer.weak),
    "评价": lambda line: _THUMBS[line.answer.feedback.value] if line.answer.feedback else None,
    "评价理由": lambda line: line.answer.feedback.reason if line.answer.feedback else None,
    "转人工": lambda line: _yes(line.answer.handed_over),
    "设置指纹": lambda line: line.answer.settings_hash,
}


def csv_export(records: Records, meant: Filter, zone: tzinfo = UTC) -> Iterator[bytes]:
    """The file piece by piece, newest answer first; unknown figures are empty cells. Raises RecordsError.

    UTF-8 with a byte order mark, without which Excel takes the text for another encoding. Times are those of the zone.
    """
    yield (_BOM + _text([_COLUMNS])).encode()
    before: str | None = None
    while True:
        lines, before = _batch(records, meant, before, zone)
        yield _text([read(line) for read in _COLUMNS.values()] for line in lines).encode()
        if before is None:
            return


def defused(cell: Cell) -> Cell:
    """A cell that stays text; figures are figures and left alone.

    >>> defused("=1+1"), defused("退款"), defused(-0.5)
    ("'=1+1", '退款', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _batch(records: Records, meant: Filter, before: str | None, zone: tzinfo) -> tuple[list[_Line], str | None]:
    """Some lines, and what the next ones are before; None at the end."""

    def reading(db: sqlite3.Connection) -> tuple[list[_Line], str | None]:
        rows, following = page_rows(db, meant, before, BATCH)
        found = [header_of(row) for row in rows]
        sources: dict[str, list[str]] = {}
        for row in db.execute(_SOURCES, (json.dumps([answer.id for answer in found]),)):
            sources.setdefault(row["answer_id"], []).append(row["source_id"])
        return [_Line(answer, tuple(sources.get(answer.id, ())), zone) for answer in found], following

    return records.read(reading)


def _yes(flag: bool) -> str:
    return "是" if flag else "否"


def _text(rows: Iterable[Iterable[Cell]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([defused(cell) for cell in row] for row in rows)
    return text.getvalue()
