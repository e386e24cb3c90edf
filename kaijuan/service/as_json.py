"""Traces and answers as plain data for JSON: every passage stands once, everything else names it by its id."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from kaijuan.answering.types import Answer, Conflict
from kaijuan.records.types import AnswerRecord
from kaijuan.types import Candidate, Chunk, Hit, Notice, Trace

Json = dict[str, Any]


def encoded(value: Json) -> bytes:
    """The data as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def trace_json(trace: Trace) -> Json:
    """A whole trace: both legs, the fused and the reranked order, the context, notices and seconds of each stage."""
    ranked = [c for c in trace.candidates if c.rerank_score is not None]
    return {
        "question": trace.question,
        "searched": trace.searched,
        "terms": list(trace.terms),
        "synonyms": [asdict(one) for one in trace.synonyms],
        "collection": trace.collection,
        "version": trace.version,
        "legs": {"keyword": list(map(_hit, trace.keyword)), "vector": list(map(_hit, trace.vector))},
        "fused": [_fused(c) for c in sorted(trace.candidates, key=lambda c: c.fused_rank)],
        "reranked": [{"chunk": c.chunk.id, "rank": c.final_rank, "score": c.rerank_score} for c in ranked],
        "context": context_json(trace),
        "passages": {chunk.id: chunk_json(chunk) for chunk in _chunks(trace)},
        "evidence": asdict(trace.evidence),
        "notices": notices_json(trace.notices),
        "seconds": seconds_json(trace),
        "tokens": {
            "question": trace.question_tokens,
            "context": trace.context_tokens,
            "counter": trace.token_counter,
        },
    }


def retrieved_json(trace: Trace) -> Json:
    """What is known before anything is said: the context without its texts, notices and seconds."""
    return {
        "collection": trace.collection,
        "version": trace.version,
        "searched": trace.searched,
        "context": context_json(trace),
        "notices": notices_json(trace.notices),
        "seconds": seconds_json(trace),
    }


def answer_json(answer: Answer, record: AnswerRecord | None, notice: Notice | None) -> Json:
    """A finished answer with its sources; `id` is its id in the records, None where it was not kept, `notice` why."""
    trace = answer.trace
    notices = answer.notices if notice is None else (*answer.notices, notice)
    return {
        "id": record.id if record else None,
        "question": answer.question,
        "completed": answer.completed,
        "collection": trace.collection,
        "version": trace.version,
        "text": answer.text,
        "refusal": asdict(answer.refusal) if answer.refusal else None,
        "sources": [{"number": source.number, **chunk_json(source.chunk)} for source in answer.sources],
        "conflicts": list(map(_conflict, answer.conflicts)),
        "nearest": [{"source": source_id, "title": title} for source_id, title in answer.nearest],
        "missing": list(answer.missing),
        "weak": answer.weak,
        "incomplete": answer.incomplete,
        "removed": list(answer.removed),
        "support": asdict(answer.checked.counts) if answer.checked else None,
        "notices": notices_json(notices),
        "answerer": answer.answerer,
        "model": answer.model,
        "tokens": asdict(answer.usage) if answer.usage else None,
        "context": context_json(trace),
        "seconds": {**seconds_json(trace), "total": answer.seconds},
    }


def context_json(trace: Trace) -> list[Json]:
    """The context in the order in which it is read, best last."""
    return [
        {
            "number": c.context_number,
            "chunk": c.chunk.id,
            "title": c.chunk.title,
            "tokens": c.tokens,
            "reason": c.context_reason,
        }
        for c in trace.context
    ]


def chunk_json(chunk: Chunk) -> Json:
    """A passage with what is known of its document."""
    return {
        "chunk": chunk.id,
        "source": chunk.source_id,
        "title": chunk.title,
        "headings": list(chunk.headings),
        "text": chunk.text,
        "page": chunk.page,
        "updated": chunk.updated,
        "department": chunk.department,
        "standing": asdict(chunk.standing) if chunk.standing else None,
    }


def notices_json(notices: Iterable[Notice]) -> list[Json]:
    """Notices with the stage that they are about."""
    return [asdict(notice) for notice in notices]


def seconds_json(trace: Trace) -> dict[str, float]:
    """Seconds by stage, in the order of the stages; a stage that ran twice has the sum."""
    seconds: dict[str, float] = {}
    for stage in trace.stages:
        seconds[stage.stage] = seconds.get(stage.stage, 0.0) + stage.seconds
    return seconds


def _hit(hit: Hit) -> Json:
    return {
        "chunk": hit.chunk.id,
        "rank": hit.rank,
        "score": hit.score,
        "terms": {term.term: term.score for term in hit.terms},
    }


def _fused(candidate: Candidate) -> Json:
    return {
        "chunk": candidate.chunk.id,
        "rank": candidate.fused_rank,
        "score": candidate.fused,
        "keyword": {"rank": candidate.keyword_rank, "share": candidate.keyword_share},
        "vector": {"rank": candidate.vector_rank, "share": candidate.vector_share},
        "final_rank": candidate.final_rank,
        "context_number": candidate.context_number,
        "context_reason": candidate.context_reason,
    }


def _conflict(conflict: Conflict) -> Json:
    return {
        "unit": conflict.unit,
        "statements": [
            {
                "sentence": said.sentence,
                "figure": said.figure,
                "chunk": said.chunk.id,
                "updated": said.chunk.updated,
                "newer": said.newer,
            }
            for said in conflict.statements
        ],
    }


def _chunks(trace: Trace) -> Iterator[Chunk]:
    for hit in (*trace.keyword, *trace.vector):
        yield hit.chunk
    for candidate in (*trace.candidates, *trace.context):
        yield candidate.chunk
