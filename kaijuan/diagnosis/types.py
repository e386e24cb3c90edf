"""What a diagnosis is made of: the five stages, each stage's verdict on one passage, and the facts behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kaijuan.types import Chunk

Stage = Literal["chunk", "index", "retrieve", "assemble", "generate"]
#: kept: the passage came through; lost: it came in and did not come out; not_reached: it had been lost before.
Verdict = Literal["kept", "lost", "not_reached"]
WantedKind = Literal["chunk", "document", "text"]

#: In the order in which a passage goes through them; a diagnosis reads them from the last to the first.
STAGES: tuple[Stage, ...] = ("chunk", "index", "retrieve", "assemble", "generate")
STAGE_NAMES: dict[Stage, str] = {
    "chunk": "分段",
    "index": "入库",
    "retrieve": "检索",
    "assemble": "选上下文",
    "generate": "作答",
}
VERDICT_NAMES: dict[Verdict, str] = {"kept": "通过", "lost": "丢失", "not_reached": "未到"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of evidence: what was looked at, and what was seen."""

    name: str
    seen: str


@dataclass(frozen=True, slots=True)
class Check:
    """One stage's verdict on the passage; a lost one has a remedy, and the command that carries it out where one does."""

    stage: Stage
    verdict: Verdict
    said: str
    evidence: tuple[Fact, ...] = ()
    remedy: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Which stage lost the wanted passage; `stage` None means that the answer rests on it.

    `checks` go from the last stage to the first. `passage` is the chunk that was followed, None when the index has none.
    """

    question: str
    wanted: str
    collection: str
    kind: WantedKind
    stage: Stage | None
    said: str
    evidence: tuple[Fact, ...]
    remedy: str
    command: str
    checks: tuple[Check, ...]
    passage: Chunk | None = None
