"""One question's answer as a stream of events: retrieve, decide, word, check."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from kaijuan.answering.follow_up import complete
from kaijuan.answering.generate import Chatting, generate
from kaijuan.answering.material import Material, gather, is_thin, missing
from kaijuan.answering.quote import quote
from kaijuan.answering.refusal import BestCosine, decide
from kaijuan.answering.second_look import SearchAgain, look_again
from kaijuan.answering.similarity import Similarity, spoken_weights
from kaijuan.answering.support import Checked, Checker
from kaijuan.answering.types import (
    REFUSAL,
    Answer,
    Conflict,
    Event,
    Finished,
    Piece,
    Refusal,
    Retrieved,
    Source,
    Worded,
)
from kaijuan.errors import ModelFailed
from kaijuan.retrieval.retrieve import Options, Stages, best_cosine, retrieve, search_again
from kaijuan.types import Candidate, Hit, Notice, Trace, Viewer

#: Documents named after a refusal as nearest topics.
NEAREST = 3


@dataclass(frozen=True, slots=True)
class Answering:
    """What answering needs: the stages of retrieval and their options.

    `chatting` None quotes the sources; `second_look` searches again for what the best sentences name. `today` tells
    which documents are in force.
    """

    stages: Stages
    options: Options
    chatting: Chatting | None = None
    second_look: bool = True
    today: Callable[[], date] = date.today


def answer(
    question: str, collection: str, answering: Answering, viewer: Viewer, earlier: Sequence[str] = ()
) -> Iterator[Event]:
    """Events of one answer: Retrieved, Pieces of text, Finished.

    `earlier` are the questions of the conversation, as completed, oldest first; a question that leans on them is
    completed before it is searched, unless the conversation is empty.

    Raises QuestionError, IndexMissing or IndexMismatch before the first event.
    """
    start = time.perf_counter()
    completed = complete(question, earlier, answering.chatting.model if answering.chatting else None)
    trace = retrieve(completed or question, collection, answering.stages, answering.options, viewer)

    def nearest(text: str) -> float:
        return best_cosine(text, collection, answering.stages, viewer, trace.version)

    def again(text: str) -> Sequence[Hit]:
        return search_again(text, collection, answering.stages, answering.options, viewer, trace.version)

    events = _events(trace, answering, nearest, again, start)
    return events if completed is None else _as_asked(events, question, completed)


def _as_asked(events: Iterator[Event], question: str, completed: str) -> Iterator[Event]:
    """The events of a completed question, the answer naming both."""
    for event in events:
        if isinstance(event, Finished):
            yield Finished(replace(event.answer, question=question, completed=completed))
        else:
            yield event


def _events(
    trace: Trace, answering: Answering, nearest: BestCosine, again: SearchAgain, start: float
) -> Iterator[Event]:
    yield Retrieved(trace)
    similarity = Similarity(answering.stages.embedder)
    weights = spoken_weights(trace)
    refusal = decide(trace, similarity, weights, nearest)
    today = answering.today().isoformat()
    material = None if refusal else gather(trace, similarity, weights, today)
    if material is None or not material.rated:
        yield Piece(REFUSAL)
        refusal = refusal or Refusal("not_covered", "找到的段落里没有可以引用的句子。")
        yield Finished(_refused(Worded(REFUSAL, trace, answerer="evidence"), refusal, start))
        return
    if answering.second_look:
        stages, options = answering.stages, answering.options
        looked = look_again(material, again, stages.count_tokens, options.context_tokens)
        if looked is not trace:
            yield Retrieved(looked)
            material = gather(looked, similarity, weights, today)
    worded, material = yield from _word(material, answering.chatting, similarity, start)
    if _is_refusal(worded):
        refusal = Refusal("model", "模型读过找到的段落，认为它们不能回答这个问题。")
        yield Finished(_refused(worded, refusal, start))
        return
    yield Finished(_answered(worded, material, similarity, weights, start))


def _word(
    material: Material, chatting: Chatting | None, similarity: Similarity, start: float
) -> Generator[Piece, None, tuple[Worded, Material]]:
    """The answer's words: the model's where there is one, else, or where it fails, the sources' own."""
    if chatting is None:
        return (yield from quote(material, similarity))
    try:
        worded = yield from generate(material.trace, chatting, start, material.labels)
    except ModelFailed as error:
        worded, material = yield from quote(material, similarity)
        said = f"{str(error).rstrip('。')}；以上改为直接摘录资料原文。"
        return replace(worded, notices=(Notice("answer", said),)), material
    return worded, replace(material, trace=worded.trace, conflicts=_of_context(material.conflicts, worded))


def _of_context(conflicts: tuple[Conflict, ...], worded: Worded) -> tuple[Conflict, ...]:
    """Disputes in which the answer cites a version, or whose versions all stood before the model."""
    numbered = worded.trace.numbered()
    cited = {numbered[number].chunk.id for number in worded.cited}
    return tuple(c for c in conflicts if not cited.isdisjoint(s.chunk.id for s in c.statements))


def _is_refusal(worded: Worded) -> bool:
    """Whether the model answered with the fixed sentence and cited nothing."""
    return not worded.cited and worded.text.strip().strip("“”\"'").startswith(REFUSAL.rstrip("。"))


def _answered(
    worded: Worded, material: Material, similarity: Similarity, weights: dict[str, float], start: float
) -> Answer:
    trace = worded.trace
    checked, cited = _checked(worded)
    return Answer(
        question=trace.question,
        text=checked.text,
        sources=tuple(Source(shown, candidate) for shown, candidate in enumerate(cited, start=1)),
        trace=trace,
        weak=is_thin(trace, material.rated, weights),
        missing=missing(trace, material.rated, similarity),
        conflicts=material.conflicts,
        removed=worded.removed,
        notices=(*trace.notices, *worded.notices, *_not_in_force(worded, material)),
        answerer=worded.answerer,
        model=worded.model,
        prompt=worded.prompt,
        usage=worded.usage,
        first_text_seconds=worded.first_text_seconds,
        incomplete=worded.incomplete,
        checked=checked,
        seconds=time.perf_counter() - start,
    )


def _checked(worded: Worded) -> tuple[Checked, list[Candidate]]:
    """The wording held against its sources, and the cited candidates in the order of their shown numbers.

    A passage that was not cited becomes a source when a sentence without a citation rests on it alone.
    """
    numbered = worded.trace.numbered()
    cited = [numbered[n] for n in worded.cited]
    others = [c for n, c in sorted(numbered.items(), reverse=True) if n not in worded.cited]
    sources = {shown: c.chunk for shown, c in enumerate(cited, start=1)}
    checker = worded.checker or Checker([c.chunk for c in (*cited, *others)], worded.trace.term_weights)
    checked = checker.check(worded.text, sources)
    by_id = {c.chunk.id: c for c in others}
    return checked, [*cited, *(by_id[chunk.id] for chunk in checked.joined)]


def _not_in_force(worded: Worded, material: Material) -> Iterator[Notice]:
    """One sentence for each cited document that must not be taken for what holds today."""
    numbered = worded.trace.numbered()
    said = {numbered[n].chunk.title: held for n in worded.cited if (held := material.labels.get(n))}
    for title, held in said.items():
        yield Notice("standing", f"引用的《{title}》{held}，请以现行资料为准。")


def _refused(worded: Worded, refusal: Refusal, start: float) -> Answer:
    trace = worded.trace
    nearest = dict.fromkeys((c.chunk.source_id, c.chunk.title) for c in trace.candidates)
    return Answer(
        question=trace.question,
        text=REFUSAL,
        sources=(),
        trace=trace,
        refusal=refusal,
        removed=worded.removed,
        nearest=tuple(nearest)[:NEAREST],
        notices=(*trace.notices, *worded.notices),
        answerer=worded.answerer,
        model=worded.model,
        prompt=worded.prompt,
        usage=worded.usage,
        first_text_seconds=worded.first_text_seconds,
        seconds=time.perf_counter() - start,
    )
