"""BM25 by the book, and the postings' way to it."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.embedded.bm25 import idf
from kaijuan.engines.embedded.postings import Postings
from kaijuan.engines.embedded.postings_writer import PostingsWriter, term_key
from kaijuan.text import Analysis, analyze

TEXTS = ["退货运费由买家承担", "退货，退货，再退货", "发票 SF-3000", "", "运费险理赔 sf3000", "税"]


def postings(folder: Path, analyses: list[Analysis], k1: float = 1.2, b: float = 0.75) -> Postings:
    writer = PostingsWriter()
    for analysis in analyses:
        writer.add(analysis)
    writer.write(folder, k1, b)
    return Postings(folder, len(analyses), k1, b)


def by_the_book(analyses: list[Analysis], terms: list[str], k1: float, b: float) -> list[float]:
    """The formula, term by term and chunk by chunk."""
    counts = [Counter(a.terms) + Counter(a.extras) for a in analyses]
    average = sum(len(a.terms) for a in analyses) / len(analyses)
    scores = []
    for analysis, count in zip(analyses, counts, strict=True):
        score = 0.0
        for term in terms:
            frequency = sum(term in other for other in counts)
            weight = math.log(1 + (len(analyses) - frequency + 0.5) / (frequency + 0.5))
            norm = k1 * (1 - b + b * len(analysis.terms) / average)
            score += weight * count[term] * (k1 + 1) / (count[term] + norm) if count[term] else 0.0
        scores.append(score)
    return scores


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (5.0, 0.75), (0.2, 0.0), (1.2, 1.0), (0.0, 0.0)])
def test_scores_follow_the_formula(tmp_path: Path, k1: float, b: float) -> None:
    analyses = [analyze(text) for text in TEXTS]
    terms = ["退货", "运费", "sf3000", "税", "没有"]
    expected = by_the_book(analyses, terms, k1, b)
    for number, built_with in enumerate([(k1, b), (1.2, 0.75)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        opened = postings(folder, analyses, *built_with)
        assert opened.scores(opened.lookup(terms, k1, b)) == pytest.approx(expected, rel=1e-6)


def test_unknown_terms_are_there_with_nothing_in_them(tmp_path: Path) -> None:
    opened = postings(tmp_path, [analyze(text) for text in TEXTS])
    known, unknown = opened.lookup(["退货", "没有"])
    assert known.chunks.tolist() == [0, 1]
    assert len(unknown.chunks) == len(unknown.impacts) == 0
    assert unknown.shares(np.array([0, 1], dtype=np.int32)).tolist() == [0.0, 0.0]
    assert known.shares(np.array([5, 1, 0, 2], dtype=np.int32)).astype(bool).tolist() == [False, True, True, False]


def test_no_chunks_and_no_terms(tmp_path: Path) -> None:
    opened = postings(tmp_path, [])
    assert len(opened.scores(opened.lookup(["退货"]))) == 0
    assert opened.lookup([]) == []


def test_extra_spellings_do_not_lengthen_a_chunk(tmp_path: Path) -> None:
    analyses = [Analysis(("a", "b"), ()), Analysis(("a", "c"), ("d", "e", "f"))]
    opened = postings(tmp_path, analyses)
    scores = opened.scores(opened.lookup(["a"]))
    assert scores[0] == scores[1]


def test_keys_are_the_same_in_every_process() -> None:
    assert term_key("退货") == int.from_bytes("退货".encode(), "big")
    assert term_key("sf-3000-pro") == 10304034826257150909
    terms = [*map(chr, range(1, 20_000)), "ab", "ba", "退货", "货退", "运费险", "abcdefg", "abcdefgh", "𠮷𠮷", "\ud800"]
    keys = {term_key(term) for term in terms}
    assert len(keys) == len(terms)
    assert all(0 < key < 2**64 for key in keys)


def test_idf_is_never_negative() -> None:
    assert idf(10, 10) > 0
    assert idf(10, 0) > idf(10, 1)


def test_long_questions_do_not_keep_their_working_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaijuan.engines.embedded.postings._KEPT", 2)
    opened = postings(tmp_path, [analyze(text) for text in TEXTS])
    short, long = opened.lookup(["税"]), opened.lookup(["退货", "运费", "发票"])
    expected = opened.scores(long)
    for _ in range(2):
        assert opened.scores(long).tolist() == expected.tolist()
        assert np.flatnonzero(opened.scores(short)).tolist() == [5]
