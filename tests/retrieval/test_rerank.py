"""What retrieval makes of a reranker that fails, or has nothing to say about some candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import ModelFailed
from kaijuan.models.http_rerank import HttpReranker
from kaijuan.models.llm_rerank import LlmReranker
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.types import Candidate, Trace
from tests.models.scripted_server import Reply, ScriptedServer, answered, failed, text_stream
from tests.models.services import chatting
from tests.retrieval.stand_ins import ANYBODY, collection, stages
from tests.retrieval.test_retrieve import check_adds_up

QUESTION = "退货的运费由谁承担？"


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return collection(tmp_path)


class Saying:
    """A reranker that says these scores, one a candidate."""

    name = "saying"

    def __init__(self, say: Callable[[Sequence[Candidate]], Sequence[float | None]]) -> None:
        self._say = say

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: object, term_weights: object
    ) -> Sequence[float | None]:
        return self._say(candidates)


def traced(engine: EmbeddedEngine, reranker: object, **options: object) -> Trace:
    trace = retrieve(QUESTION, "shop", stages(engine, reranker=reranker), Options(**options), ANYBODY)  # type: ignore[arg-type]
    check_adds_up(trace)
    return trace


def order(trace: Trace) -> list[int]:
    """Fused ranks in the final order."""
    return [candidate.fused_rank for candidate in trace.candidates]


def test_the_unscored_follow_the_scored_in_their_former_order(engine: EmbeddedEngine) -> None:
    trace = traced(engine, Saying(lambda head: [None, -5.0, None, 0.0, None]))
    assert order(trace) == [4, 2, 1, 3, 5]
    assert [c.rerank_score for c in trace.candidates] == [0.0, -5.0, None, None, None]
    assert trace.notices == ()


def test_a_reranker_that_fails_leaves_the_fused_order_and_a_notice(engine: EmbeddedEngine) -> None:
    def fail(head: Sequence[Candidate]) -> Sequence[float]:
        raise ModelFailed("重排服务 x 太忙，请稍后再试。", "busy")

    trace = traced(engine, Saying(fail))
    assert order(trace) == [1, 2, 3, 4, 5]
    assert all(candidate.rerank_score is None for candidate in trace.candidates) and trace.context
    (notice,) = trace.notices
    assert notice.stage == "rerank" and "重排服务 x 太忙" in notice.text and notice.text.count("。") == 1


def test_without_reranking_nothing_is_asked(engine: EmbeddedEngine) -> None:
    def fail(head: Sequence[Candidate]) -> Sequence[float]:
        raise AssertionError

    assert traced(engine, Saying(fail), rerank=False).notices == ()


@pytest.mark.parametrize(
    ("reply", "wanted", "noted"),
    [
        (text_stream('[{"id":5,"score":9},{"id":2,"score":4}]'), [5, 2, 1, 3, 4], False),
        (text_stream("抱歉，我无法评分。"), [1, 2, 3, 4, 5], True),
        (failed(401), [1, 2, 3, 4, 5], True),
    ],
)
def test_a_chat_model_reranks_or_is_said_to_have_failed(
    engine: EmbeddedEngine, reply: Reply, wanted: list[int], noted: bool
) -> None:
    with chatting(reply) as (chat, _):
        trace = traced(engine, LlmReranker(chat, 30.0))
    assert order(trace) == wanted
    assert [notice.stage for notice in trace.notices] == ["rerank"] * noted


@pytest.mark.parametrize(
    ("reply", "timeout", "wanted", "noted"),
    [
        (answered([{"index": i, "score": i} for i in range(5)]), 30.0, [5, 4, 3, 2, 1], False),
        (answered([]), 30.0, [1, 2, 3, 4, 5], True),
        (Reply(0, end="silent"), 0.2, [1, 2, 3, 4, 5], True),
    ],
)
def test_a_service_reranks_or_is_said_to_have_failed(
    engine: EmbeddedEngine, reply: Reply, timeout: float, wanted: list[int], noted: bool
) -> None:
    with ScriptedServer(reply) as server:
        reranker = HttpReranker(server.url, timeout=timeout)
        trace = traced(engine, reranker)
        reranker.close()
    assert order(trace) == wanted
    assert [notice.stage for notice in trace.notices] == ["rerank"] * noted
