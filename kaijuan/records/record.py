"""An answer with its trace → what the records keep of it; a record → the ticket that hands it over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from kaijuan.answering.types import Answer
from kaijuan.records.moments import new_id, rounded, utc_now
from kaijuan.records.price import price_of
from kaijuan.records.types import (
    AnswerRecord,
    ContextRecord,
    HitRecord,
    Ledger,
    Prices,
    Said,
    StageRecord,
    Ticket,
    TicketChunk,
    Webhook,
)
from kaijuan.types import LegName, Trace, Viewer

#: What no model words: answers of the sources' sentences, and refusals on evidence; no tokens are used then.
_WITHOUT_MODEL = ("extractive", "evidence")
#: Passages that a ticket names.
TICKET_CHUNKS = 5


def record_of(
    answer: Answer,
    viewer: Viewer,
    ledger: Ledger | None = None,
    prices: Prices | None = None,
    conversation_id: str | None = None,
    settings_hash: str = "",
    now: Callable[[], datetime] = utc_now,
    replaces: str | None = None,
) -> AnswerRecord:
    """The record of an answer, not yet written; of the viewer only the name is kept."""
    ledger = ledger or ledger_of(answer)
    trace = answer.trace
    at = rounded(now())
    tokens_in, tokens_out = _tokens(answer, ledger)
    return AnswerRecord(
        id=new_id(at),
        at=at,
        question=answer.question,
        asked=ledger.asked or answer.question,
        text=answer.text,
        collection=trace.collection,
        version=trace.version,
        viewer=viewer.name,
        conversation_id=conversation_id,
        refused=answer.refusal.reason if answer.refusal else None,
        explanation=answer.refusal.explanation if answer.refusal else "",
        answerer=answer.answerer,
        model=ledger.model,
        prompt=ledger.prompt,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        price=price_of(tokens_in, tokens_out, prices or Prices()),
        seconds=answer.seconds,
        first_text_seconds=ledger.first_text_seconds,
        incomplete=ledger.incomplete,
        cited=len(answer.sources),
        invented=len(answer.removed),
        empty=not answer.refused and not answer.sources,
        unsupported=ledger.unsupported,
        uncited=ledger.uncited,
        conflicts=len(answer.conflicts),
        weak=answer.weak,
        settings_hash=settings_hash,
        missing=answer.missing,
        notices=answer.notices,
        hits=(*_hits("keyword", trace), *_hits("vector", trace)),
        context=tuple(_context(answer)),
        stages=tuple(_stages(answer)),
        replaces=replaces,
    )


def ledger_of(answer: Answer) -> Ledger:
    """What an answer says of how it was made; where no model was asked, no token was used."""
    usage = answer.usage
    counts = answer.checked.counts if answer.checked else None
    return Ledger(
        model=answer.model,
        prompt=answer.prompt,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        first_text_seconds=answer.first_text_seconds,
        asked=answer.completed,
        incomplete=answer.incomplete,
        unsupported=counts.unsupported if counts else None,
        uncited=counts.uncited if counts else None,
    )


def ticket_of(
    record: AnswerRecord,
    reason: str,
    transcript: Sequence[Said] = (),
    webhook: Webhook = "none",
    now: Callable[[], datetime] = utc_now,
) -> Ticket:
    """A ticket about an answer: its question, the best passages with their ranks, and what was said before."""
    at = rounded(now())
    ranks = {(hit.leg, hit.chunk_id): hit.rank for hit in record.hits}
    best = sorted(record.context, key=lambda c: (c.final_rank, c.number))[:TICKET_CHUNKS]
    return Ticket(
        id=new_id(at),
        at=at,
        question=record.question,
        asked=record.asked,
        reason=reason,
        viewer=record.viewer,
        collection=record.collection,
        answer_id=record.id,
        conversation_id=record.conversation_id,
        transcript=tuple(transcript),
        chunks=tuple(
            TicketChunk(
                chunk_id=c.chunk_id,
                title=c.title,
                final_rank=c.final_rank,
                keyword_rank=ranks.get(("keyword", c.chunk_id)),
                vector_rank=ranks.get(("vector", c.chunk_id)),
            )
            for c in best
        ),
        webhook=webhook,
    )


def ticket_about(
    question: str,
    reason: str,
    viewer: Viewer,
    collection: str,
    conversation_id: str | None = None,
    transcript: Sequence[Said] = (),
    webhook: Webhook = "none",
    now: Callable[[], datetime] = utc_now,
) -> Ticket:
    """A ticket about a question that has no answer: none was asked for, or none came."""
    at = rounded(now())
    return Ticket(
        id=new_id(at),
        at=at,
        question=question,
        asked=question,
        reason=reason,
        viewer=viewer.name,
        collection=collection,
        conversation_id=conversation_id,
        transcript=tuple(transcript),
        webhook=webhook,
    )


def _tokens(answer: Answer, ledger: Ledger) -> tuple[int | None, int | None]:
    """Tokens in and out; what no model worded used none, which is known."""
    if answer.answerer in _WITHOUT_MODEL and not ledger.model:
        return ledger.input_tokens or 0, ledger.output_tokens or 0
    return ledger.input_tokens, ledger.output_tokens


def _hits(leg: LegName, trace: Trace) -> Iterator[HitRecord]:
    for hit in trace.keyword if leg == "keyword" else trace.vector:
        yield HitRecord(leg, hit.rank, hit.score, hit.chunk.id)


def _context(answer: Answer) -> Iterator[ContextRecord]:
    cited = {source.chunk.id: source.number for source in answer.sources}
    for number, candidate in sorted(answer.trace.numbered().items()):
        chunk = candidate.chunk
        yield ContextRecord(
            number=number,
            chunk_id=chunk.id,
            source_id=chunk.source_id,
            title=chunk.title,
            final_rank=candidate.final_rank,
            rerank_score=candidate.rerank_score,
            tokens=candidate.tokens,
            cited=cited.get(chunk.id, 0),
            updated=chunk.updated,
        )


def _stages(answer: Answer) -> Iterator[StageRecord]:
    """Each stage once, in order; what the answer took beyond retrieval is the stage "answer"."""
    seconds: dict[str, float] = {}
    for stage in answer.trace.stages:
        seconds[stage.stage] = seconds.get(stage.stage, 0.0) + stage.seconds
    if "answer" not in seconds and answer.seconds:
        seconds["answer"] = max(answer.seconds - answer.trace.seconds, 0.0)
    for name, taken in seconds.items():
        yield StageRecord(name, taken)
