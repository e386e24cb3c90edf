"""Embeddings over HTTP: order, count and length checked, many texts a call, whatever the server refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kaijuan.indexing.vector_cache import unusable_because
from kaijuan.models.base import BatchEmbedder
from kaijuan.models.cached_embed import CachedEmbedder
from kaijuan.models.openai_embed import BATCH
from tests.models.scripted_server import Reply, Request, answered, failed, page, vectors
from tests.models.services import embedding, failure
from tests.retrieval.stand_ins import LetterEmbedder

TEXTS = ["退款三天到账", "电子发票", "SF-3000 打不开"]


def counting(request: Request) -> Reply:
    """Vectors that say which text they belong to: its length, and 1."""
    return vectors(*[[len(text), 1.0, 0.0] for text in request.body["input"]])


def lengths(rows: Any) -> list[int]:
    """The lengths of the texts that the vectors of `counting` belong to."""
    return [round(float(row[0] / row[1])) for row in rows]


def test_vectors_are_unit_float32_in_the_order_of_the_texts() -> None:
    with embedding(counting) as (model, server):
        rows = model.embed_passages(TEXTS)
        (request,) = server.requests
    assert rows.shape == (3, 3) and rows.dtype == np.float32
    assert lengths(rows) == [len(text) for text in TEXTS]
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "e", "input": TEXTS, "dimensions": 3, "encoding_format": "float"}


def test_the_index_says_which_text_a_vector_belongs_to() -> None:
    rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    with embedding(vectors(*rows, order=[2, 0, 1])) as (model, _):
        assert np.array_equal(model.embed_passages(TEXTS), np.eye(3, dtype=np.float32))


def test_without_any_index_the_order_is_taken_as_it_is() -> None:
    data = [{"embedding": [0.0, 2.0, 0.0]}, {"embedding": [3.0, 0.0, 0.0]}]
    with embedding(answered({"data": data})) as (model, _):
        assert np.array_equal(model.embed_passages(TEXTS[:2]), np.eye(3, dtype=np.float32)[[1, 0]])


def test_name_says_model_and_length() -> None:
    with embedding(dims=1024) as (model, _):
        assert (model.name, model.dims, model.floor) == ("e@1024", 1024, None)


def test_no_text_asks_nothing() -> None:
    with embedding() as (model, server):
        assert model.embed_passages([]).shape == (0, 3)
        assert server.requests == []


def test_a_question_a_passage_and_a_sentence_are_embedded_alike() -> None:
    with embedding(counting, counting, counting) as (model, _):
        one = [embed("退款") for embed in (model.query, model.passage, model.sentence)]
        assert all(vector.shape == (3,) and np.array_equal(vector, one[0]) for vector in one)


ROW = [1.0, 2.0, 3.0]
ODD: list[tuple[str, Reply, str]] = [
    ("one too few", vectors(ROW), "发出 2 段文字，收到 1 个向量"),
    ("one too many", vectors(ROW, ROW, ROW), "收到 3 个向量"),
    ("an index twice", answered({"data": [{"index": 0, "embedding": ROW}] * 2}), "编号对不上"),
    ("an index beyond", answered({"data": [{"index": i, "embedding": ROW} for i in (1, 2)]}), "编号对不上"),
    (
        "an index missing",
        answered({"data": [{"index": 0, "embedding": ROW}, {"embedding": ROW}]}),
        "编号对不上",
    ),
    ("another length", vectors([1.0] * 4, [1.0] * 4), "KAIJUAN_OPENAI_EMBEDDING_DIMS"),
    ("two lengths", vectors(ROW, [1.0]), "不是等长的数字"),
    ("no numbers", answered({"data": [{"index": i, "embedding": ["x", 1, 2]} for i in range(2)]}), "不是等长的数字"),
    ("nothing", answered({"data": [{"index": i, "embedding": None} for i in range(2)]}), "不是等长的数字"),
    ("no vector", answered({"data": [{"index": i} for i in range(2)]}), "不是等长的数字"),
    ("no list", answered({"data": {"0": ROW}}), "没有向量"),
    ("no data", answered({"object": "list"}), "没有向量"),
    ("no object", answered([ROW, ROW]), "没有向量"),
    ("rows", answered({"data": [ROW, ROW]}), "没有向量"),
    ("page", page(), "不是 JSON"),
    ("half", Reply(200, parts=(b'{"data": [',)), "不是 JSON"),
]


@pytest.mark.parametrize(("reply", "words"), [row[1:] for row in ODD], ids=[row[0] for row in ODD])
def test_an_answer_that_does_not_hold_the_vectors_is_a_failure(reply: Reply, words: str) -> None:
    with embedding(reply, retries=2) as (model, server):
        error = failure(lambda: model.embed_passages(TEXTS[:2]))
        assert error.kind == "odd" and words in str(error)
        assert len(server.requests) == 1


@pytest.mark.parametrize("numbers", ["NaN, 0, 0", "Infinity, 0, 0", "0, 0, 0", "1e300, 1e300, 1e300"])
def test_a_vector_without_direction_is_left_to_be_named_with_its_text_and_fails_a_question(numbers: str) -> None:
    good, bad = '"embedding": [3, 4, 0]', f'"embedding": [{numbers}]'
    both = f'{{"data": [{{"index": 0, {good}}}, {{"index": 1, {bad}}}]}}'
    alone = f'{{"data": [{{"index": 0, {bad}}}]}}'
    with embedding(Reply(parts=(both.encode(),)), Reply(parts=(alone.encode(),))) as (model, _):
        first, second = model.embed_passages(TEXTS[:2])
        assert first == pytest.approx([0.6, 0.8, 0.0])
        assert unusable_because(second)
        assert failure(lambda: model.query("退款")).kind == "odd"


def taking(most: int, status: int = 400) -> Any:
    """A service that takes so many texts a call."""

    def reply(request: Request) -> Reply:
        if len(request.body["input"]) > most:
            return failed(status, "InvalidParameter", f"batch size is invalid, it should not be larger than {most}")
        return counting(request)

    return reply


def test_many_texts_go_in_few_calls() -> None:
    texts = ["字" * (i % 9 + 1) for i in range(2 * BATCH + 1)]
    with embedding(*[counting] * 3) as (model, server):
        assert lengths(model.embed_passages(texts)) == [len(text) for text in texts]
        assert [len(request.body["input"]) for request in server.requests] == [BATCH, BATCH, 1]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_service_that_takes_fewer_texts_is_found_out_once(status: int) -> None:
    texts = ["字" * (i % 9 + 1) for i in range(40)]
    with embedding(*[taking(10, status)] * 50) as (model, server):
        for _ in range(2):
            assert lengths(model.embed_passages(texts)) == [len(text) for text in texts]
        sizes = [len(request.body["input"]) for request in server.requests]
    assert sizes == [40, 20, *[10] * 4, *[10] * 4]


def test_a_single_text_that_is_refused_is_the_failure() -> None:
    with embedding(*[failed(400, "", "input is wrong")] * 50) as (model, server):
        assert failure(lambda: model.embed_passages(TEXTS)).kind == "refused"
        assert [len(request.body["input"]) for request in server.requests] == [3, 1]


@pytest.mark.parametrize(
    "words",
    [
        "This model does not support specifying dimensions.",
        "Model e does not support matryoshka representation, changing output will lead to poor results.",
    ],
)
def test_a_model_of_fixed_length_is_not_told_one(words: str) -> None:
    def fixed(request: Request) -> Reply:
        return failed(400, "", words) if "dimensions" in request.body else counting(request)

    with embedding(*[fixed] * 3) as (model, server):
        assert lengths(model.embed_passages(TEXTS)) == lengths(model.embed_passages(TEXTS))
        assert ["dimensions" in request.body for request in server.requests] == [True, False, False]


def test_a_busy_service_is_asked_again() -> None:
    with embedding(failed(429, "rate_limit_exceeded"), counting, retries=1) as (model, _):
        assert lengths([model.query("退款")]) == [2]


def test_remembering_keeps_the_way_of_many_texts_where_there_is_one() -> None:
    assert not isinstance(CachedEmbedder(LetterEmbedder()), BatchEmbedder)
    with embedding(counting) as (model, _):
        remembering = CachedEmbedder(model)
        assert isinstance(remembering, BatchEmbedder)
        assert lengths(remembering.embed_passages(TEXTS)) == [len(text) for text in TEXTS]
