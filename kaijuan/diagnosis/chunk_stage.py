"""Stage 1, chunking: whether the wanted text stayed whole, and with the header that says what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kaijuan.collection import Collection
from kaijuan.diagnosis.locate import Located
from kaijuan.diagnosis.spelling import squeeze
from kaijuan.diagnosis.types import Check, Fact
from kaijuan.text import analyze, query_terms
from kaijuan.types import Chunk

_ROW = re.compile(r"[ \t>]*\|")
_RULE_ROW = re.compile(r"[ \t>]*\|?[ \t:|-]*-[ \t:|-]*\Z")


def pieces(located: Located, collection: Collection) -> tuple[Chunk, ...]:
    """The chunks into which the wanted text was cut, in order; empty where one holds it whole or none could."""
    chunks = located.targets or located.parts
    if located.kind != "text" or len(located.needle) > collection.chunk_chars or len(chunks) < 2:
        return ()
    return () if any(located.needle in squeeze(c.text) for c in chunks) else chunks


def lost_header(located: Located, own: Chunk | None, question: str) -> tuple[str, tuple[str, ...]]:
    """A table's header that the passage does not show, and the question's terms that stand in it and not in the passage.

    Empty where nothing of the question is lost with it.
    """
    if own is None or located.document is None or located.span is None:
        return "", ()
    header = _header(located.document.text, located.span[0])
    if not header or squeeze(header) in squeeze(own.search_text):
        return "", ()
    held = _terms(own.search_text)
    return header, tuple(t for t in query_terms(question) if t in _terms(header) and t not in held)


def check_chunk(located: Located, own: Chunk | None, question: str, collection: Collection, used: bool) -> Check:
    """The verdict on chunking; `used` says that the answer rests on all of the wanted text."""
    if cut := pieces(located, collection):
        return _cut(located, cut, collection, used)
    header, terms = lost_header(located, own, question)
    if terms and not used:
        evidence = (
            Fact("表头", header),
            Fact("只在表头里的问题词", "、".join(terms)),
            Fact("片段", _shown(own.text if own else "")),
        )
        remedy = f"把表头写短，或在 collection.toml 里调大 chunk_chars（现为 {collection.chunk_chars}），再重新入库"
        return Check("chunk", "lost", "表格被分段后丢了表头", evidence, remedy, _ingest(collection))
    made = own or (located.whole[0] if located.whole else None)
    if made is None:
        return Check("chunk", "not_reached", "没有文字可以分段")
    facts = (Fact("片段", made.id), Fact("长度", f"{len(made.text)} 字，上限 {collection.chunk_chars} 字"))
    return Check("chunk", "kept", f"完整地在片段 {made.id} 里", facts)


def _cut(located: Located, cut: Sequence[Chunk], collection: Collection, used: bool) -> Check:
    evidence = (
        *(Fact(f"片段 {c.id}", _end(c) if c is cut[0] else _shown(c.text)) for c in cut),
        Fact("设置", f"chunk_chars {collection.chunk_chars}，overlap_chars {collection.overlap_chars}"),
    )
    said = f"原文被切成 {len(cut)} 段，没有一个片段含有全文"
    if used:
        return Check("chunk", "kept", f"{said}，但各段都用上了", evidence)
    if len({c.headings for c in cut}) > 1:
        remedy = "这些片段在不同标题之下，请把这段话写在同一个标题下，再重新入库"
    else:
        needed = _needed(located, cut, collection)
        remedy = f"在 collection.toml 里把 {needed}，再重新入库"
    return Check("chunk", "lost", said, evidence, remedy, _ingest(collection))


def _needed(located: Located, cut: Sequence[Chunk], collection: Collection) -> str:
    """The setting with which the text fits into one chunk: the overlap that takes over its beginning, else the size."""
    start, end = located.span or (cut[0].start, cut[-1].end)
    behind = cut[-1].start - start
    if collection.overlap_chars < behind and behind + (end - cut[-1].start) < collection.chunk_chars:
        return f"overlap_chars 从 {collection.overlap_chars} 调到不少于 {behind}"
    return f"chunk_chars 从 {collection.chunk_chars} 调到 {collection.chunk_chars + end - start} 左右"


def _header(text: str, place: int) -> str:
    """The header row of the Markdown table in which a place lies; empty outside of tables and in the header itself."""
    lines = text[:place].split("\n")
    above = lines[:-1]
    if not _ROW.match(text[place - len(lines[-1]) :].split("\n", 1)[0]):
        return ""
    table: list[str] = []
    while above and _ROW.match(above[-1]):
        table.insert(0, above.pop())
    return table[0].strip() if len(table) > 1 and _RULE_ROW.match(table[1]) else ""


def _terms(text: str) -> set[str]:
    analysis = analyze(text)
    return {*analysis.terms, *analysis.extras}


def _ingest(collection: Collection) -> str:
    return f"python -m ingest {collection.name}"


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def _end(own: Chunk) -> str:
    line = " ".join(own.text.split())
    return line if len(line) <= 80 else f"…{line[-79:]}"
