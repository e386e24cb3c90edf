"""One question's answer as a stream of events: retrieve, decide, compose, cite."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kaijuan.answering.citations import CitationReader, unshield
from kaijuan.answering.compose import Rated, choose, draft, rate
from kaijuan.answering.conflict import Passage, find_conflicts
from kaijuan.answering.figures import figures
from kaijuan.answering.refusal import (
    COVERED_SHARE,
    SPOKEN_TO,
    BestCosine,
    asked_codes,
    decide,
    is_grey,
    missing_codes,
    unheld_words,
)
from kaijuan.answering.similarity import Similarity, covered, term_weights, titled
from kaijuan.answering.types import REFUSAL, Answer, Conflict, Event, Finished, Piece, Refusal, Retrieved, Source
from kaijuan.answering.units import units
from kaijuan.retrieval.retrieve import Options, Stages, best_cosine, retrieve
from kaijuan.text import without_question_words
from kaijuan.types import Candidate, Trace, Viewer

#: Documents named after a refusal as nearest topics.
NEAREST = 3
#: Sentences of a passage that are looked at for disputed figures.
DISPUTED_SENTENCES = 6
#: Share of a part's characters that nothing found holds, from which it counts as missing.
UNHELD_SHARE = 0.3
_PARTS = re.compile(r"[^？?；;。！!\n]+[？?]?")


@dataclass(frozen=True, slots=True)
class Answering:
    """What answering needs: the stages of retrieval and their options."""

    stages: Stages
    options: Options


def answer(question: str, collection: str, answering: Answering, viewer: Viewer) -> Iterator[Event]:
    """Events of one answer: Retrieved, Pieces of text, Finished.

    Raises QuestionError, IndexMissing or IndexMismatch before the first event.
    """
    start = time.perf_counter()
    trace = retrieve(question, collection, answering.stages, answering.options, viewer)

    def nearest(text: str) -> float:
        return best_cosine(text, collection, answering.stages, viewer, trace.version)

    return _events(trace, Similarity(answering.stages.embedder), nearest, start)


def _events(trace: Trace, similarity: Similarity, nearest: BestCosine, start: float) -> Iterator[Event]:
    yield Retrieved(trace)
    weights = term_weights(trace.terms, trace.term_weights)
    refusal = decide(trace, similarity, weights, nearest)
    rated = [] if refusal else rate(trace.searched, trace.context, similarity, weights)
    if not rated:
        yield Piece(REFUSAL)
        yield Finished(_refused(trace, refusal or Refusal("not_covered", "找到的段落里没有可以引用的句子。"), start))
        return
    numbers = {c.chunk.id: c.context_number for c in trace.context if c.context_number is not None}
    chosen = choose(trace.searched, rated, trace.context, similarity)
    said_from = {unit.number for unit in chosen}
    conflicts = tuple(
        conflict
        for conflict in _conflicts(trace, rated, similarity, weights)
        # A dispute between passages that the answer does not rest on is not the reader's.
        if any(numbers[statement.chunk.id] in said_from for statement in conflict.statements)
    )
    if conflicts:
        chosen = choose(trace.searched, rated, trace.context, similarity, strict=True)
    reader = CitationReader(trace.numbered(), renumber=True)
    said: list[str] = []
    for piece in draft(chosen, conflicts, numbers):
        if text := unshield(reader.feed(piece)):
            said.append(text)
            yield Piece(text)
    if text := unshield(reader.close()):
        said.append(text)
        yield Piece(text)
    yield Finished(_answered(trace, "".join(said), reader, conflicts, rated, similarity, weights, start))


def _answered(
    trace: Trace,
    text: str,
    reader: CitationReader,
    conflicts: tuple[Conflict, ...],
    rated: Sequence[Rated],
    similarity: Similarity,
    weights: dict[str, float],
    start: float,
) -> Answer:
    numbered = trace.numbered()
    return Answer(
        question=trace.question,
        text=text,
        sources=tuple(Source(reader.shown(n), numbered[n]) for n in reader.cited),
        trace=trace,
        weak=_is_thin(trace, rated, weights),
        missing=(*missing_codes(trace.searched, trace.candidates), *missing_parts(trace.searched, rated, similarity)),
        conflicts=conflicts,
        removed=tuple(reader.removed),
        notices=trace.notices,
        answerer="extractive",
        seconds=time.perf_counter() - start,
    )


def _refused(trace: Trace, refusal: Refusal, start: float) -> Answer:
    nearest = dict.fromkeys((c.chunk.source_id, c.chunk.title) for c in trace.candidates)
    return Answer(
        question=trace.question,
        text=REFUSAL,
        sources=(),
        trace=trace,
        refusal=refusal,
        nearest=tuple(nearest)[:NEAREST],
        notices=trace.notices,
        answerer="extractive",
        seconds=time.perf_counter() - start,
    )


def _is_thin(trace: Trace, rated: Sequence[Rated], weights: dict[str, float]) -> bool:
    """Whether the evidence is little above the floor, or the best sentence neither near nor in the question's words."""
    best = rated[0]
    codes = asked_codes(trace.searched)
    if codes and not set(codes).isdisjoint(asked_codes(best.unit.text)):
        return False  # the very code asked for stands in the sentence
    near = best.cosine >= 0.6 if trace.vector else False
    return is_grey(trace, weights) or (not near and covered(weights, best.unit.text) < COVERED_SHARE)


def missing_parts(question: str, rated: Sequence[Rated], similarity: Similarity) -> tuple[str, ...]:
    """Parts of a question of several that ask for what no sentence found speaks of, in these or in other words."""
    parts = [part.strip() for part in _PARTS.findall(question)]
    asking = [part for part in parts if len(part) > 3 and (part[-1] in "？?" or without_question_words(part) != part)]
    if len(asking) < 2:
        return ()
    text = "\n".join(f"{r.compared}\n{r.unit.lead}" for r in rated)
    return tuple(part.rstrip("？?") for part in asking if _is_missing(part, text, rated, similarity))


def _is_missing(part: str, text: str, rated: Sequence[Rated], similarity: Similarity) -> bool:
    """Whether much of a part is not held, and nothing found moves away when what is not held is left out."""
    words = unheld_words(part, text)
    if sum(map(len, words)) < max(2.0, UNHELD_SHARE * len("".join(without_question_words(part).split()))):
        return False
    if not similarity.available:
        return True

    def best(asked: str) -> float:
        return max((similarity.near(asked, r.compared) for r in rated), default=0.0)

    return all(best(part) - best(part.replace(word, "", 1)) < SPOKEN_TO for word in words)


def _conflicts(
    trace: Trace, rated: Sequence[Rated], similarity: Similarity, weights: dict[str, float]
) -> tuple[Conflict, ...]:
    """Disputed figures among the sentences near the question and the figures beside them."""
    passages = [_passage(candidate, rated, weights) for candidate in reversed(trace.context)]
    compared = {s: titled(passage.chunk.title, s) for passage in passages for s in passage.sentences}

    def cosine(first: str, second: str) -> float:
        if first == trace.searched:
            return similarity.near(first, compared[second])
        return similarity.alike(compared[first], compared[second])

    return find_conflicts(trace.searched, passages, cosine if similarity.available else None)


def _passage(candidate: Candidate, rated: Sequence[Rated], weights: dict[str, float]) -> Passage:
    own = [r.unit.text for r in rated if r.unit.number == candidate.context_number]
    around = units(candidate.chunk.text, candidate.context_number or 0)
    others = [u.text for u in around if u.kind in ("sentence", "item", "row") and u.text not in own and figures(u.text)]
    others.sort(key=lambda text: -covered(weights, text))
    return Passage(candidate.chunk, tuple([*own, *others][:DISPUTED_SENTENCES]))
