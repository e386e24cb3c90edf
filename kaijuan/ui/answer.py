"""One answer as HTML: its text with citations, what is uncertain about it, conflicts, sources; all of it from the Answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from kaijuan.answering.standing import label
from kaijuan.answering.types import Answer, Conflict, Refusal, Source, Statement
from kaijuan.types import Candidate, Chunk, Notice
from kaijuan.ui.cited import CitedSentences
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.links import source_url
from kaijuan.ui.markdown import Link, to_html, to_text
from kaijuan.ui.marks import marks_to_tags, with_marks
from kaijuan.ui.messages import say, say_or


def answer_html(answer: Answer) -> Safe:
    """Everything a reader sees of a finished answer, above the rank ledger."""
    return tag("div", *_parts(answer), class_="kj-answer")


def text_html(text: str) -> Safe:
    """An answer's text while it still streams: citations are marks without a link, for their sources are not known yet."""
    return tag("div", to_html(text, cite=lambda number: None), class_="kj-answer kj-body")


def answer_notices(answer: Answer) -> tuple[Notice, ...]:
    """What the person must be told, from retrieval and from answering, each sentence once."""
    return tuple({notice.text: notice for notice in (*answer.trace.notices, *answer.notices)}.values())


def _parts(answer: Answer) -> Iterator[Safe]:
    collection = answer.trace.collection
    if answer.completed:
        yield _note("completed", tag("b", say("answer.completed")), answer.completed)
    if answer.incomplete:
        yield _note("weak", tag("b", say("answer.incomplete")))
    if answer.refusal is not None:
        yield from _refusal(answer, answer.refusal)
    else:
        if answer.weak:
            yield _note("weak", tag("b", say("answer.weak")), say("answer.weak_detail"))
        body = to_html(with_marks(answer.text, answer.checked), cite=_Citations(answer))
        yield tag("div", marks_to_tags(body), class_="kj-body")
    if answer.missing:
        yield _note("missing", tag("b", say("answer.missing")), "、".join(answer.missing))
    yield from (_conflict(conflict, answer) for conflict in answer.conflicts)
    if answer.removed:
        numbers = "".join(f"[{number}]" for number in answer.removed)
        yield _note("removed", say("answer.removed", count=len(answer.removed), numbers=numbers))
    yield from (_note("notice", notice.text) for notice in answer_notices(answer))
    if answer.sources and answer.refusal is None:
        yield tag("div", say("answer.sources"), class_="kj-label")
        yield tag("ol", *(_source(collection, source) for source in answer.sources), class_="kj-sources")
    yield tag("div", _meta(answer), class_="kj-meta")


class _Citations:
    """[n] of an answer → the address of its passage."""

    def __init__(self, answer: Answer) -> None:
        self._collection = answer.trace.collection
        self._chunks = {source.number: source.chunk for source in answer.sources}
        self._sentences = CitedSentences(answer.text)

    def __call__(self, number: int) -> Link | None:
        chunk = self._chunks.get(number)
        if chunk is None:
            return None
        return Link(
            source_url(self._collection, chunk.source_id, chunk.id),
            f"《{chunk.title}》 {chunk_facts(chunk)}",
            self._sentences.next(number, chunk),
        )


def chunk_facts(chunk: Chunk) -> str:
    """Date, department and page of a passage in one line, the first two said to be unknown where they are."""
    updated = chunk.updated or say("answer.date_unknown")
    facts = (updated, chunk.department or say("answer.department_unknown"), page_of(chunk), standing_now(chunk))
    return " · ".join(fact for fact in facts if fact)


def page_of(chunk: Chunk) -> str:
    """The page on which a passage begins; empty for a document without pages."""
    return "" if chunk.page is None else say("source.page", page=chunk.page)


def standing_now(chunk: Chunk) -> str:
    """Why a passage does not hold today; empty for one that does."""
    return label(chunk, date.today().isoformat())


def passage_link(collection: str, chunk: Chunk, text: str) -> Safe:
    """A link to a passage, in a new tab so that the conversation stays."""
    href = source_url(collection, chunk.source_id, chunk.id)
    return tag("a", text, href=href, target="_blank", rel="noopener")


def _refusal(answer: Answer, refusal: Refusal) -> Iterator[Safe]:
    yield tag("p", answer.text, class_="kj-refusal")
    if refusal.explanation:
        yield tag("p", refusal.explanation, class_="kj-explanation")
    if answer.nearest:
        links = (
            tag("li", tag("a", title, href=source_url(answer.trace.collection, id), target="_blank", rel="noopener"))
            for id, title in answer.nearest
        )
        yield tag("div", tag("div", say("answer.nearest"), class_="kj-label"), tag("ul", *links), class_="kj-nearest")


def _note(kind: str, *words: str) -> Safe:
    return tag("p", join(words, " "), class_=f"kj-note kj-{kind}")


def _conflict(conflict: Conflict, answer: Answer) -> Safe:
    head = tag("div", say("answer.conflict"), class_="kj-label")
    versions = tag("div", *(_statement(s, answer) for s in conflict.statements), class_="kj-versions")
    detail = tag("p", say("answer.conflict_detail"), class_="kj-detail")
    return tag("section", head, versions, detail, class_="kj-conflict")


def _statement(statement: Statement, answer: Answer) -> Safe:
    chunk = statement.chunk
    badge = [tag("span", say("answer.newer"), class_="kj-badge")] if statement.newer else []
    mark = next((f"[{s.number}]" for s in answer.sources if s.chunk.id == chunk.id), "")
    return tag(
        "div",
        tag("div", tag("span", statement.figure, class_="kj-figure"), *badge),
        tag("div", chunk.updated or say("answer.date_unknown"), class_="kj-date"),
        *([tag("div", held, class_="kj-badge kj-stale")] if (held := standing_now(chunk)) else []),
        tag("blockquote", to_html(statement.sentence)),
        passage_link(answer.trace.collection, chunk, f"《{chunk.title}》{mark}"),
        tag("div", chunk.department or say("answer.department_unknown"), class_="kj-detail"),
        class_="kj-version",
    )


def _source(collection: str, source: Source) -> Safe:
    chunk = source.chunk
    path = " › ".join(chunk.headings)
    return tag(
        "li",
        tag("span", f"[{source.number}]", class_="kj-number"),
        tag("b", passage_link(collection, chunk, chunk.title)),
        tag("span", chunk_facts(chunk), class_="kj-facts"),
        *([tag("div", path, class_="kj-path")] if path else []),
        _snippet(source.candidate),
        value=str(source.number),
    )


def _snippet(candidate: Candidate) -> Safe:
    text = to_text(candidate.chunk.text)
    for heading in candidate.chunk.headings:  # shown above it already
        text = text.removeprefix(heading).lstrip()
    return tag(
        "details",
        tag(
            "summary", tag("span", text, class_="kj-snippet"), tag("span", say("answer.show_passage"), class_="kj-more")
        ),
        tag("div", to_html(candidate.chunk.text), class_="kj-passage"),
    )


def _meta(answer: Answer) -> str:
    # One that was stopped was not checked.
    said = say("answer.model", model=answer.model) if answer.checked else say("answer.model_only", model=answer.model)
    by_model = said if answer.model else None
    values = {
        "answerer": by_model or say_or(f"answerer.{answer.answerer}", answer.answerer),
        "milliseconds": f"{answer.seconds * 1000:.0f} ms",
        "count": len(answer.sources),
    }
    return say("answer.meta_refused" if answer.refused else "answer.meta", **values)
