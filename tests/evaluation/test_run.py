"""Evaluation on a tiny collection: tiers from one trace, questions left out, data sets indexed once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.evaluation.__main__ import main
from kaijuan.evaluation.datasets import index_dataset
from kaijuan.evaluation.offtopic import RefusalRate, refusal_rate
from kaijuan.evaluation.questions import Question, load_dataset
from kaijuan.evaluation.report import refusal_lines, result_lines
from kaijuan.evaluation.run import FIGURES, TIERS, EvaluationResult, evaluate, ranked_ids
from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Chunk
from tests.indexing.workplace import CountingEmbedder
from tests.retrieval.stand_ins import collection, stages

QUESTIONS = [
    Question("q1", "退货运费由谁承担", ("退货.md#1",)),
    Question("q2", "SF-3000 打不开", ("型号.md#0",)),
    Question("q3", "发票抬头", ("发票.md",)),
    Question("q4", "🙂", ("会员.md#0",)),
    Question("n1", "红烧肉怎么做", ()),
]


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return collection(tmp_path)


@pytest.fixture
def result(engine: EmbeddedEngine) -> EvaluationResult:
    return evaluate("tiny", "shop", QUESTIONS, stages(engine), Options())


def test_questions_without_gold_are_skipped_and_said_so(result: EvaluationResult) -> None:
    assert (result.scored, result.skipped) == (4, 1)
    assert [row["id"] for row in result.questions] == ["q1", "q2", "q3", "q4"]
    assert "4" in next(result_lines(result)) and "1" in next(result_lines(result))


def test_a_question_that_cannot_be_searched_counts_as_a_miss(result: EvaluationResult) -> None:
    row = result.questions[3]
    assert all(row["tiers"][tier]["top"] == [] and row["tiers"][tier]["recall5"] == 0.0 for tier in TIERS)


def test_every_figure_is_the_mean_of_its_questions(result: EvaluationResult) -> None:
    for tier in result.tiers:
        for figure in FIGURES:
            own = [row["tiers"][tier.tier][figure] for row in result.questions]
            assert tier.figures[figure] == pytest.approx(sum(own) / len(own))
    assert result.tier("reranked").figures["hit5"] == pytest.approx(3 / 4)


def test_each_tier_is_compared_with_the_one_before_it(result: EvaluationResult) -> None:
    assert [tier.against for tier in result.tiers] == [None, *TIERS[:-1]]
    for earlier, tier in zip(result.tiers, result.tiers[1:], strict=False):
        for comparison in tier.comparisons:
            assert comparison.wins + comparison.losses + comparison.ties == result.scored
            mine, other = tier.figures[comparison.figure], earlier.figures[comparison.figure]
            assert mine is not None and other is not None
            assert comparison.difference == pytest.approx(mine - other)
            low, high = comparison.interval
            assert low <= comparison.difference <= high


def test_the_same_run_gives_the_same_figures(engine: EmbeddedEngine, result: EvaluationResult) -> None:
    again = evaluate("tiny", "shop", QUESTIONS, stages(engine), Options())
    assert again.questions == result.questions
    assert [(t.figures, t.comparisons) for t in again.tiers] == [(t.figures, t.comparisons) for t in result.tiers]


def test_without_a_model_the_vector_tier_is_empty_and_fused_is_the_keyword_leg(engine: EmbeddedEngine) -> None:
    result = evaluate("tiny", "shop", QUESTIONS[:3], stages(engine, embedder=None), Options())
    assert result.tier("vector").figures["recall20"] == 0.0
    assert result.tier("fused").figures == result.tier("keyword").figures


def test_nothing_to_score_has_no_figures_and_no_comparison(engine: EmbeddedEngine) -> None:
    for questions in ([], [QUESTIONS[-1]]):
        result = evaluate("tiny", "shop", questions, stages(engine), Options())
        assert result.scored == 0 and result.skipped == len(questions)
        assert all(v is None for tier in result.tiers for v in tier.figures.values())
        assert all(tier.p50_ms is tier.p95_ms is None and tier.comparisons == () for tier in result.tiers)
        assert "nan" not in "\n".join(result_lines(result)).lower()
        json.dumps(result.to_json(), allow_nan=False)


def test_progress_is_told_once_a_question(engine: EmbeddedEngine) -> None:
    told: list[int] = []
    evaluate("tiny", "shop", QUESTIONS, stages(engine), Options(), told.append)
    assert told == [1] * len(QUESTIONS)


def test_gold_may_name_documents_or_chunks() -> None:
    chunks = [Chunk("a#0", "a", "", ""), Chunk("b#1", "b", "", ""), Chunk("a#1", "a", "", "")]
    assert ranked_ids(chunks, ["a"]) == ["a", "b#1", "a"]
    assert ranked_ids(chunks, ["a#1"]) == ["a#0", "b#1", "a#1"]
    assert ranked_ids(chunks, ["a", "a#1"]) == ["a", "b#1", "a#1"]


def test_restricted_documents_are_evaluated_too(engine: EmbeddedEngine) -> None:
    question = Question("q", "退货率高的买家名单", ("内部.md#0",))
    assert evaluate("tiny", "shop", [question], stages(engine), Options()).tier("reranked").figures["rr"] == 1.0


def test_refusals_are_counted_by_reason(engine: EmbeddedEngine) -> None:
    asked = [QUESTIONS[0], Question("c", "SF-9000 打不开", ()), QUESTIONS[3]]
    rate = refusal_rate("tiny", asked, "shop", stages(engine), Options())
    assert rate == RefusalRate("tiny", 3, 2, {"missing_code": 1, "no_terms": 1})
    assert rate.rate == pytest.approx(2 / 3)
    empty = refusal_rate("none", [], "shop", stages(engine), Options())
    assert empty.rate is None
    assert "2/3" in next(refusal_lines([rate])) and "nan" not in next(refusal_lines([empty])).lower()


def _dataset(folder: Path, name: str, *texts: str) -> Path:
    place = folder / name
    place.mkdir(exist_ok=True)
    rows = [json.dumps({"id": f"p{n}", "text": text}) for n, text in enumerate(texts)]
    (place / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (place / "queries.jsonl").write_text(json.dumps({"id": "1", "text": "几天可以退货"}), encoding="utf-8")
    (place / "qrels.tsv").write_text("q\tc\ts\n1\tp0\t1\n", encoding="utf-8")
    return place


def test_a_data_set_is_embedded_once(tmp_path: Path) -> None:
    folder = _dataset(tmp_path, "zh_tiny", "七天内可以退货。", "满 99 元免运费。")
    engine, model, cache = EmbeddedEngine(tmp_path / "index"), CountingEmbedder(), tmp_path / "cache.sqlite"
    name, embedded = index_dataset(load_dataset(folder), engine, model, cache)
    assert embedded == len(model.passages) == 2
    assert index_dataset(load_dataset(folder), engine, model, cache) == (name, 0)
    assert len(model.passages) == 2 and len(engine.versions(name)) == 1
    changed = load_dataset(_dataset(tmp_path, "zh_tiny", "七天内可以退货。", "满 129 元免运费。"))
    assert index_dataset(changed, engine, model, cache) == (name, 1)
    assert [version.active for version in engine.versions(name)] == [True]


def test_the_command_runs_a_data_set_and_asks_it_foreign_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "none")
    monkeypatch.setenv("KAIJUAN_DATA_DIR", str(tmp_path / "data"))
    own = _dataset(tmp_path, "zh_tiny", "七天内可以退货。", "满 99 元免运费。")
    output = tmp_path / "out.json"
    arguments = ["run", "--dataset", str(own), "--off-topic", str(own), "--output", str(output)]
    assert main(arguments) == 0
    stored = json.loads(output.read_text(encoding="utf-8"))
    assert stored["scored"] == 1 and [tier["tier"] for tier in stored["tiers"]] == list(TIERS)
    assert [rate["asked"] for rate in stored["refusals"]] == [1, 1]
    printed = capsys.readouterr().out
    assert all(tier in printed for tier in TIERS) and "拒答" in printed


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run"], 2),
        (["run", "shop", "--dataset", "x"], 2),
        (["run", "--dataset", "{}/none"], 1),
        (["run", "no-such-collection"], 1),
        (["run", "shop"], 1),
    ],
)
def test_a_wrong_call_is_one_sentence(
    arguments: list[str],
    status: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "none")
    monkeypatch.setenv("KAIJUAN_DATA_DIR", str(tmp_path / "data"))
    assert main([a.format(tmp_path) for a in arguments]) == status
    said = capsys.readouterr().err.strip()
    assert said.endswith("。") and "\n" not in said and "Traceback" not in said
