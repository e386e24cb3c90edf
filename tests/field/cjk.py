"""`cjk.*` and `query.*`: what the keyword leg alone finds for a question, one chunk a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.types import Finished
from kaijuan.chunking import whole
from kaijuan.errors import QuestionError
from kaijuan.retrieval.retrieve import Options, Stages
from kaijuan.text import clean, fold
from kaijuan.types import Document, Hit
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, at_most, compare, equal, listed, occurs
from tests.field.staging import ALL_HITS, COLLECTION, VIEWER, Staging, Workshop


def run(case: Case, workshop: Workshop) -> None:
    """Index the documents without vectors and put every question to the keyword leg."""
    case.only_inputs("docs", "docs_file", "query", "query_file")
    rows, questions = case.documents(), case.questions()
    if not rows or not questions:
        raise Later("a case without documents or without a question")
    documents = [
        Document(str(row["id"]), str(row.get("title", "")), str(row["text"]), updated=row.get("date")) for row in rows
    ]
    problems = []
    with workshop.staging() as staging:
        stages = staging.index([whole(document) for document in documents])
        for question in questions:
            try:
                compare(case.exact, _checks(question, staging, stages, documents))
            except Mismatch as mismatch:
                problems.append(f"{question[:20]!r}: {mismatch}" if len(questions) > 1 else str(mismatch))
    if problems:
        raise Mismatch("; ".join(problems))


def _checks(question: str, staging: Staging, stages: Stages, documents: Sequence[Document]) -> dict[str, Check]:
    hits = _hits(question, staging, stages)
    ids = [hit.chunk.id for hit in hits]
    texts = [document.text for document in documents]
    return {
        "found": lambda wanted: _found(wanted, ids),
        "not_found": lambda unwanted: _not_found(unwanted, ids),
        "top": equal(ids[0] if ids else None),
        "above": lambda pairs: _above(pairs, ids),
        "hits": equal(len(ids)),
        "hits_max": at_most(len(ids)),
        "answered": lambda wanted: equal(_answered(question, stages))(wanted),
        "shown": lambda wanted: _shown(wanted, hits),
        "text_contains": lambda wanted: _text_contains(wanted, texts),
        "distinct_bigrams_over": lambda least: _long_enough(least, question),
    }


def _hits(question: str, staging: Staging, stages: Stages) -> tuple[Hit, ...]:
    try:
        trace = staging.keyword_trace(question, stages)
    except QuestionError:  # the product's way to say that there is nothing to search for
        return ()
    if trace.searched != clean(question).strip() and not trace.notices:
        raise Mismatch("the question was shortened and nobody is told")
    return trace.keyword


def _answered(question: str, stages: Stages) -> bool:
    options = Options(leg_size=ALL_HITS, vector_leg=False)
    try:
        events = list(answer(question, COLLECTION, Answering(replace(stages, embedder=None), options), VIEWER))
    except QuestionError:
        return False
    return not any(event.answer.refused for event in events if isinstance(event, Finished))


def _found(wanted: Any, ids: list[str]) -> None:
    for id_ in listed(wanted):
        if id_ not in ids:
            raise Mismatch("not among the hits", id_, ids)


def _not_found(unwanted: Any, ids: list[str]) -> None:
    for id_ in listed(unwanted):
        if id_ in ids:
            raise Mismatch("among the hits", f"no {id_}", ids)


def _above(pairs: Any, ids: list[str]) -> None:
    for left, right in pairs:
        if left not in ids or (right in ids and ids.index(left) > ids.index(right)):
            raise Mismatch("wrong order", f"{left} before {right}", ids)


def _shown(wanted: Any, hits: Sequence[Hit]) -> None:
    for words in listed(wanted):
        if not any(words in hit.chunk.text for hit in hits):
            raise Mismatch("no hit shows the source's own text", words, [hit.chunk.text for hit in hits])


def _text_contains(wanted: Any, texts: Sequence[str]) -> None:
    """In the indexed text: cleaned as it goes to the models, or folded as it goes to the keyword leg."""
    for words in listed(wanted):
        if not any(occurs(words, clean(text)) or occurs(fold(words), fold(text)) for text in texts):
            raise Mismatch("not in the indexed text", words, [clean(text) for text in texts])


def _long_enough(least: Any, question: str) -> None:
    """A property of the input itself: a question that is too short would test nothing."""
    folded = fold(question)
    count = len({folded[i : i + 2] for i in range(len(folded) - 1)})
    if count <= least:
        raise Mismatch("the question is no test of length", f"more than {least} bigrams", count)
