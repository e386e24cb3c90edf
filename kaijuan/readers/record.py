"""Records: one entry of a data file (a question with its answer, an article) as a document of its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from kaijuan.readers import front_matter
from kaijuan.readers.document import document_of
from kaijuan.readers.markdown import LONGEST_TITLE, first_heading
from kaijuan.readers.markup import heading, one_line
from kaijuan.readers.result import ReadError, Skipped
from kaijuan.text import fold
from kaijuan.types import Document

_QUESTIONS = ("问题", "标准问题", "标准问", "提问", "问句", "问", "question", "q")
_TITLES = ("标题", "题目", "主题", "title", "subject")
_IDS = ("id", "编号", "文档编号", "_id", "doc_id", "docid")
_TEXTS = (
    "正文", "内容", "答案", "标准答案", "回答", "答复", "回复", "答", "text", "content", "body", "answer", "a",
)  # fmt: skip

_MAY_HAVE_HEADING = re.compile(r"^\s{0,3}(?:#|=+\s*$|-+\s*$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which fields of a data file hold what, by their own names; `meta` gives the standard key of the others known."""

    id: str | None
    title: str | None
    text: str | None
    question: bool
    meta: Mapping[str, str]
    others: tuple[str, ...]

    @property
    def give_documents(self) -> bool:
        """Whether every record is a document: it has a text, and a name of its own."""
        return self.text is not None and (self.title is not None or self.id is not None)


@dataclass(frozen=True, slots=True)
class Record:
    """One record; `number` counts from 1, `line` is where it begins, `fields` are values by field name, empty ones left out."""

    number: int
    line: int
    fields: Mapping[str, Sequence[str]]


def columns_of(names: Sequence[str]) -> Columns:
    """What the fields of these names hold; of several that could, the first in the order of the lists above."""
    by_folded: dict[str, str] = {}
    for name in names:
        by_folded.setdefault(fold(name).strip(), name)

    def first(candidates: Sequence[str]) -> str | None:
        return next((by_folded[c] for c in candidates if c in by_folded), None)

    question = first(_QUESTIONS)
    id, title, text = first(_IDS), question or first(_TITLES), first(_TEXTS)
    taken = {id, title, text}
    meta = {
        name: front_matter.KEYS[folded]
        for folded, name in by_folded.items()
        if name not in taken and front_matter.KEYS.get(folded, "title") not in ("title", "id")
    }
    others = tuple(name for name in dict.fromkeys(names) if name not in taken and name not in meta)
    return Columns(id, title, text, question is not None, meta, others)


def record_matter(record: Record, columns: Columns) -> front_matter.FrontMatter:
    """What a record says about itself."""
    values = {key: list(record.fields[name]) for name, key in columns.meta.items() if name in record.fields}
    if columns.id and columns.id in record.fields:
        values["id"] = [" ".join(record.fields[columns.id])]
    return front_matter.matter_of(values)


def record_document(
    record: Record, columns: Columns, matter: front_matter.FrontMatter, path: str, facts: bool
) -> Document:
    """Document of a record of the file `path`: its title as heading, its text, and with `facts` its other fields as list.

    Raises ReadError ("empty") for a record without text.
    """
    text = "\n".join(record.fields.get(columns.text or "", ())).strip()
    if not any(character.isprintable() and not character.isspace() for character in text):
        message = f"{path} 第 {record.line} 行没有正文，未读入；请补充内容或删除这一行。"
        raise ReadError(message, "empty")
    asked = one_line("\n".join(record.fields.get(columns.title or "", ())))
    extra = _facts(record, columns, matter) if facts else ""
    blocks = [heading(1, asked) if asked and not text.startswith("#") else "", text, extra]
    # Most records are a sentence or two, and parsing them is what takes longest.
    named = first_heading(text) if _MAY_HAVE_HEADING.search(text) else None
    title = asked or named or f"{PurePosixPath(path).stem} {record.number}"
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1] + "…"
    # Numbered by record and not by line: an edited answer of more lines renames none of those behind it.
    own_id = unicodedata.normalize("NFC", f"{path}/{record.number}")
    matter = replace(matter, id=matter.id or own_id, title=title)
    return document_of("\n\n".join(block for block in blocks if block), matter, path)


def twice(path: str, id: str, line: int, first: int) -> Skipped:
    """The second record of an id in one file."""
    message = f"{path} 第 {line} 行的编号 {id[:60]} 已在第 {first} 行用过，未读入；请改用不同的编号。"
    return Skipped(path, "duplicate id", message, line)


def _facts(record: Record, columns: Columns, matter: front_matter.FrontMatter) -> str:
    """Fields that are neither title, text nor metadata, and values of metadata that mean nothing, lest they be lost."""
    unread = {value for _, value in matter.odd} | {matter.undated}
    shown = [
        (name, one_line("；".join(values)))
        for name, values in record.fields.items()
        if name in columns.others or (name in columns.meta and ", ".join(values) in unread)
    ]
    return "\n".join(f"- {name}：{value}" for name, value in shown if value)
