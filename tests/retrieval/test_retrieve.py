"""One question's way through all stages, with the embedded engine and a small embedder."""

from pathlib import Path

import pytest

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import IndexMismatch, IndexMissing, QuestionError
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.types import Notice, Trace, Viewer
from tests.retrieval.stand_ins import ANYBODY, BrokenEmbedder, LetterEmbedder, ask, collection, ids, stages

QUESTION = "退货的运费由谁承担？"


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return collection(tmp_path)


def check_adds_up(trace: Trace) -> None:
    """What holds for every trace."""
    for leg in (trace.keyword, trace.vector):
        assert [hit.rank for hit in leg] == list(range(1, len(leg) + 1))
        assert [hit.score for hit in leg] == sorted((hit.score for hit in leg), reverse=True)
    keyword, vector = ({hit.chunk.id: hit for hit in leg} for leg in (trace.keyword, trace.vector))
    assert {c.chunk.id for c in trace.candidates} == {*keyword, *vector}
    assert [c.final_rank for c in trace.candidates] == list(range(1, len(trace.candidates) + 1))
    assert sorted(c.fused_rank for c in trace.candidates) == list(range(1, len(trace.candidates) + 1))
    by_fusion = sorted(trace.candidates, key=lambda c: c.fused_rank)
    assert by_fusion == sorted(by_fusion, key=lambda c: (-c.fused, c.chunk.id))
    for candidate in trace.candidates:
        hit, other = keyword.get(candidate.chunk.id), vector.get(candidate.chunk.id)
        assert candidate.keyword_rank == (hit.rank if hit else None)
        assert candidate.vector_rank == (other.rank if other else None)
        assert candidate.keyword_share == (1 / (60 + hit.rank) if hit else 0.0)
        assert candidate.vector_share == (1 / (60 + other.rank) if other else 0.0)
        assert candidate.fused == pytest.approx(candidate.keyword_share + candidate.vector_share, abs=1e-15)
        assert candidate.context_reason
        if candidate.keyword_score is not None:
            assert sum(share.score for share in candidate.terms) == candidate.keyword_score
    assert [c.context_number for c in trace.context] == list(range(1, len(trace.context) + 1))
    ranks = [c.final_rank for c in trace.context]
    assert ranks == sorted(ranks, reverse=True)
    assert trace.context_tokens == sum(c.tokens for c in trace.context)
    assert {c.chunk.id for c in trace.context} == {c.chunk.id for c in trace.candidates if c.context_number}
    assert [stage.stage for stage in trace.stages] == ["embed", "search", "fuse", "rerank", "context"]
    assert trace.seconds == sum(stage.seconds for stage in trace.stages) > 0


@pytest.mark.parametrize(
    "question", [QUESTION, "SF-3000 打不开", "发票抬头", "积分", "无关的话题", "<script>alert(1)</script>"]
)
def test_the_trace_adds_up(engine: EmbeddedEngine, question: str) -> None:
    trace = ask(engine, question)
    check_adds_up(trace)
    assert trace.question == question
    assert trace.notices == ()
    assert ask(engine, question).candidates == trace.candidates


def test_the_passage_that_answers_stands_last_in_the_context(engine: EmbeddedEngine) -> None:
    trace = ask(engine, QUESTION)
    assert trace.candidates[0].chunk.id == "退货.md#1"
    assert trace.context[-1] == trace.candidates[0]
    assert trace.candidates[0].rerank_score is not None
    assert trace.evidence.best_cosine == trace.vector[0].score
    assert trace.evidence.floor == LetterEmbedder.floor
    assert 0 < trace.evidence.agreement <= 1
    assert trace.evidence.best_keyword == trace.keyword[0].score
    assert trace.token_counter == "characters"
    assert trace.question_tokens == len(QUESTION)


def test_restricted_passages_stay_out_of_every_part_of_the_trace(engine: EmbeddedEngine) -> None:
    question = "退货率高的买家名单"
    assert "内部" not in repr(ask(engine, question))
    assert "内部.md#0" in ids(ask(engine, question, Viewer(groups=frozenset({"staff"}))).context)


def test_the_token_budget_holds(engine: EmbeddedEngine) -> None:
    for budget in [0, 10, 25, 50, 1000]:
        trace = ask(engine, QUESTION, context_tokens=budget)
        assert trace.context_tokens <= budget
        check_adds_up(trace)
    assert len(ask(engine, QUESTION, context_chunks=2).context) == 2


def test_the_reranker_reorders_its_pool_and_nothing_behind_it(engine: EmbeddedEngine) -> None:
    class Backwards:
        name = "backwards"

        def scores(self, question: str, candidates: object, vector_hits: object, term_weights: object) -> list[float]:
            return [float(n) for n in range(len(list(candidates)))]  # type: ignore[call-overload]

    trace = retrieve(QUESTION, "shop", stages(engine, reranker=Backwards()), Options(rerank_pool=3), ANYBODY)
    check_adds_up(trace)
    assert [c.fused_rank for c in trace.candidates] == [3, 2, 1, 4, 5]
    assert [c.rerank_score is None for c in trace.candidates] == [False, False, False, True, True]


def test_equal_rerank_scores_keep_the_fused_order(engine: EmbeddedEngine) -> None:
    class Same:
        name = "same"

        def scores(self, question: str, candidates: object, vector_hits: object, term_weights: object) -> list[float]:
            return [0.0] * len(list(candidates))  # type: ignore[call-overload]

    trace = retrieve(QUESTION, "shop", stages(engine, reranker=Same()), Options(), ANYBODY)
    assert [c.fused_rank for c in trace.candidates] == [1, 2, 3, 4, 5]


def test_without_reranker_the_fused_order_stays(engine: EmbeddedEngine) -> None:
    for trace in (
        ask(engine, QUESTION, rerank=False),
        retrieve(QUESTION, "shop", stages(engine, reranker=None), Options(), ANYBODY),
    ):
        check_adds_up(trace)
        assert all(c.rerank_score is None and c.final_rank == c.fused_rank for c in trace.candidates)


def test_one_leg_alone(engine: EmbeddedEngine) -> None:
    words = ask(engine, QUESTION, vector_leg=False)
    assert words.vector == () and words.keyword and words.notices == ()
    assert words.evidence.best_cosine is words.evidence.floor is None
    check_adds_up(words)
    vectors = ask(engine, QUESTION, keyword_leg=False)
    assert vectors.keyword == () and vectors.vector
    check_adds_up(vectors)


def test_a_missing_embedder_is_a_notice_and_the_keyword_leg_answers(engine: EmbeddedEngine) -> None:
    trace = retrieve(QUESTION, "shop", stages(engine, embedder=None), Options(), ANYBODY)
    assert [notice.stage for notice in trace.notices] == ["embed"]
    assert "只用了关键词检索" in trace.notices[0].text
    assert trace.vector == () and trace.candidates[0].chunk.id == "退货.md#1"
    check_adds_up(trace)


def test_the_reason_given_at_start_is_what_is_said(engine: EmbeddedEngine) -> None:
    reason = Notice("embed", "模型没有取到。")
    trace = retrieve(QUESTION, "shop", stages(engine, embedder=None, embedder_notice=reason), Options(), ANYBODY)
    assert trace.notices == (reason,)


def test_an_embedder_that_fails_is_a_notice(engine: EmbeddedEngine) -> None:
    trace = retrieve(QUESTION, "shop", stages(engine, embedder=BrokenEmbedder()), Options(), ANYBODY)
    assert trace.vector == () and trace.keyword
    assert "模型文件不见了" in trace.notices[0].text


def test_an_index_without_vectors_is_a_notice(tmp_path: Path) -> None:
    trace = ask(collection(tmp_path, embedder=None), QUESTION)
    assert "没有向量" in trace.notices[0].text and "python -m ingest shop" in trace.notices[0].text
    assert trace.keyword


def test_an_index_of_another_model_is_refused(engine: EmbeddedEngine) -> None:
    class Other(LetterEmbedder):
        name = "other"

    with pytest.raises(IndexMismatch, match=r"letters.*other.*python -m ingest shop"):
        retrieve(QUESTION, "shop", stages(engine, embedder=Other()), Options(), ANYBODY)


def test_a_missing_index_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="python -m ingest shop"):
        ask(EmbeddedEngine(tmp_path), QUESTION)


@pytest.mark.parametrize("question", ["", "   ", "\n\t　", "\u200b\u200b"])
def test_a_blank_question_is_refused(engine: EmbeddedEngine, question: str) -> None:
    with pytest.raises(QuestionError, match="请"):
        ask(engine, question)


@pytest.mark.parametrize("question", ["😀😀😀", "？？？", "……！", "🏳️‍🌈"])
def test_a_question_without_words_is_refused(engine: EmbeddedEngine, question: str) -> None:
    with pytest.raises(QuestionError, match="没有可以检索的文字"):
        ask(engine, question)


def test_emoji_beside_words_do_no_harm(engine: EmbeddedEngine) -> None:
    assert ids(ask(engine, "退货😀运费🙏").keyword)[0] == "退货.md#1"


def test_a_long_question_is_searched_by_both_ends_and_says_so(engine: EmbeddedEngine) -> None:
    question = "退货" + "话" * 9_990 + "运费由谁承担"
    trace = ask(engine, question)
    assert len(trace.searched) == 1001
    assert trace.searched.startswith("退货") and trace.searched.endswith("运费由谁承担")
    assert [notice.stage for notice in trace.notices] == ["question"]
    assert "9998 个字" in trace.notices[0].text
    assert trace.question == question
    assert trace.context[-1].chunk.id == "退货.md#1"


def test_a_question_of_just_the_limit_is_searched_whole(engine: EmbeddedEngine) -> None:
    question = "退" * 1000
    assert ask(engine, question).searched == question


def test_leg_size_limits_each_leg(engine: EmbeddedEngine) -> None:
    trace = ask(engine, QUESTION, leg_size=2)
    assert len(trace.keyword) <= 2 and len(trace.vector) == 2
    check_adds_up(trace)


def test_a_named_version_is_asked(engine: EmbeddedEngine, tmp_path: Path) -> None:
    collection(tmp_path, {"新.md#0": "退货新规"})
    assert ids(ask(engine, "退货").candidates) == ["新.md#0"]
    old = ask(engine, "退货", version="v0001")
    assert old.version == "v0001" and "退货.md#0" in ids(old.candidates)
