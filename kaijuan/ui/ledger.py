"""The rank ledger of one answer as HTML: what every stage said about every candidate."""

from __future__ import annotations

from collections.abc import Iterator

from kaijuan.answering.types import Answer
from kaijuan.types import Candidate, Hop, Trace
from kaijuan.ui.answer import passage_link
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.messages import say, say_or
from kaijuan.ui.synonyms_tables import synonyms_line

_COLUMNS = ("rank", "passage", "context", "keyword", "vector", "fused", "rerank", "terms")
_NONE = "—"


def ledger_html(answer: Answer) -> Safe:
    """Closed at first: facts about the retrieval, then one row a candidate in final order.

    Not an expander of Streamlit: a conversation holds one ledger an answer, all of them drawn at every question.
    """
    return tag("details", tag("summary", say("ledger.title")), *_inside(answer), class_="kj-ledger")


def _inside(answer: Answer) -> Iterator[Safe]:
    trace = answer.trace
    yield tag("dl", *(part for name, value in _facts(answer) for part in _fact(name, value)), class_="kj-facts-list")
    if not trace.candidates:
        yield tag("p", say("ledger.no_candidates"))
        return
    cited = {source.chunk.id: source.number for source in answer.sources}
    head = tag("tr", *(tag("th", _lines(say(f"ledger.{column}")), scope="col") for column in _COLUMNS))
    ordered = sorted(trace.candidates, key=lambda c: (c.final_rank, c.fused_rank))
    rows = (_row(trace.collection, candidate, cited.get(candidate.chunk.id)) for candidate in ordered)
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    yield tag("p", say("ledger.caption", count=len(ordered)), class_="kj-detail")
    yield tag("div", table, class_="kj-scroll", tabindex="0")


def stages_line(trace: Trace) -> str:
    """The stages so far with their times, for the line shown while the answer is made."""
    return " → ".join(f"{_stage(stage.stage)} {_ms(stage.seconds)}" for stage in trace.stages)


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    trace = answer.trace
    yield say("ledger.stages"), _stage_times(answer)
    yield (
        say("ledger.tokens"),
        say(
            "ledger.tokens_value",
            question=trace.question_tokens,
            context=trace.context_tokens,
            counter=trace.token_counter or _NONE,
        ),
    )
    yield say("ledger.version"), say("ledger.version_value", collection=trace.collection, version=trace.version)
    yield say("ledger.evidence"), _evidence(trace)
    if trace.searched.strip() != trace.question.strip():
        yield say("ledger.searched"), trace.searched
    yield say("ledger.search_terms"), "　".join(trace.terms)
    if trace.synonyms:
        yield say("ledger.synonyms"), synonyms_line(trace.synonyms)
    if trace.hops:
        yield say("ledger.hops"), "；".join(_hop(hop) for hop in trace.hops)
    if answer.model:
        yield say("ledger.model"), _model(answer)


def _hop(hop: Hop) -> str:
    key = "ledger.hop_none" if hop.added is None else "ledger.hop_added"
    return say(key, term=hop.term, added=hop.added)


def _model(answer: Answer) -> str:
    unknown = say("ledger.unknown")
    usage = answer.usage
    first = answer.first_text_seconds
    return say(
        "ledger.model_value",
        model=answer.model,
        prompt=answer.prompt,
        input=unknown if usage is None or usage.input_tokens is None else usage.input_tokens,
        output=unknown if usage is None or usage.output_tokens is None else usage.output_tokens,
        first=unknown if first is None else _ms(first),
    )


def _stage_times(answer: Answer) -> str:
    times = [f"{_stage(stage.stage)} {_ms(stage.seconds)}" for stage in answer.trace.stages]
    # What the answer took beyond retrieval is the fifth stage.
    if "answer" not in {stage.stage for stage in answer.trace.stages} and answer.seconds:
        times.append(f"{say('stage.answer')} {_ms(max(answer.seconds - answer.trace.seconds, 0.0))}")
    return " · ".join(times)


def _evidence(trace: Trace) -> str:
    evidence = trace.evidence
    said = []
    if evidence.best_cosine is not None:
        said.append(say("ledger.best_cosine", cosine=f"{evidence.best_cosine:.3f}"))
    if evidence.floor is not None:
        said.append(say("ledger.floor", floor=f"{evidence.floor:.3f}"))
    said.append(say("ledger.agreement", share=f"{evidence.agreement:.0%}"))
    said.append(say("ledger.best_keyword", score=f"{evidence.best_keyword:.2f}"))
    return " · ".join(said)


def _fact(name: str, value: str) -> tuple[Safe, Safe]:
    return tag("dt", name), tag("dd", value)


def _row(collection: str, candidate: Candidate, cited: int | None) -> Safe:
    chunk = candidate.chunk
    where = " › ".join(chunk.headings)
    shares = f"{candidate.keyword_share:.5f} + {candidate.vector_share:.5f}"
    cells = {
        "rank": str(candidate.final_rank),
        "passage": join(
            [
                passage_link(collection, chunk, chunk.title),
                tag("div", join([chunk.id, where], " · " if where else ""), class_="kj-detail"),
            ]
        ),
        "context": _context(candidate, cited),
        "keyword": _leg(candidate.keyword_rank, candidate.keyword_score, "{:.2f}"),
        "vector": _leg(candidate.vector_rank, candidate.vector_score, "{:.3f}"),
        "fused": join([f"{candidate.fused_rank} / {candidate.fused:.5f}", tag("div", shares, class_="kj-detail")]),
        "rerank": _NONE if candidate.rerank_score is None else f"{candidate.rerank_score:.3f}",
        "terms": "　".join(f"{term.term} {term.score:.2f}" for term in candidate.terms) or _NONE,
    }
    row_class = "kj-row-cited" if cited is not None else None
    return tag("tr", *(tag("td", cells[column], class_=f"kj-col-{column}") for column in _COLUMNS), class_=row_class)


def _context(candidate: Candidate, cited: int | None) -> Safe:
    if cited is not None:
        state = say("ledger.cited", mark=f"[{cited}]")
    elif candidate.context_number is not None:
        state = say("ledger.not_cited")
    else:
        return join([candidate.context_reason or _NONE])
    return join([state, tag("div", candidate.context_reason, class_="kj-detail")])


def _leg(rank: int | None, score: float | None, form: str) -> str:
    if rank is not None:
        return f"{rank} / {_NONE if score is None else form.format(score)}"
    return _NONE if score is None else f"{_NONE}（{form.format(score)}）"


def _stage(name: str) -> str:
    return say_or(f"stage.{name}", name)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _lines(words: str) -> Safe:
    return join(words.split("\n"), tag("br"))
