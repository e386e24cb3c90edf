"""An answer as the records kept it: as HTML when its conversation is taken up again, and as text to copy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kaijuan.records.types import AnswerRecord, ContextRecord
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.links import source_url
from kaijuan.ui.markdown import Link, to_html
from kaijuan.ui.messages import say

_CITATION = re.compile(r"\[(\d{1,3})\]")


def record_html(record: AnswerRecord) -> Safe:
    """What a reader sees of a kept answer; passages and ledger are not kept, the links lead to the passages."""
    return tag("div", *_parts(record), class_="kj-answer")


def cited_text(record: AnswerRecord) -> str:
    """The answer to copy with its citations: its Markdown, then one line a source."""
    lines = [f"[{source.cited}] {source.title} · {_updated(source)}" for source in _sources(record)]
    return "\n\n".join(part for part in (record.text, "\n".join(lines)) if part)


def bare_text(record: AnswerRecord) -> str:
    """The answer to copy without citations; a bracketed number that is none of them stays."""
    numbers = {source.cited for source in _sources(record)}
    return _CITATION.sub(lambda match: "" if int(match[1]) in numbers else match[0], record.text)


def _parts(record: AnswerRecord) -> Iterator[Safe]:
    if record.asked != record.question:
        yield _note("completed", tag("b", say("answer.completed")), record.asked)
    if record.incomplete:
        yield _note("weak", tag("b", say("answer.incomplete")))
    if record.refused is not None:
        yield tag("p", record.text, class_="kj-refusal")
        yield tag("p", record.explanation, class_="kj-explanation")
    else:
        if record.weak:
            yield _note("weak", tag("b", say("answer.weak")), say("answer.weak_detail"))
        yield tag("div", to_html(record.text, cite=_Citations(record)), class_="kj-body")
    if record.missing:
        yield _note("missing", tag("b", say("answer.missing")), "、".join(record.missing))
    if record.conflicts:
        yield _note("weak", tag("b", say("answer.conflict")), say("kept.conflicts", count=record.conflicts))
    yield from (_note("notice", notice.text) for notice in record.notices)
    if sources := _sources(record):
        yield tag("div", say("answer.sources"), class_="kj-label")
        yield tag("ol", *(_source(record.collection, source) for source in sources), class_="kj-sources")
    yield tag("div", say("kept.meta", at=f"{record.at:%Y-%m-%d %H:%M}"), class_="kj-meta")


class _Citations:
    """[n] of a kept answer → the address of its passage."""

    def __init__(self, record: AnswerRecord) -> None:
        self._collection = record.collection
        self._sources = {source.cited: source for source in _sources(record)}

    def __call__(self, number: int) -> Link | None:
        source = self._sources.get(number)
        if source is None:
            return None
        address = source_url(self._collection, source.source_id, source.chunk_id)
        return Link(address, f"《{source.title}》 {_updated(source)}")


def _source(collection: str, source: ContextRecord) -> Safe:
    address = source_url(collection, source.source_id, source.chunk_id)
    return tag(
        "li",
        tag("span", f"[{source.cited}]", class_="kj-number"),
        tag("b", tag("a", source.title, href=address, target="_blank", rel="noopener")),
        tag("span", _updated(source), class_="kj-facts"),
        value=str(source.cited),
    )


def _sources(record: AnswerRecord) -> list[ContextRecord]:
    return sorted((passage for passage in record.context if passage.cited), key=lambda passage: passage.cited)


def _updated(source: ContextRecord) -> str:
    return source.updated or say("answer.date_unknown")


def _note(kind: str, *words: str) -> Safe:
    return tag("p", join(words, " "), class_=f"kj-note kj-{kind}")
