"""Documents that are no longer in force: written so, superseded by another, or past their last day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.generate import Chatting
from kaijuan.answering.standing import label
from kaijuan.answering.types import Answer, Finished
from kaijuan.indexing.standing import with_standing
from kaijuan.types import Chunk, Document, Standing
from tests.answering.scripted_chat import ScriptedChat
from tests.indexing.workplace import NAME, VIEWER, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

TODAY = date(2026, 5, 1)


def _document(id: str, **more: object) -> Document:
    return Document(id, f"《{id}》", "正文", f"{id}.md", **more)  # type: ignore[arg-type]


def test_what_another_document_supersedes_is_marked_with_its_heir() -> None:
    old, new = _document("old"), _document("new", supersedes=("old",), updated="2026-01-01")
    marked, warnings = with_standing([old, new])
    assert marked[0].standing == Standing("superseded", "new", "《new》") and marked[1] == new and warnings == ()


@pytest.mark.parametrize("name", ["old", "OLD", "old.md", "《old》"])
def test_it_may_be_named_by_id_path_or_title(name: str) -> None:
    marked, _ = with_standing([_document("old"), _document("new", supersedes=(name,))])
    assert marked[0].standing is not None and marked[0].standing.by == "new"


def test_the_newest_heir_counts_and_drafts_or_withdrawn_ones_do_not() -> None:
    heirs = [
        _document("a", supersedes=("old",), updated="2026-03-01"),
        _document("b", supersedes=("old",), updated="2025-03-01"),
        _document("c", supersedes=("old",), updated="2027-01-01", standing=Standing("draft")),
    ]
    marked, _ = with_standing([_document("old"), *heirs])
    assert marked[0].standing is not None and marked[0].standing.by == "a"


def test_a_name_that_fits_nothing_is_told_and_itself_is_no_heir() -> None:
    marked, [warning] = with_standing([_document("new", supersedes=("new", "nirgends"))])
    assert marked[0].standing is None and "nirgends" in warning and warning.endswith("。")


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (None, ""),
        (Standing(), ""),
        (Standing("withdrawn"), "已废止"),
        (Standing("superseded", "b", "新规"), "已被《新规》取代"),
        (Standing("draft"), "草案，未生效"),
        (Standing(valid_until="2026-04-30"), "有效期至 2026-04-30，已过期"),
        (Standing(valid_until="2026-05-01"), ""),
        (Standing(valid_until="2026-05"), ""),
        (Standing(valid_until="2026-04"), "有效期至 2026-04，已过期"),
        (Standing(valid_from="2026-06-01"), "2026-06-01 起才生效"),
    ],
)
def test_the_reader_is_told_why_it_does_not_hold(standing: Standing | None, said: str) -> None:
    assert label(Chunk("a#0", "a", "旧规", "七天。", standing=standing), TODAY.isoformat()) == said


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    made = Workplace(tmp_path)
    made.write("旧.md", "---\nid: old\ntitle: 换货旧规\nupdated: 2024-01-01\n---\n\n换货须在签收后五天内提出。\n")
    return made


def _ask(place: Workplace, question: str, chat: ScriptedChat | None = None) -> Answer:
    services = place.services(LetterEmbedder())
    options = services.options(services.collection(NAME))
    made = Answering(services.stages, options, Chatting(chat, 500, len) if chat else None, today=lambda: TODAY)
    last = list(answer(question, NAME, made, VIEWER))[-1]
    assert isinstance(last, Finished)
    return last.answer


def test_a_withdrawn_document_is_quoted_only_with_its_label(place: Workplace) -> None:
    place.write("旧.md", "---\nid: old\ntitle: 换货旧规\nstatus: 已废止\n---\n\n换货须在签收后五天内提出。\n")
    place.ingest(LetterEmbedder())
    given = _ask(place, "换货须在几天内提出")
    assert "五天内提出（已废止）[1]" in given.text
    assert any("换货旧规" in n.text and "已废止" in n.text for n in given.notices)


def test_what_is_in_force_comes_before_what_it_superseded(place: Workplace) -> None:
    place.write(
        "新.md",
        "---\nid: new\ntitle: 换货新规\nupdated: 2026-01-01\nsupersedes: old\n---\n\n换货须在签收后十天内提出。\n",
    )
    report = place.ingest(LetterEmbedder())
    assert report.warnings == ()
    given = _ask(place, "换货须在几天内提出")
    assert given.sources and "十天" in given.text
    for source in given.sources:
        if source.chunk.source_id == "old":
            assert "已被《换货新规》取代" in given.text


def test_a_model_is_told_and_the_reader_too(place: Workplace) -> None:
    place.write("旧.md", "---\nid: old\ntitle: 换货旧规\nstatus: withdrawn\n---\n\n换货须在签收后五天内提出。\n")
    place.ingest(LetterEmbedder())
    chat = ScriptedChat("")
    first = _ask(place, "换货须在几天内提出", ScriptedChat("不知道。"))
    number = next(n for n, c in first.trace.numbered().items() if c.chunk.source_id == "old")
    chat = ScriptedChat(f"五天内提出[{number}]。")
    given = _ask(place, "换货须在几天内提出", chat)
    assert "状态：已废止" in chat.asked[0][1].content
    assert [n.stage for n in given.notices] == ["standing"]


def test_the_standing_is_kept_by_the_index(place: Workplace) -> None:
    place.write("旧.md", "---\nid: old\nstatus: 废止\n有效期至: 2026年3月5日\n---\n\n换货须在签收后五天内提出。\n")
    place.ingest()
    [chunk] = place.services().engine.document(NAME, "old", VIEWER)
    assert chunk.standing == Standing("withdrawn", valid_until="2026-03-05")
    assert place.ingest().unchanged
    place.write("旧.md", "---\nid: old\n---\n\n换货须在签收后五天内提出。\n")
    assert not place.ingest().unchanged, "a change of standing alone is a change"


def test_a_status_that_means_nothing_is_told(place: Workplace) -> None:
    place.write("旧.md", "---\nid: old\nstatus: maybe\n---\n\n换货。\n")
    report = place.ingest()
    assert any("maybe" in warning and "旧.md" in warning for warning in report.warnings)
    assert replace(report, warnings=()).chunks == report.chunks
