"""A folder of files as a support team has them, in every format that is read, each with one planted answer.

Every file is about one product and says the same kinds of things as all others, with figures of its own: what is asked
stands between near twins in the same file and in the others. The same seed gives the same folder.
"""

from __future__ import annotations

import html
import io
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import docx
from openpyxl import Workbook

from tests.readers.pdf_files import at, make_pdf

SEED = 20261130
_FIRST, _SECOND = "青松云临听望拾归白星", "禾涛栖风雨岳光舟鹭野"
_KINDS = {"KJ": "净水器", "SD": "扫地机", "JS": "加湿器", "FB": "电饭煲"}
#: Heading, sentence, name in a table, value, question; {p} is the product, {n} the figure.
_TOPICS = (
    ("保修", "{p}整机保修{n}个月，自签收之日起计算。", "整机保修", "{n}个月", "{p}整机保修多久"),
    ("退货期限", "签收{p}后{n}天内可以无理由退货。", "无理由退货期限", "{n}天", "{p}几天内可以无理由退货"),
    ("清洗滤网", "{p}每运行{n}小时需要清洗一次滤网。", "清洗滤网", "每{n}小时一次", "{p}运行多久清洗滤网"),
    ("发货时间", "付款之后{n}小时内仓库发出{p}。", "付款后发货", "{n}小时内", "{p}付款后多久发货"),
    ("首次充电", "首次使用{p}以前请充电{n}分钟。", "首次充电", "{n}分钟", "{p}首次充电要多少分钟"),
    ("运行噪音", "{p}在静音档的运行噪音不超过{n}分贝。", "静音档运行噪音", "{n}分贝", "{p}静音档运行噪音是多少"),
    ("上门安装", "{p}上门安装收费{n}元，偏远地区另计。", "上门安装收费", "{n}元", "{p}上门安装怎么收费"),
    ("电子发票", "{p}的电子发票在签收后{n}天内开具。", "电子发票开具", "签收后{n}天内", "{p}电子发票几天开具"),
)
_FILLING = (
    "请先核对订单编号和收货人姓名，再按下面的规定答复。",
    "客户坚持不同意时，记录原话并转交值班主管处理。",
    "以下内容以本页更新日期为准，旧版说明不再使用。",
    "照片要能看清外包装、面单和机身铭牌。",
    "节假日期间处理时间可能顺延，请提前告知客户。",
    "系统里没有的情况不要自行承诺，先在群里询问。",
    "答复时语气平和，先致歉，再说明办法和时间。",
)


@dataclass(frozen=True, slots=True)
class Planted:
    """One answer: the file and its format, what is asked, what the passage must show, and the page in a PDF."""

    path: str
    form: str
    question: str
    answer: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    sentences: tuple[str, ...]
    row: tuple[str, str]
    question: str


@dataclass(frozen=True, slots=True)
class _Text:
    """What one file says; `as_table` puts the figures into a table instead of sentences."""

    title: str
    sections: tuple[_Section, ...]
    as_table: bool

    @property
    def rows(self) -> list[tuple[str, str]]:
        return [("项目", "规定"), *(section.row for section in self.sections)]


def mixed_folder(folder: Path, count: int = 200, seed: int = SEED) -> list[Planted]:
    """Write `count` files, the formats in turn, into `folder`, and say what was planted."""
    chance = random.Random(seed)
    planted = []
    for number, name in enumerate(_products(chance, count)):
        form = list(FORMS)[number % len(FORMS)]
        text = _text(chance, name, as_table=number // len(FORMS) % 2 == 1)
        path = f"{'常见问题' if form in ('csv', 'jsonl') else '说明书'}/{name}.{form.split('-')[0]}"
        if form.startswith("txt"):
            path = path.replace(".txt", f"（{form.split('-')[1]}）.txt")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(FORMS[form](text))
        chosen = chance.randrange(len(text.sections))
        section = text.sections[chosen]
        shown = section.row[1] if _is_tabular(form, text) else section.sentences[-1]
        page = _page_of(chosen) if form == "pdf" else None
        planted.append(Planted(path, form, section.question, shown, page))
    return planted


def _products(chance: random.Random, count: int) -> list[str]:
    """Names as products have them, each with a model number of its own; some share everything but that."""
    names = [first + second for first in _FIRST for second in _SECOND]
    codes = chance.sample(range(100, 1000), count)
    kinds = [chance.choice(list(_KINDS)) for _ in codes]
    return [f"{chance.choice(names)}{_KINDS[kind]} {kind}-{code}" for kind, code in zip(kinds, codes, strict=True)]


def _text(chance: random.Random, name: str, as_table: bool) -> _Text:
    figures = chance.sample(range(11, 99), len(_TOPICS))
    sections = []
    for (heading, sentence, row, value, question), n in zip(chance.sample(_TOPICS, len(_TOPICS)), figures, strict=True):
        said = [*chance.sample(_FILLING, 2), sentence.format(p=name, n=n)]
        sections.append(_Section(heading, tuple(said), (row, value.format(n=n)), question.format(p=name)))
    return _Text(f"{name}服务说明", tuple(sections), as_table)


def _is_tabular(form: str, text: _Text) -> bool:
    return form == "xlsx" or (text.as_table and form in ("md", "html", "docx", "csv"))


def _markdown(text: _Text) -> bytes:
    lines = ["---", "updated: 2026-03-05", "---", f"# {text.title}", ""]
    if text.as_table:
        header, *rows = text.rows
        lines += [f"| {' | '.join(row)} |" for row in (header, ("---", "---"), *rows)]
    for section in text.sections:
        lines += ["", f"## {section.heading}", "", *_said(section, text)]
    return "\n".join(lines).encode("utf-8")


def _said(section: _Section, text: _Text) -> Sequence[str]:
    """Sentences of a section; its figure is left out where the table says it."""
    return section.sentences[:-1] if text.as_table else section.sentences


def _plain(encoding: str) -> Callable[[_Text], bytes]:
    def write(text: _Text) -> bytes:
        parts = [text.title, *(f"{s.heading}\n{''.join(s.sentences)}" for s in text.sections)]
        return "\r\n\r\n".join(parts).replace("\n", "\r\n").replace("\r\r", "\r").encode(encoding)

    return write


def _page(text: _Text) -> bytes:
    body = [f"<h1>{html.escape(text.title)}</h1>"]
    if text.as_table:
        rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in text.rows[1:])
        body.append(f"<table><tr><th>项目<th>规定</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
    for section in text.sections:
        body.append(f"<h2>{section.heading}</h2>" + "".join(f"<p>{s}</p>" for s in _said(section, text)))
    head = f'<meta charset="utf-8"><title>{html.escape(text.title)}</title>'
    return f"<!doctype html><html><head>{head}</head><body><nav>首页 帮助</nav>{''.join(body)}</body></html>".encode()


def _word(text: _Text) -> bytes:
    document = docx.Document()
    document.core_properties.title = text.title
    document.add_heading(text.title, 1)
    if text.as_table:
        table = document.add_table(0, 2)
        for row in text.rows:
            for cell, value in zip(table.add_row().cells, row, strict=True):
                cell.text = value
    for section in text.sections:
        document.add_heading(section.heading, 2)
        for sentence in _said(section, text):
            document.add_paragraph(sentence)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _workbook(text: _Text) -> bytes:
    book = Workbook()
    book.properties.title = text.title
    notes = book.active
    notes.title = "说明"
    for section in text.sections:
        notes.append([section.heading, section.sentences[0]])
    sheet = book.create_sheet("规定")
    sheet.append([text.title])
    sheet.merge_cells("A1:B1")
    for row in text.rows:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _comma_separated(text: _Text) -> bytes:
    if text.as_table:
        return "\r\n".join(map(",".join, text.rows)).encode("gb18030")
    rows = [f'{s.question},"{s.sentences[0]}\n{s.sentences[-1]}"' for s in text.sections]
    return "\ufeff".encode() + "\r\n".join(["问题,答案", *rows]).encode("utf-8")


def _json_lines(text: _Text) -> bytes:
    records = ({"title": f"{text.title} {s.heading}", "text": "".join(s.sentences)} for s in text.sections)
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode("utf-8")


_ON_A_PAGE, _IN_A_LINE = 3, 26


def _page_of(section: int) -> int:
    return section // _ON_A_PAGE + 1


def _portable(text: _Text) -> bytes:
    pages = []
    for begin in range(0, len(text.sections), _ON_A_PAGE):
        content = [at(40, 24, f"{text.title}（内部资料）", 8), at(200, 575, f"第 {_page_of(begin)} 页", 8)]
        content += [at(40, 70, text.title, 20, bold=True)] if not begin else []
        y = 110.0
        for section in text.sections[begin : begin + _ON_A_PAGE]:
            content.append(at(40, y, section.heading, 15, bold=True))
            for line in _wrapped("".join(section.sentences)):
                y += 18
                content.append(at(40, y, line))
            y += 40
        pages.append("".join(content))
    return make_pdf(pages, {"Title": text.title, "ModDate": "D:20260305"})


def _wrapped(text: str) -> list[str]:
    """Lines of a page as full as they go; a model number is never cut. Its characters are half as wide as others."""
    lines, room = [""], 0.0
    for part in re.findall(r"[!-~]+ ?|.", text):
        width = sum(0.5 if character.isascii() else 1.0 for character in part)
        if width > room:
            lines.append("")
            room = _IN_A_LINE
        lines[-1] += part
        room -= width
    return lines[1:]


#: The formats, and what writes each.
FORMS: dict[str, Callable[[_Text], bytes]] = {
    "md": _markdown,
    "txt-utf8": _plain("utf-8"),
    "txt-gb18030": _plain("gb18030"),
    "txt-utf16": _plain("utf-16"),
    "html": _page,
    "docx": _word,
    "xlsx": _workbook,
    "csv": _comma_separated,
    "jsonl": _json_lines,
    "pdf": _portable,
}
