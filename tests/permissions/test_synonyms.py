"""Synonyms that name what only closed documents hold tell nothing of it, on both engines."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from kaijuan.answering.types import Answer
from kaijuan.engines.base import Engine
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.types import Viewer
from kaijuan.wiring import Services
from tests.permissions.corpora import ADMIN, NAME, Corpus, closed_to

ASKED = "甲乙办法"
QUESTION = f"{ASKED}的期限多久"


@pytest.fixture(params=["embedded", "opensearch"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Each engine in turn."""
    if request.param == "opensearch":
        made: Engine = request.getfixturevalue("opensearch")
        return made
    return EmbeddedEngine(tmp_path / "data" / "index")


def test_a_closed_document_named_by_a_synonym_is_as_if_it_was_not_named(engine: Engine, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 1)
    services = corpus.services(engine)
    file = services.collection(NAME).synonyms_file
    compared = 0
    for viewer in corpus.viewers(5)[:-1]:
        for made in closed_to(viewer, corpus.documents)[:3]:
            file.unlink(missing_ok=True)
            without = _said(services, viewer)
            for secret in made.words:
                file.write_text(f"{ASKED}、{secret}\n", encoding="utf-8")
                assert _said(services, viewer) == without, (viewer, secret)
            # Its letters stand in open documents too: they may be found, as those of a code that stands nowhere.
            codes = (made.code, f"{made.code[:3]}{made.code[:2:-1]}")
            assert not any(codes[1] in other.text for other in corpus.documents)
            said = []
            for code in codes:
                file.write_text(f"{ASKED}、{code}\n", encoding="utf-8")
                said.append(_said(services, viewer))
            assert said[0] == said[1], (viewer, codes)
            compared += 1
    assert compared


def test_who_may_read_it_finds_it_by_the_synonym(engine: Engine, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 1)
    services = corpus.services(engine)
    secret = next(made for made in corpus.documents if made.audience).words[1]
    services.collection(NAME).synonyms_file.write_text(f"{ASKED}、{secret}\n", encoding="utf-8")
    trace = services.answer(QUESTION, NAME, ADMIN).trace
    assert [one.added for one in trace.synonyms] == [secret]
    assert secret in trace.keyword[0].chunk.search_text


def _said(services: Services, viewer: Viewer) -> tuple[str, str]:
    """The whole answer without its times, and what the engine is said to have been sent."""
    answer = services.answer(QUESTION, NAME, viewer)
    options = services.options(services.collection(NAME))
    return _plain(answer), services.request_text(answer.trace, options, viewer)


def _plain(answer: Answer) -> str:
    still = replace(answer, seconds=0.0, first_text_seconds=None, trace=replace(answer.trace, stages=()))
    return json.dumps(asdict(still), ensure_ascii=False)
