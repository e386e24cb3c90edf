"""Synonyms on the real server: the same passages as on the embedded engine, and a preview over its build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.evaluation.preview import preview
from kaijuan.evaluation.questions import Question
from kaijuan.indexing.ingest import ingest
from kaijuan.retrieval.synonyms import parse_synonyms
from tests.indexing.workplace import NAME, VIEWER, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

QUESTIONS = (Question("q1", "邮费", ("d1",)), Question("q2", "电子发票的抬头", ("d2",)))
TEXT = "邮费、运费\n抬头 => 七天、退货、买家"


def test_both_engines_find_and_preview_the_same(opensearch: OpenSearchEngine, tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    near = place.services(LetterEmbedder())
    far = replace(near, engine=opensearch, stages=replace(near.stages, engine=opensearch))
    seen = []
    for services in (near, far):
        collection = services.collection(NAME)
        ingest(collection, services.ingesting())
        options = services.options(collection)
        found = preview(NAME, QUESTIONS, services.stages, options, parse_synonyms(TEXT))
        asked = replace(options, synonyms=parse_synonyms(TEXT))
        trace = services.trace("邮费谁出", collection, VIEWER, asked)
        terms = services.request_text(trace, asked, VIEWER)
        assert "运费" in terms
        ranked = [(hit.chunk.id, round(hit.score, 4)) for hit in trace.keyword]
        seen.append((replace(found, version=""), trace.synonyms, ranked))
    assert seen[0] == seen[1]
    assert seen[0][0].touched == 2 and [hit[0] for hit in seen[0][2]] == ["d1#0"]
