"""A small stand-in for the Services seam: answers that a test has written, from documents that a test has written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kaijuan.answering.same_figure import SameFigure
from kaijuan.answering.types import Answer, Conflict, Event, Finished, Piece, Refusal, Retrieved, Source, Statement
from kaijuan.collection import Collection
from kaijuan.errors import CollectionNotFound, KaijuanError, QuestionError, ViewError
from kaijuan.records.record import record_of
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord
from kaijuan.types import Candidate, Chunk, Evidence, Notice, StageTime, TermScore, Trace, Viewer

COLLECTION = Collection(
    "shop", Path("shop"), "客服 $1 库 $2", "一家<b>店</b>", examples=("保修多久？", "能退吗 ~1~ $2 $3？")
)
OTHER = Collection("yunti", Path("yunti"), "云梯")

RETURNS = Chunk(
    "s07#0", "s07", "退货<img src=x onerror=alert(1)>", "## 期限\n\n七天内可退，运费 $5 到 $9。",
    headings=("期限",), position=0, start=0, end=25, updated="2026-03-05", department="客服部",
)  # fmt: skip
EXCHANGES = Chunk(
    "s07#1", "s07", RETURNS.title, "## 换货\n\n| 项 | 天 |\n| --- | --- |\n| 手机 | 15 |",
    headings=("换货",), position=1, start=27, end=69,
)  # fmt: skip
OLD = Chunk("s08#0", "s08", "旧规", "十五天内可退。", start=0, end=7, updated="2025-01", department="产品部", page=3)
DOCUMENTS = {"s07": [RETURNS, EXCHANGES], "s08": [OLD]}


def candidate(chunk: Chunk, rank: int, number: int | None, reason: str = "", keyword: bool = True) -> Candidate:
    return Candidate(
        chunk,
        keyword_rank=rank if keyword else None,
        keyword_score=3.25 if keyword else 0.5,
        vector_rank=rank,
        vector_score=0.712,
        keyword_share=1 / (60 + rank) if keyword else 0.0,
        vector_share=1 / (60 + rank),
        fused=0.03279,
        fused_rank=rank,
        terms=(TermScore("退货", 2.25), TermScore("7天", 1.0)) if keyword else (),
        rerank_score=0.9 / rank,
        final_rank=rank,
        tokens=20,
        context_number=number,
        context_reason=reason,
    )


CANDIDATES = (
    candidate(RETURNS, 1, 2, "重排第 1 名"),
    candidate(OLD, 2, 1, "重排第 2 名"),
    candidate(EXCHANGES, 3, None, "第 3 名，只取前 2 段", keyword=False),
)


def trace(question: str, notices: tuple[Notice, ...] = ()) -> Trace:
    return Trace(
        question=question,
        searched=question,
        terms=("退货", "7天"),
        collection="shop",
        version="v0003",
        candidates=CANDIDATES,
        context=CANDIDATES[1::-1],
        evidence=Evidence(0.712, 0.575, 0.4, 3.25),
        stages=(StageTime("embed", 0.0123), StageTime("search", 0.0021)),
        notices=notices,
        question_tokens=7,
        context_tokens=40,
        token_counter="cl100k_base",
    )


def cited(question: str) -> Answer:
    return Answer(
        question,
        "七天内可退，运费 $5~$9[1]。\n\n- **注意：**旧规是十五天[2]",
        (Source(1, CANDIDATES[0]), Source(2, CANDIDATES[1])),
        trace(question),
        answerer="extractive",
        seconds=0.05,
    )


def doubtful(question: str) -> Answer:
    notice = Notice("embed", "没有可用的嵌入模型，只用了关键词检索。")
    statements = (
        Statement("十五天内可退。", "15 天", OLD),
        Statement("七天内可退。", "7 天", RETURNS, newer=True),
    )
    return Answer(
        question,
        "两种说法[1][2]。",
        (Source(1, CANDIDATES[0]), Source(2, CANDIDATES[1])),
        trace(question, (notice,)),
        weak=True,
        missing=("E9999",),
        conflicts=(Conflict("天", statements),),
        removed=(9, 12),
        notices=(notice,),
        answerer="extractive",
    )


def refused(question: str) -> Answer:
    return Answer(
        question,
        "资料中没有找到能支撑回答的内容。",
        (),
        trace(question),
        refusal=Refusal("off_topic", "问题与这个集合的资料不相关。"),
        nearest=(("s08", "旧规"),),
        answerer="extractive",
    )


@dataclass
class StandIn:
    """Answers "退" with citations, "疑" with everything doubtful, "坏" with a fault of the program, else refuses."""

    listed: tuple[Collection, ...] = (COLLECTION, OTHER)
    asked: list[tuple[str, str]] = field(default_factory=list)
    earlier: list[tuple[str, ...]] = field(default_factory=list)
    kept: list[tuple[str, str | None]] = field(default_factory=list)
    faults: list[KaijuanError] = field(default_factory=list)
    records: Records | None = None
    chat: object | None = None
    active: str = "v0003"

    def collections(self) -> list[Collection]:
        return list(self.listed)

    def collection(self, name: str) -> Collection:
        for collection in self.listed:
            if collection.name == name:
                return collection
        raise CollectionNotFound(f"没有名为“{name}”的集合。")

    def fault(self, collection_name: str) -> KaijuanError | None:
        return self.faults.pop(0) if self.faults else None

    def status(self, collection_name: str) -> tuple[Notice, ...]:
        return (Notice("embed", "正在使用备用模型。"),) if collection_name == "yunti" else ()

    def ask(self, question: str, collection_name: str, viewer: Viewer, earlier: Sequence[str] = ()) -> Iterator[Event]:
        self.asked.append((question, collection_name))
        self.earlier.append(tuple(earlier))
        if not question.strip():
            raise QuestionError("问题是空的，请输入问题。")
        if "坏" in question:
            raise ZeroDivisionError("secret detail")
        given = cited(question) if "退" in question else doubtful(question) if "疑" in question else refused(question)
        return self._events(
            replace(given, completed=f"{earlier[-1]}+{question}") if earlier and "呢" in question else given
        )

    def version(self, collection_name: str) -> str:
        return self.active

    def keep(
        self, answer: Answer, viewer: Viewer, conversation_id: str | None, replaces: str | None = None
    ) -> tuple[AnswerRecord, Notice | None]:
        self.kept.append((answer.question, conversation_id))
        record = record_of(answer, viewer, conversation_id=conversation_id, replaces=replaces)
        if "满" in answer.question:
            return record, Notice("records", "磁盘已满，这条回答没有记入记录。")
        return record, self.records.keep(record) if self.records else None

    def _events(self, answer: Answer) -> Iterator[Event]:
        yield Retrieved(answer.trace)
        for start in range(0, len(answer.text), 8):
            yield Piece(answer.text[start : start + 8])
        if "断" in answer.question:
            raise RuntimeError("broke in the middle")
        yield Finished(answer)

    def document(self, collection_name: str, source_id: str, viewer: Viewer) -> list[Chunk]:
        if source_id not in DOCUMENTS:
            raise ViewError(f"没有编号为“{source_id[:60]}”的资料。")
        return DOCUMENTS[source_id]

    def original(self, collection_name: str, chunk: Chunk, viewer: Viewer) -> bytes:
        if chunk.source_id == "s08":
            raise ViewError("原文件 s08.md 里还有不对你开放的内容，只能在这里查看这一份。")
        return chunk.text.encode("utf-8")

    def same_figures(self, collection_name: str, chunk: Chunk, viewer: Viewer) -> list[SameFigure]:
        return [SameFigure(OLD, "<b>七天</b>内可退", ("七天",))] if chunk is RETURNS else []
