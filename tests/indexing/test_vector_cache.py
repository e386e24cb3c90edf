"""Vectors are computed once, many in one call where the model offers it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kaijuan.errors import IngestError
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.models.base import Vector
from tests.indexing.workplace import CountingEmbedder
from tests.models.scripted_server import Reply, Request, vectors
from tests.models.services import embedding
from tests.retrieval.stand_ins import LetterEmbedder

TEXTS = ["退款", "发票", "退款", "型号"]


class ManyAtOnce(LetterEmbedder):
    """Takes many texts a call, and remembers each call."""

    def __init__(self, spoilt: str = "") -> None:
        self.calls: list[list[str]] = []
        self._spoilt = spoilt

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        self.calls.append(list(texts))
        rows = np.stack([self.passage(text) for text in texts])
        for place, text in enumerate(texts):
            if text == self._spoilt:
                rows[place] = np.nan
        return rows


def test_one_by_one_and_many_at_once_give_the_same(tmp_path: Path) -> None:
    single, many = CountingEmbedder(), ManyAtOnce()
    with VectorCache(tmp_path / "a.sqlite") as one, VectorCache(tmp_path / "b.sqlite") as other:
        first, second = one.embed(single, TEXTS), other.embed(many, TEXTS)
    assert np.array_equal(first.vectors, second.vectors)
    assert first.computed == second.computed == 3
    assert single.passages == ["退款", "发票", "型号"]
    assert many.calls == [["退款", "发票", "型号"]]


def test_only_what_is_new_is_asked_for(tmp_path: Path) -> None:
    model = ManyAtOnce()
    with VectorCache(tmp_path / "v.sqlite") as cache:
        before = cache.embed(model, TEXTS)
        again = cache.embed(model, [*TEXTS, "积分"])
        same = cache.embed(model, TEXTS)
    assert model.calls == [["退款", "发票", "型号"], ["积分"]]
    assert (again.computed, same.computed) == (1, 0)
    assert np.array_equal(again.vectors[:4], before.vectors) and np.array_equal(same.vectors, before.vectors)


def test_a_spoilt_vector_is_named_at_each_place_and_not_kept(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "v.sqlite") as cache:
        spoilt = cache.embed(ManyAtOnce(spoilt="退款"), TEXTS)
        assert sorted(spoilt.unusable) == [0, 2] and not spoilt.vectors[0].any()
        mended = cache.embed(ManyAtOnce(), TEXTS)
    assert mended.unusable == {} and mended.computed == 1


def test_a_vector_of_another_length_stops_the_ingest(tmp_path: Path) -> None:
    class Shorter(ManyAtOnce):
        def embed_passages(self, texts: Sequence[str]) -> Vector:
            return super().embed_passages(texts)[:, :5]

    with VectorCache(tmp_path / "v.sqlite") as cache, pytest.raises(IngestError, match=r"\(5,\)"):
        cache.embed(Shorter(), TEXTS)


def test_a_service_is_asked_once_for_a_batch(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply:
        return vectors(*[[len(text), 1.0, 0.0] for text in request.body["input"]])

    with embedding(reply) as (model, server), VectorCache(tmp_path / "v.sqlite") as cache:
        embedded = cache.embed(model, TEXTS)
        assert embedded.computed == 3 and len(server.requests) == 1
        assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx([1] * 4, abs=1e-6)
