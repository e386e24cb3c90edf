"""What passages are asked to speak to when a word of the question is searched by its synonyms."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.answering.similarity import covered, spoken_weights, term_weights
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.retrieval.synonyms import parse_synonyms
from kaijuan.types import Trace
from tests.retrieval.stand_ins import ANYBODY, collection, stages


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return collection(tmp_path)


def _trace(engine: EmbeddedEngine, question: str, text: str = "") -> Trace:
    return retrieve(question, "shop", stages(engine), Options(synonyms=parse_synonyms(text)), ANYBODY)


def test_without_synonyms_they_are_those_of_the_questions_own_terms(engine: EmbeddedEngine) -> None:
    for trace in (_trace(engine, "退货的邮费"), _trace(engine, "退货的邮费", "口令、密码")):
        assert spoken_weights(trace) == term_weights(trace.terms, trace.term_weights)


def test_a_word_that_no_passage_holds_is_spoken_to_by_its_synonym(engine: EmbeddedEngine) -> None:
    alone, helped = _trace(engine, "邮费"), _trace(engine, "邮费", "邮费、路费、运费")
    passage = helped.keyword[0].chunk.search_text
    assert covered(spoken_weights(alone), passage) == 0.0
    assert set(spoken_weights(helped)) == {"运费"} and covered(spoken_weights(helped), passage) == 1.0


def test_a_word_that_passages_hold_stays_what_is_asked(engine: EmbeddedEngine) -> None:
    trace = _trace(engine, "运费", "运费、买家")
    assert trace.synonyms and set(spoken_weights(trace)) == {"运费"}
