"""`answer.*`: the real answer to a question over the given documents, with the embedding model where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.types import Answer, Conflict, Event, Finished, Piece
from kaijuan.chunking import chunk
from kaijuan.errors import QuestionError
from kaijuan.models.base import Embedder
from kaijuan.retrieval.retrieve import Options
from kaijuan.text import fold
from kaijuan.types import Document
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, compare, equal, holds, lacks, listed
from tests.field.staging import COLLECTION, VIEWER, Staging, Workshop


@dataclass(frozen=True, slots=True)
class _Page:
    """What the reader gets: `shown` is everything there that comes from the documents, `not_found` what is missing."""

    refused: bool
    text: str
    shown: str
    not_found: tuple[str, ...]
    sources: int = 0
    conflicts: tuple[Conflict, ...] = ()


def run(case: Case, workshop: Workshop) -> None:
    """Index the documents, put the question, and look at all that a reader would be shown."""
    case.only_inputs("docs", "docs_file", "question", "query", "query_file")
    documents = [_document(row) for row in case.documents()]
    if not documents or not case.questions():
        raise Later("a case without documents or without a question")
    problems = []
    for question in case.questions():
        with workshop.staging() as staging:
            page = _ask(question, documents, staging, workshop.embedder)
        try:
            compare(case.exact, _checks(page))
        except Mismatch as mismatch:
            problems.append(str(mismatch))
    if problems:
        raise Mismatch("; ".join(problems))


def _ask(question: str, documents: Sequence[Document], staging: Staging, embedder: Embedder | None) -> _Page:
    stages = staging.index([c for document in documents for c in chunk(document)], embedder)
    try:
        events: list[Event] = list(answer(question, COLLECTION, Answering(stages, Options()), VIEWER))
    except QuestionError as error:  # nothing to search for: one sentence instead of an answer
        return _Page(refused=True, text=str(error), shown=str(error), not_found=())
    last = events[-1]
    if not isinstance(last, Finished):
        raise Mismatch("the answer does not end", "Finished", type(last).__name__)
    streamed = "".join(event.text for event in events if isinstance(event, Piece))
    if streamed != last.answer.text:
        raise Mismatch("streamed and finished text differ", last.answer.text, streamed)
    return _page(last.answer)


def _page(given: Answer) -> _Page:
    lines = [given.text, *given.missing]
    for conflict in given.conflicts:
        lines += [f"{s.sentence}（{s.figure}，{s.chunk.title}，{s.chunk.updated or ''}）" for s in conflict.statements]
    lines += [f"[{s.number}] {s.chunk.title} {s.chunk.updated or ''}" for s in given.sources]
    return _Page(
        refused=given.refused,
        text=given.text,
        shown="\n".join(lines),
        not_found=(*given.missing, *([given.refusal.explanation] if given.refusal else [])),
        sources=len(given.sources),
        conflicts=given.conflicts,
    )


def _checks(page: _Page) -> dict[str, Check]:
    said = f"answer “{page.text[:60]}”"
    return {
        "refused": equal(page.refused, said),
        "sources": equal(page.sources, said),
        "answer_lacks": lacks(page.shown, "answer"),
        "shows": holds(page.shown, "answer"),
        "refused_or_says_not_found": lambda words: None if page.refused else _says_not_found(words, page),
        "says_not_found_about": lambda words: _says_not_found(words, page),
        "newer": lambda words: _newer(words, page),
        "conflict": equal(bool(page.conflicts), said),
    }


def _says_not_found(wanted: Any, page: _Page) -> None:
    for words in listed(wanted):
        if not any(fold(words) in fold(one) for one in page.not_found):
            raise Mismatch("not named as missing", words, f"{list(page.not_found)}, answer “{page.text[:60]}”")


def _newer(wanted: Any, page: _Page) -> None:
    """The statement with these words is marked as the newer one, and it alone."""
    for words in listed(wanted):
        marked = [s.sentence for conflict in page.conflicts for s in conflict.statements if s.newer]
        if not marked or not all(words in sentence for sentence in marked):
            raise Mismatch("not marked as newer", words, marked or f"no conflict, answer “{page.text[:60]}”")


def _document(row: dict[str, Any]) -> Document:
    """A document as a reader would deliver it: without a title of its own it is called after its file."""
    id_ = str(row["id"])
    return Document(
        id=id_,
        title=str(row.get("title") or PurePosixPath(id_).stem),
        text=str(row["text"]),
        path=id_,
        updated=row.get("date"),
        department=row.get("department"),
    )
