"""What enters the context, and what of it is read twice."""

from kaijuan.retrieval.context import choose_context, without_repeats
from kaijuan.types import Candidate, Chunk


def candidates(*lengths: int) -> list[Candidate]:
    return [
        Candidate(Chunk(f"d#{n}", "d", "", "字" * length), n, 1.0, None, None, 0.1, 0.0, 0.1, n, final_rank=n)
        for n, length in enumerate(lengths, start=1)
    ]


def test_the_best_stands_last_and_numbers_follow_the_reading_order() -> None:
    marked, context = choose_context(candidates(5, 5, 5, 5), 3, 100, len)
    assert [c.final_rank for c in context] == [3, 2, 1]
    assert [c.context_number for c in context] == [1, 2, 3]
    assert [c.context_number for c in marked] == [3, 2, 1, None]
    assert [c.tokens for c in marked] == [5, 5, 5, 0]
    assert all(c.context_reason for c in context)


def test_what_does_not_fit_is_left_out_whole_and_the_next_is_tried() -> None:
    marked, context = choose_context(candidates(60, 50, 40, 1), 5, 100, len)
    assert [c.final_rank for c in context] == [3, 1]
    assert sum(c.tokens for c in context) == 100
    assert "60 + 50 > 100" in marked[1].context_reason
    assert marked[1].context_number is None


def test_nothing_to_choose_from_and_nothing_that_fits() -> None:
    assert choose_context([], 5, 100, len) == ((), ())
    marked, context = choose_context(candidates(200, 300), 5, 100, len)
    assert context == ()
    assert [c.context_number for c in marked] == [None, None]
    assert choose_context(candidates(1), 0, 100, len)[1] == ()


def test_candidates_are_not_changed() -> None:
    given = candidates(5, 5)
    before = list(given)
    choose_context(given, 1, 100, len)
    assert given == before


def test_short_sentences_and_other_documents_may_repeat() -> None:
    shared = "运费险由商家投保，理赔金原路到账。"
    chunks = [
        Chunk("a#0", "a", "", shared + "好的。"),
        Chunk("b#0", "b", "", shared),
        Chunk("a#1", "a", "", "好的。新的"),
    ]
    assert without_repeats(chunks) == [shared + "好的。", shared, "好的。新的"]
    assert without_repeats([]) == []
