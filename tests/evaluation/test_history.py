"""The history of evaluations: kept and read back whole, compared only with what it can be compared to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.errors import CorpusError
from kaijuan.evaluation.history import compared, differences, keep_run, load_runs, new_run, outcomes
from kaijuan.evaluation.questions import Question
from kaijuan.evaluation.run import EvaluationResult, evaluate
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

QUESTIONS = (
    Question("q1", "退货运费由谁承担", ("d1",)),
    Question("q2", "发票抬头可以修改几次", ("d2",)),
    Question("q3", "公司食堂几点开门", ()),
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> EvaluationResult:
    place = Workplace(tmp_path_factory.mktemp("history"))
    place.ingest(LetterEmbedder())
    services = place.services(LetterEmbedder())
    return evaluate(NAME, NAME, QUESTIONS, services.stages, services.options(services.collection(NAME)))


def test_a_run_is_read_back_as_it_was_kept(result: EvaluationResult, tmp_path: Path) -> None:
    assert (result.scored, result.skipped) == (2, 1)
    first = new_run(result, QUESTIONS, "a" * 64)
    second = replace(first, at="9999-01-01T00:00:00+00:00")
    for run in (first, second):
        keep_run(tmp_path, run)
    assert load_runs(tmp_path, NAME) == [first, second]
    assert load_runs(tmp_path, "other") == []


def test_an_interrupted_write_costs_its_own_line_only(result: EvaluationResult, tmp_path: Path) -> None:
    run = new_run(result, QUESTIONS, "a" * 64)
    keep_run(tmp_path, run)
    with (tmp_path / NAME / "runs.jsonl").open("ab") as stored:
        stored.write('{"at": "2026-0发'.encode()[:-1])
    keep_run(tmp_path, run)
    assert load_runs(tmp_path, NAME) == [run, run]


def test_what_cannot_be_written_is_said(result: EvaluationResult, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("in the way", encoding="utf-8")
    with pytest.raises(CorpusError, match="KAIJUAN_DATA_DIR"):
        keep_run(tmp_path, new_run(result, QUESTIONS, "a" * 64))


def test_other_settings_and_other_questions_are_named(result: EvaluationResult) -> None:
    run = new_run(result, QUESTIONS, "a" * 64)
    assert differences(run, run) == ()
    assert differences(run, new_run(result, QUESTIONS[:1], "b" * 64)) == ("settings", "questions")
    # A question without gold is no part of the set.
    assert differences(run, new_run(result, QUESTIONS[:2], "a" * 64)) == ()


def test_only_questions_that_both_hold_are_paired(result: EvaluationResult) -> None:
    first, second = result.questions
    before = replace(result, questions=(_with_rr(first, 0.25), _with_rr(second, 1.0)))
    after = replace(result, questions=(_with_rr(first, 1.0), {**second, "gold": ["elsewhere"]}))
    [one] = outcomes(before, "reranked", after, "reranked", "rr")
    assert (one.id, one.before, one.after, one.change) == ("q1", 0.25, 1.0, 0.75)
    found = compared([one], "rr")
    assert found is not None and (found.wins, found.losses, found.ties, found.difference) == (1, 0, 0, 0.75)
    assert compared([], "rr") is None


def test_the_largest_change_comes_first_a_loss_before_an_equal_gain(result: EvaluationResult) -> None:
    first, second = result.questions
    before = replace(result, questions=(_with_rr(first, 0.5), _with_rr(second, 1.0)))
    after = replace(result, questions=(_with_rr(first, 1.0), _with_rr(second, 0.5)))
    assert [one.id for one in outcomes(before, "reranked", after, "reranked", "rr")] == ["q2", "q1"]


def _with_rr(row: dict, value: float) -> dict:  # type: ignore[type-arg]
    return {**row, "tiers": {**row["tiers"], "reranked": {**row["tiers"]["reranked"], "rr": value}}}
