"""The quality gate: a build on which the frozen questions get worse does not answer, unless it is told to."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.errors import CorpusError
from kaijuan.indexing.gate import NOTE, Figures, GateRefused, Verdict, changes, judge
from kaijuan.indexing.ingest import IngestReport, ingest
from tests.indexing.workplace import NAME, CountingEmbedder, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

QUESTIONS = {"q1": ("退货运费由谁承担", ["d1"]), "q2": ("电子发票什么时候开具", ["d2"]), "q3": ("食堂几点开", [])}
WORSE = "---\nid: d2\ntitle: 公告\n---\n\n本页内容已经移走。\n"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    _ask(place, QUESTIONS)
    return place


def _ask(place: Workplace, questions: dict[str, tuple[str, list[str]]]) -> None:
    rows = [{"id": id_, "question": text, "gold": gold} for id_, (text, gold) in questions.items()]
    place.write("questions.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _ingest(place: Workplace, embedder: LetterEmbedder | None = None, force: bool = False) -> IngestReport:
    services = place.services(embedder)
    return ingest(services.collection(NAME), services.ingesting(), force=force)


def test_the_first_build_is_measured_and_its_figures_are_noted(place: Workplace) -> None:
    report = _ingest(place)
    assert report.gate is not None and report.gate.outcome == "first" and report.gate.after is not None
    assert (report.gate.after.scored, report.gate.after.recall5, report.gate.after.rr) == (2, 1.0, 1.0)
    [version] = place.services().engine.versions(NAME)
    assert version.notes[NOTE]["outcome"] == "first" and version.notes[NOTE]["after"]["scored"] == 2


def test_an_edit_that_changes_no_figure_passes(place: Workplace) -> None:
    _ingest(place)
    place.write("新.md", "食堂在一楼。\n")
    report = _ingest(place)
    assert report.gate is not None and report.gate.outcome == "passed" and report.gate.lost == ()
    assert place.versions() == {"v0001": False, "v0002": True}


def test_a_build_that_loses_an_answer_is_refused_dropped_and_named(place: Workplace) -> None:
    _ingest(place)
    place.write("发票.md", WORSE)
    with pytest.raises(GateRefused) as refused:
        _ingest(place)
    said = str(refused.value)
    assert "q2" in said and "q1" not in said and "--no-gate" in said and said.count("。") == 1
    assert "recall@5 50.0%（原 100.0%）" in said
    assert place.versions() == {"v0001": True}
    assert place.found("电子发票")  # the old build answers


def test_refused_again_and_again_nothing_piles_up(place: Workplace) -> None:
    _ingest(place)
    place.write("发票.md", WORSE)
    for _ in range(3):
        with pytest.raises(GateRefused):
            _ingest(place)
    assert place.versions() == {"v0001": True} and place.left_behind() == []


def test_forced_it_answers_and_the_version_says_so(place: Workplace) -> None:
    _ingest(place)
    place.write("发票.md", WORSE)
    report = _ingest(place, force=True)
    assert report.gate is not None and report.gate.outcome == "overridden" and report.gate.lost == ("q2",)
    active = next(v for v in place.services().engine.versions(NAME) if v.active)
    assert active.name == "v0002" and active.notes[NOTE]["outcome"] == "overridden"
    assert active.notes[NOTE]["before"]["recall5"] == 1.0 and active.notes[NOTE]["after"]["recall5"] == 0.5


def test_an_emptied_folder_has_to_be_meant(place: Workplace) -> None:
    _ingest(place)
    for file in place.folder.iterdir():
        if file.suffix in (".md", ".txt"):
            file.unlink()
    with pytest.raises(GateRefused):
        _ingest(place)
    assert _ingest(place, force=True).chunks == 0


def test_an_old_build_without_vectors_is_still_asked(place: Workplace) -> None:
    _ingest(place)
    report = _ingest(place, CountingEmbedder())
    assert report.gate is not None and report.gate.outcome == "passed"
    assert report.gate.before is not None and set(report.gate.before.by_question) == {"q1", "q2"}


class OtherEmbedder(LetterEmbedder):
    """The same vectors under another name."""

    name = "other"


def test_another_model_is_compared_by_the_noted_figures(place: Workplace) -> None:
    _ingest(place, CountingEmbedder())
    report = _ingest(place, OtherEmbedder())
    assert report.gate is not None and report.gate.outcome == "passed"
    assert report.gate.before is not None and report.gate.before.recall5 == 1.0
    assert report.gate.before.by_question == {}


def test_another_model_that_does_worse_is_refused_by_the_noted_figures(place: Workplace) -> None:
    _ingest(place, CountingEmbedder())
    place.write("发票.md", WORSE)
    with pytest.raises(GateRefused, match="原 100"):
        _ingest(place, OtherEmbedder())


def test_another_model_and_other_questions_cannot_be_compared_which_is_said(place: Workplace) -> None:
    _ingest(place, CountingEmbedder())
    _ask(place, QUESTIONS | {"q4": ("SF-3000 打不开", ["型号.txt"])})
    report = _ingest(place, OtherEmbedder())
    assert report.gate is not None and report.gate.outcome == "incomparable" and report.gate.after is not None


def test_without_labelled_questions_there_is_no_gate(place: Workplace) -> None:
    _ask(place, {"q3": ("食堂几点开", [])})
    assert (report := _ingest(place)).gate is not None and report.gate.outcome == "unlabelled"
    (place.folder / "questions.jsonl").unlink()
    place.write("发票.md", WORSE)
    assert (report := _ingest(place)).gate is not None and report.gate.outcome == "unlabelled"


def test_questions_that_cannot_be_read_leave_the_old_build_and_no_new_one(place: Workplace) -> None:
    _ingest(place)
    place.write("questions.jsonl", "{\n")
    place.write("新.md", "食堂在一楼。\n")
    with pytest.raises(CorpusError, match=r"questions\.jsonl"):
        _ingest(place)
    assert place.versions() == {"v0001": True}


def _figures(recall5: float, rr: float = 1.0) -> Figures:
    return Figures("hash", 20, recall5, 1.0, rr, {"q1": (recall5, 1.0, rr)})


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (_figures(0.9), _figures(0.88), "passed"),  # just the tolerance
        (_figures(0.9), _figures(0.8799), "refused"),
        (_figures(0.9), _figures(0.9, rr=0.97), "refused"),  # one figure is enough
        (_figures(0.9, rr=0.5), _figures(0.87), "refused"),  # a gain does not make up for a loss
        (_figures(0.9), _figures(1.0), "passed"),
    ],
)
def test_each_figure_may_fall_by_the_tolerance_and_no_more(
    place: Workplace, before: Figures, after: Figures, outcome: str
) -> None:
    _ingest(place)
    services = place.services()
    [version] = services.engine.versions(NAME)
    new = replace(version, name="v0002")
    asked = {"v0001": before, "v0002": after}
    verdict = judge(services.collection(NAME), version, new, lambda _, name: asked[name], 0.02, force=False)
    assert verdict.outcome == outcome


def test_changes_without_questions_say_so() -> None:
    assert changes(Verdict("unlabelled", None)) == "没有标注的问题"


def test_a_build_whose_ingest_was_ended_before_the_switch_is_judged_and_used(place: Workplace) -> None:
    _ingest(place)
    place.write("新.md", "食堂在一楼。\n")
    services = place.services()

    def ended(collection: object, version: str) -> Figures | None:
        raise SystemExit  # as if the process ended here; what it leaves is a finished build that never answered

    with pytest.raises(SystemExit):
        tools = replace(services.ingesting(), measure=ended, engine=_Undying(services.engine))
        ingest(services.collection(NAME), tools)
    assert place.versions() == {"v0001": True, "v0002": False}
    report = _ingest(place)
    assert (report.version, report.embedded) == ("v0002", 0) and report.gate is not None
    assert place.versions() == {"v0001": False, "v0002": True}


class _Undying:
    """An engine whose versions stay, as after a process that could not clean up behind itself."""

    def __init__(self, engine: object) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def delete(self, collection: str, version: str) -> None:
        """Nothing is deleted any more."""
