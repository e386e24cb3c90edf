"""Traces made by hand: passages in context order, with the evidence a test wants to speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kaijuan.answering.similarity import Similarity
from kaijuan.models.base import Vector
from kaijuan.text import analyze, query_terms
from kaijuan.types import Candidate, Chunk, Evidence, Hit, TermScore, Trace

#: Evidence far above any floor.
PLENTY = Evidence(best_cosine=0.9, floor=0.5, agreement=0.8, best_keyword=9.0)


class TopicEmbedder:
    """Embeds a text by which of the given words it holds; texts without any point elsewhere."""

    name = "topics"
    floor = 0.5

    def __init__(self, *topics: str) -> None:
        self._topics = topics
        self.dims = len(topics) + 1

    def query(self, text: str) -> Vector:
        """See Embedder.query."""
        vector = np.array([float(topic in text) for topic in self._topics] + [0.0], dtype=np.float32)
        vector[-1] = not vector.any()
        return vector / np.linalg.norm(vector)

    def sentence(self, text: str) -> Vector:
        return self.query(text)

    passage = query


def chunk(chunk_id: str, text: str, title: str = "", updated: str | None = None, heading: str = "") -> Chunk:
    """A chunk whose id says its document and position."""
    source, _, position = chunk_id.partition("#")
    headings = (heading,) if heading else ()
    return Chunk(chunk_id, source, title, text, headings, position=int(position or 0), end=len(text), updated=updated)


def candidates(question: str, best_first: Sequence[Chunk]) -> tuple[Candidate, ...]:
    """All of them in the context, numbered in reading order (best last), with the question's terms that each holds."""
    terms = query_terms(question)
    made = []
    for rank, own in enumerate(best_first, start=1):
        analysis = analyze(own.search_text)
        held = tuple(TermScore(term, 1.0) for term in terms if term in {*analysis.terms, *analysis.extras})
        number = len(best_first) + 1 - rank
        made.append(
            Candidate(own, rank, 1.0, rank, 0.5, 0.0, 0.0, 0.0, rank, held, final_rank=rank, context_number=number)
        )
    return tuple(made)


def trace(
    question: str, best_first: Sequence[Chunk], evidence: Evidence = PLENTY, weights: Mapping[str, float] | None = None
) -> Trace:
    """A trace whose context is all of these passages; both legs found them unless the evidence knows no cosine."""
    found = candidates(question, best_first)
    hits = tuple(Hit(c.chunk, c.fused_rank, 1.0, terms=c.terms) for c in found)
    terms = query_terms(question)
    return Trace(
        question=question,
        searched=question,
        terms=terms,
        collection="shop",
        version="v0001",
        keyword=hits,
        vector=() if evidence.best_cosine is None else hits,
        candidates=found,
        context=tuple(reversed(found)),
        term_weights=dict.fromkeys(terms, 2.0) if weights is None else weights,
        evidence=evidence,
    )


def no_model() -> Similarity:
    """Similarity where there is no embedding model."""
    return Similarity(None)
