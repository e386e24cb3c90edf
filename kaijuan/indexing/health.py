"""Corpus health: what is wrong with the documents themselves, found at every ingest without any question asked.

Precision comes first: whoever reads the list should find that nearly every line is right. Everything is judged as of a
given day, and what is no longer in force is compared with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kaijuan.indexing.health_figures import disputed_figures
from kaijuan.indexing.health_forms import is_searchable, tables_without_header
from kaijuan.indexing.health_repeats import repeated
from kaijuan.types import Chunk

Kind = Literal["figures", "repeats", "expired", "superseded", "tables", "unsearchable", "questions"]
#: The kinds in the order of a report, with their names for people.
KINDS: dict[Kind, str] = {
    "figures": "数字不一致",
    "expired": "已过有效期",
    "superseded": "已被取代或废止，仍在资料里",
    "repeats": "内容几乎相同",
    "tables": "表格没有表头",
    "unsearchable": "没有可检索的词",
    "questions": "标注问题找不到标注的段落",
}
#: Findings of a kind that are kept; the others are counted.
KEPT = 50


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that a finding is about: its ids, title and date, and what of it matters (empty: all of it)."""

    chunk_id: str
    source_id: str
    title: str
    updated: str | None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One thing that somebody should look at, in one sentence with the next step, and where it is, oldest first."""

    kind: Kind
    said: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """What was found on `today` (ISO day), in the order of KINDS; `counts` tells of each kind how many there are."""

    today: str
    findings: tuple[HealthFinding, ...]
    counts: tuple[tuple[Kind, int], ...]

    @property
    def total(self) -> int:
        """How many findings there are of all kinds, those that are not kept included."""
        return sum(count for _, count in self.counts)


def corpus_health(chunks: Sequence[Chunk], today: str, without_gold: Sequence[str] = ()) -> Health:
    """The health of a collection on an ISO day.

    `without_gold` are ids of frozen questions that find none of their passages among the first 20.
    """
    holding = [chunk for chunk in chunks if chunk.standing is None or chunk.standing.holds(today)]
    found = [
        *_figures(holding),
        *_standing(chunks, today),
        *_repeats(holding),
        *_tables(chunks),
        *_unsearchable(chunks),
        *(_question(question) for question in without_gold),
    ]
    by_kind = {kind: [finding for finding in found if finding.kind == kind] for kind in KINDS}
    kept = tuple(finding for findings in by_kind.values() for finding in findings[:KEPT])
    return Health(today, kept, tuple((kind, len(findings)) for kind, findings in by_kind.items() if findings))


def _figures(chunks: Sequence[Chunk]) -> Iterator[HealthFinding]:
    for dispute in disputed_figures(chunks):
        old, new = dispute.older, dispute.newer
        places = (_place(old.chunk, old.sentence), _place(new.chunk, new.sentence))
        said = (
            f"《{old.chunk.title}》（{_day(old.chunk)}）说 {old.figure}，《{new.chunk.title}》（{_day(new.chunk)}）说 "
            f"{new.figure}，请核对后改正其中一份，或写明适用范围。"
        )
        yield HealthFinding("figures", said, places)


def _standing(chunks: Sequence[Chunk], today: str) -> Iterator[HealthFinding]:
    """One finding a document that must not be relied on any more; a draft or a rule of the future is no fault."""
    for chunk in {c.source_id: c for c in reversed(chunks)}.values():
        standing = chunk.standing
        if standing is None:
            continue
        if standing.status in ("superseded", "withdrawn"):
            state = "已被取代" if standing.status == "superseded" else "已废止"
            by = f"，现为《{standing.by_title}》" if standing.by_title else ""
            said = f"《{chunk.title}》（{_day(chunk)}）{state}{by}，仍在资料里，请确认是否还要保留。"
            yield HealthFinding("superseded", said, (_place(chunk),))
        elif standing.status == "in_force" and standing.expired(today):
            said = f"《{chunk.title}》的有效期到 {standing.valid_until} 为止，已过期，请更新或移走这份资料。"
            yield HealthFinding("expired", said, (_place(chunk),))


def _repeats(chunks: Sequence[Chunk]) -> Iterator[HealthFinding]:
    for first, second, share in repeated(chunks):
        old, new = sorted((first, second), key=lambda c: (c.updated or "", c.id))
        said = (
            f"《{old.title}》（{_day(old)}）和《{new.title}》（{_day(new)}）有一段 {share:.0%} 相同，"
            "请只留一份，以免改了一处忘了另一处。"
        )
        yield HealthFinding("repeats", said, (_place(old), _place(new)))


def _tables(chunks: Sequence[Chunk]) -> Iterator[HealthFinding]:
    """One finding a document, however many pieces its tables were cut into."""
    places: dict[str, list[Place]] = {}
    for chunk in chunks:
        if rows := tables_without_header(chunk.text):
            places.setdefault(chunk.source_id, []).append(_place(chunk, rows[0]))
    for found in places.values():
        said = f"《{found[0].title}》里有没有表头的表格（“{found[0].quote[:40]}”），请补上写明各列含义的表头行。"
        yield HealthFinding("tables", said, tuple(found))


def _unsearchable(chunks: Sequence[Chunk]) -> Iterator[HealthFinding]:
    for chunk in chunks:
        if not is_searchable(chunk.text):
            said = f"《{chunk.title}》的一段没有可以检索的词（“{chunk.text.strip()[:20]}”），请补充文字或删除它。"
            yield HealthFinding("unsearchable", said, (_place(chunk, chunk.text.strip()[:80]),))


def _question(question: str) -> HealthFinding:
    said = f"标注问题 {question} 的前 20 段里没有标注的段落，请检查相关资料是否被改写或删除，或更新标注。"
    return HealthFinding("questions", said)


def _place(chunk: Chunk, quote: str = "") -> Place:
    return Place(chunk.id, chunk.source_id, chunk.title, chunk.updated, quote)


def _day(chunk: Chunk) -> str:
    return chunk.updated or "无日期"
