"""The diagnosis: ask the question, follow the wanted passage from the last stage back to the first, name the guilty one.

Read from right to left, repaired from left to right: of several stages that lost the passage the earliest is named,
because nothing behind it can be repaired before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kaijuan.answering.answer import Answering
from kaijuan.collection import Collection
from kaijuan.diagnosis.asked import Asked, ask
from kaijuan.diagnosis.assemble_stage import check_assemble
from kaijuan.diagnosis.chunk_stage import check_chunk, pieces
from kaijuan.diagnosis.generate_stage import check_generate, is_used
from kaijuan.diagnosis.index_stage import check_index
from kaijuan.diagnosis.locate import Located, locate, read_documents
from kaijuan.diagnosis.retrieve_stage import check_retrieve
from kaijuan.diagnosis.types import STAGE_NAMES, Check, Diagnosis, Fact
from kaijuan.records.types import AnswerRecord
from kaijuan.types import Chunk, Viewer


@dataclass(frozen=True, slots=True)
class Examining:
    """What a diagnosis works with: how questions are answered, and the cache of files already read.

    `examiner` is who looks at the documents: what is closed to him is not there.
    """

    answering: Answering
    examiner: Viewer
    read_cache: Path | None = None


def diagnose(
    question: str,
    wanted: str,
    collection: Collection,
    examining: Examining,
    viewer: Viewer,
    recorded: AnswerRecord | None = None,
) -> Diagnosis:
    """Which stage loses `wanted` (a chunk id, a document's id or path, or a piece of its text) for this question.

    `viewer` is who asks; `recorded` is an earlier answer to the question, whose findings are put beside today's. Raises
    QuestionError, IndexMismatch, CorpusError, EngineError.
    """
    read = read_documents(collection, examining.read_cache, examining.examiner)
    located = locate(wanted, collection, examining.answering.stages.engine, examining.examiner, read)
    asked = ask(question, collection, examining.answering, viewer, located.targets) if located.meta else None
    own = _followed(located, asked, viewer)
    checks = _checks(question, collection, located, own, asked, examining.answering, viewer)
    return _told(question, wanted.strip(), collection, located, own, checks, _then(recorded, own))


def _followed(located: Located, asked: Asked | None, viewer: Viewer) -> Chunk | None:
    """The chunk that came farthest of those that serve; one that the viewer may read comes before all others."""
    if asked is None or not located.targets:
        return None
    return min(located.targets, key=lambda c: (not viewer.may_read(c.audience), *asked.distance(c)))


def _checks(
    question: str,
    collection: Collection,
    located: Located,
    own: Chunk | None,
    asked: Asked | None,
    answering: Answering,
    viewer: Viewer,
) -> tuple[Check, ...]:
    """Each stage's verdict, the last stage first."""
    today = answering.today().isoformat()
    cut = pieces(located, collection)
    together = cut if located.targets else ()
    chunks = together or ((own,) if own else ())
    used = asked is not None and is_used(located, chunks, asked)
    passed_over = bool(own and asked and asked.in_context(own.id) and not asked.is_cited(own.id))
    first = (
        check_index(located, own, collection, viewer, today, passed_over and not used),
        check_chunk(located, own, question, collection, used),
    )
    if asked is None:
        said = "还没有索引"
        return (
            Check("generate", "not_reached", said),
            Check("assemble", "not_reached", said),
            Check("retrieve", "not_reached", said),
            *first,
        )
    open_to_viewer = own if own and viewer.may_read(own.audience) else None
    options = answering.options
    return (
        check_generate(located, open_to_viewer, chunks, asked, answering),
        check_assemble(open_to_viewer, asked, options),
        check_retrieve(open_to_viewer, asked, options.leg_size, collection.name),
        *first,
    )


def _then(recorded: AnswerRecord | None, own: Chunk | None) -> tuple[Fact, ...]:
    """How the passage fared when the recorded answer was given."""
    if recorded is None or own is None:
        return ()
    hits = {h.leg: h.rank for h in recorded.hits if h.chunk_id == own.id}
    entered = next((c for c in recorded.context if c.chunk_id == own.id), None)
    said = [f"关键词 {hits.get('keyword', '—')}", f"向量 {hits.get('vector', '—')}"]
    said.append(f"上下文第 [{entered.number}] 段，重排第 {entered.final_rank} 名" if entered else "没有进入上下文")
    said.append(f"引用为 [{entered.cited}]" if entered and entered.cited else "没有引用")
    return (Fact("当时", f"{' · '.join(said)}（索引 {recorded.version}）"),)


def _told(
    question: str,
    wanted: str,
    collection: Collection,
    located: Located,
    own: Chunk | None,
    checks: tuple[Check, ...],
    then: tuple[Fact, ...],
) -> Diagnosis:
    lost = [check for check in checks if check.verdict == "lost"]
    guilty = lost[-1] if lost else None
    said = "没有丢失：回答依据了它。" if guilty is None else f"{STAGE_NAMES[guilty.stage]}这一步丢的：{guilty.said}。"
    shown = guilty or checks[0]
    return Diagnosis(
        question=question,
        wanted=wanted,
        collection=collection.name,
        kind=located.kind,
        stage=guilty.stage if guilty else None,
        said=said,
        evidence=(*shown.evidence, *then),
        remedy=shown.remedy,
        command=shown.command,
        checks=checks,
        passage=own,
    )
