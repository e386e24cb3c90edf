"""The question asked once more, and how far a passage came in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.types import Answer, Finished
from kaijuan.collection import Collection
from kaijuan.retrieval.retrieve import retrieve
from kaijuan.types import Candidate, Chunk, Hit, LegName, Trace, Viewer

#: Hits of each leg that are looked through for the real rank of a passage; no engine gives more in one reply.
WIDEST = 10_000


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer, and the retrieval under it with legs long enough to show where any passage stands."""

    answer: Answer
    wide: Trace

    @property
    def trace(self) -> Trace:
        """The trace of the answer."""
        return self.answer.trace

    def candidate(self, chunk_id: str) -> Candidate | None:
        """The passage among the fused ones."""
        return next((c for c in self.trace.candidates if c.chunk.id == chunk_id), None)

    def in_context(self, chunk_id: str) -> Candidate | None:
        """The passage in the context as it was handed over."""
        return next((c for c in self.trace.context if c.chunk.id == chunk_id), None)

    def hit(self, leg: LegName, chunk_id: str) -> Hit | None:
        """The passage in a leg, however far behind."""
        hits = self.wide.keyword if leg == "keyword" else self.wide.vector
        return next((h for h in hits if h.chunk.id == chunk_id), None)

    def is_cited(self, chunk_id: str) -> bool:
        """Whether the answer cites the passage or shows it as one side of a dispute."""
        disputed = (s.chunk.id for conflict in self.answer.conflicts for s in conflict.statements)
        return chunk_id in {*(source.chunk.id for source in self.answer.sources), *disputed}

    def distance(self, chunk: Chunk) -> tuple[int, ...]:
        """How far from being cited a passage stayed: smaller came farther."""
        candidate = self.candidate(chunk.id)
        ranks = [hit.rank for leg in ("keyword", "vector") if (hit := self.hit(leg, chunk.id))]
        return (
            not self.is_cited(chunk.id),
            self.in_context(chunk.id) is None,
            candidate.final_rank if candidate else WIDEST,
            min(ranks, default=WIDEST),
            chunk.position,
        )


def ask(question: str, collection: Collection, answering: Answering, viewer: Viewer, wanted: Sequence[Chunk]) -> Asked:
    """Ask as the product does, and look through the whole legs where one lacks a wanted passage.

    Raises what `answer` raises.
    """
    events = answer(question, collection.name, answering, viewer)
    said = next(event.answer for event in events if isinstance(event, Finished))
    legs = (said.trace.keyword, said.trace.vector)
    if all({c.id for c in wanted} <= {hit.chunk.id for hit in leg} for leg in legs):
        return Asked(said, said.trace)
    options = replace(answering.options, leg_size=WIDEST, rerank=False, version=said.trace.version)
    return Asked(said, retrieve(question, collection.name, answering.stages, options, viewer))
