"""The bench's five columns as HTML: every passage with its rank, score, terms and how far it moved; all from the trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Candidate, Chunk, Hit, TermScore, Trace
from kaijuan.ui.answer import passage_link
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.markdown import to_text
from kaijuan.ui.messages import say

#: Passages shown of each column, and characters of each passage.
SHOWN, SNIPPET = 10, 90


def columns_html(trace: Trace, options: Options) -> Safe:
    """Keyword, vector, fused, reranked, context, side by side; one below the other on a narrow screen."""
    by_fusion = sorted(trace.candidates, key=lambda c: c.fused_rank)
    columns = (
        _column("keyword", [_hit(trace, hit) for hit in trace.keyword[:SHOWN]], not options.keyword_leg),
        _column("vector", [_hit(trace, hit) for hit in trace.vector[:SHOWN]], not options.vector_leg),
        _column("fused", [_fused(trace, candidate) for candidate in by_fusion[:SHOWN]]),
        _column("reranked", [_reranked(trace, c) for c in trace.candidates[:SHOWN]], not options.rerank),
        _column("context", [_in_context(trace, c) for c in reversed(trace.context)]),
    )
    return tag("div", *columns, class_="kj-bench", tabindex="0")


def _column(name: str, cards: Sequence[Safe], off: bool = False) -> Safe:
    head = tag("h2", say(f"bench.column_{name}"), class_="kj-label")
    if not cards:
        return tag("section", head, tag("p", say("bench.off" if off else "bench.empty"), class_="kj-detail"))
    return tag("section", head, tag("ol", *cards))


def _hit(trace: Trace, hit: Hit) -> Safe:
    return _card(trace, hit.chunk, hit.rank, f"{hit.score:.3f}", hit.terms, _bar(hit.terms))


def _fused(trace: Trace, candidate: Candidate) -> Safe:
    shares = say("bench.shares", keyword=f"{candidate.keyword_share:.5f}", vector=f"{candidate.vector_share:.5f}")
    whole = max(candidate.fused, 1e-12)
    parts = [("keyword", candidate.keyword_share / whole), ("vector", candidate.vector_share / whole)]
    bar = tag("div", *(_part(name, share) for name, share in parts if share), class_="kj-bar", title=shares)
    return _card(trace, candidate.chunk, candidate.fused_rank, f"{candidate.fused:.5f}", candidate.terms, bar)


def _reranked(trace: Trace, candidate: Candidate) -> Safe:
    score = "—" if candidate.rerank_score is None else f"{candidate.rerank_score:.3f}"
    return _card(trace, candidate.chunk, candidate.final_rank, score, candidate.terms, _moved(candidate))


def _in_context(trace: Trace, candidate: Candidate) -> Safe:
    number = say("bench.number", number=candidate.context_number, tokens=candidate.tokens)
    below = tag("div", join([number, candidate.context_reason], " · "), class_="kj-detail")
    return _card(trace, candidate.chunk, candidate.final_rank, "", candidate.terms, below)


def _card(trace: Trace, chunk: Chunk, rank: int, score: str, terms: Sequence[TermScore], below: Safe) -> Safe:
    head = tag(
        "div",
        tag("b", str(rank)),
        " ",
        passage_link(trace.collection, chunk, chunk.title),
        tag("span", score, class_="kj-score"),
    )
    words = [term.term for term in terms] or list(trace.terms)
    return tag("li", head, tag("div", chunk.id, class_="kj-detail"), _snippet(chunk, words), below)


def _snippet(chunk: Chunk, terms: Sequence[str]) -> Safe:
    """The passage's text around its first matched term, matched terms marked."""
    text = to_text(chunk.text)
    pattern = "|".join(re.escape(term) for term in sorted(set(terms), key=lambda t: (-len(t), t)) if len(term) > 1)
    first = re.search(pattern, text, re.IGNORECASE) if pattern else None
    start = max(0, first.start() - SNIPPET // 3) if first else 0
    shown = text[start : start + SNIPPET]
    lead, tail = "…" if start else "", "…" if start + SNIPPET < len(text) else ""
    return tag("div", lead, *(_marked(shown, pattern) if pattern else [shown]), tail, class_="kj-bench-text")


def _marked(text: str, pattern: str) -> Iterator[str]:
    at = 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        yield text[at : match.start()]
        yield tag("mark", match.group())
        at = match.end()
    yield text[at:]


def _bar(terms: Sequence[TermScore]) -> Safe:
    """Each term's share of the keyword score, widest first; empty for a hit of the vector leg."""
    whole = sum(term.score for term in terms)
    if whole <= 0:
        return join([])
    ordered = sorted(terms, key=lambda term: (-term.score, term.term))
    parts = (
        tag(
            "span",
            term.term,
            class_="kj-part kj-keyword",
            style=f"flex-grow:{term.score / whole:.4f}",
            title=say("bench.term", term=term.term, score=f"{term.score:.3f}"),
        )
        for term in ordered
    )
    return tag("div", *parts, class_="kj-bar", role="img", aria_label=_spoken(ordered))


def _spoken(terms: Sequence[TermScore]) -> str:
    said = "、".join(say("bench.term", term=term.term, score=f"{term.score:.2f}") for term in terms)
    return f"{say('bench.terms')} {said}"


def _part(name: str, share: float) -> Safe:
    label = say(f"bench.column_{name}")
    return tag("span", label, class_=f"kj-part kj-{name}", style=f"flex-grow:{share:.4f}")


def _moved(candidate: Candidate) -> Safe:
    places = candidate.fused_rank - candidate.final_rank
    if places > 0:
        return tag("div", f"▲ {say('bench.up', places=places)}", class_="kj-detail kj-up")
    if places < 0:
        return tag("div", f"▼ {say('bench.down', places=-places)}", class_="kj-detail kj-down")
    return tag("div", say("bench.same"), class_="kj-detail")
