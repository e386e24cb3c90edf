"""Answers found again: by every filter, page by page, by their conversation, and what the legs and documents did."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kaijuan.errors import ViewError
from kaijuan.records.conversations import conversations, delete, rename, turns
from kaijuan.records.figures import Share
from kaijuan.records.read import Legs, answers, count, legs, never_cited
from kaijuan.records.record import record_of, ticket_of
from kaijuan.records.store import Records
from kaijuan.records.tickets import close, hand_over, reopen, ticket, tickets, told
from kaijuan.records.types import Filter, Said
from kaijuan.types import Viewer
from tests.records.made import NOON, Clock, answer, record


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def records(tmp_path: Path, clock: Clock) -> Records:
    return Records(tmp_path / "records.sqlite", days=90, now=clock)


@pytest.fixture
def filled(records: Records, clock: Clock) -> Records:
    """Ten answers an hour apart, each told from the others by its question."""
    made = [record(clock, f"q{n}") for n in range(10)]
    made = [replace(one, at=NOON + timedelta(hours=n)) for n, one in enumerate(made)]
    made[0] = replace(made[0], collection="yunti", viewer="小李")
    made[1] = replace(made[1], refused="off_topic", asked="Q1 改写之后")
    made[2] = replace(made[2], empty=True, context=())
    made[3] = replace(made[3], invented=2)
    made[4] = replace(made[4], unsupported=1, uncited=None)
    made[5] = replace(made[5], uncited=3, unsupported=0)
    made[6] = replace(made[6], conflicts=1, weak=True)
    made[7] = replace(made[7], incomplete=True, conversation_id="c1")
    made[8] = replace(made[8], text="100% 的退款 a_b")
    for one in made:
        records.write(one)
    records.rate(made[8].id, "up")
    records.rate(made[9].id, "down", "旧了")
    hand_over(records, ticket_of(made[1], "没有答案", now=clock))
    return records


@pytest.mark.parametrize(
    ("meant", "found"),
    [
        (Filter(), "9876543210"),
        (Filter(collection="yunti"), "0"),
        (Filter(collection="nowhere"), ""),
        (Filter(viewer="小李"), "0"),
        (Filter(conversation_id="c1"), "7"),
        (Filter(since=NOON + timedelta(hours=7)), "987"),
        (Filter(until=NOON + timedelta(hours=3)), "210"),
        (Filter(since=NOON + timedelta(hours=3), until=NOON + timedelta(hours=5)), "43"),
        (Filter(refused=True), "1"),
        (Filter(refused=False), "987654320"),
        (Filter(thumb="up"), "8"),
        (Filter(thumb="down"), "9"),
        (Filter(handed_over=True), "1"),
        (Filter(handed_over=False, since=NOON + timedelta(hours=8)), "98"),
        (Filter(mark="empty"), "2"),
        (Filter(mark="invented"), "3"),
        (Filter(mark="unsupported"), "4"),
        (Filter(mark="uncited"), "5"),
        (Filter(mark="conflicts"), "6"),
        (Filter(mark="weak"), "6"),
        (Filter(mark="incomplete"), "7"),
        (Filter(source="s03"), ""),
        (Filter(source="s01", until=NOON + timedelta(hours=4)), "310"),
        (Filter(words="q1"), "1"),
        (Filter(words="Q9"), "9"),
        (Filter(words="改写之后"), "1"),
        (Filter(words="100%"), "8"),
        (Filter(words="a_b"), "8"),
        (Filter(words="a%b"), ""),
        (Filter(words="' OR 1=1 --"), ""),
        (Filter(words=""), "9876543210"),
        (Filter(collection="' OR '1'='1"), ""),
    ],
)
def test_each_filter_finds_the_answers_it_means(filled: Records, meant: Filter, found: str) -> None:
    # Ids of one moment have no order of their own, so that these ten are compared as a set.
    assert {one.question for one in answers(filled, meant).items} == {f"q{n}" for n in found}
    assert count(filled, meant) == len(found)


def test_what_is_listed_has_its_feedback_and_its_ticket_and_no_rows(filled: Records) -> None:
    listed = {one.question: one for one in answers(filled, Filter()).items}
    assert listed["q9"].feedback is not None and listed["q9"].feedback.reason == "旧了"
    assert listed["q8"].feedback is not None and listed["q8"].feedback.value == "up"
    assert [q for q, one in listed.items() if one.handed_over] == ["q1"]
    assert all(one.hits == one.context == one.stages == () for one in listed.values())


def test_pages_follow_each_other_newest_first_and_end(records: Records, clock: Clock) -> None:
    for n in range(7):
        records.write(record(clock, f"q{n}"))
        clock.pass_(seconds=1)
    pages, before = [], None
    while True:
        page = answers(records, Filter(), before, limit=3)
        pages.append([one.question for one in page.items])
        if page.next is None:
            break
        before = page.next
        records.write(record(clock, "later"))  # what comes in meanwhile moves no page
        clock.pass_(seconds=1)
    assert pages == [["q6", "q5", "q4"], ["q3", "q2", "q1"], ["q0"]]
    assert answers(records, Filter(words="q"), limit=7).next is None


def test_answers_of_the_same_moment_are_neither_lost_nor_told_twice_between_pages(
    records: Records, clock: Clock
) -> None:
    for n in range(9):
        records.write(record(clock, f"q{n}"))
        if n == 4:
            clock.pass_(seconds=1)
    seen, before = [], None
    for _ in range(5):
        page = answers(records, Filter(until=clock.at + timedelta(hours=1)), before, limit=2)
        seen += [one.question for one in page.items]
        before = page.next
    assert before is None and sorted(seen) == [f"q{n}" for n in range(9)]
    assert set(seen[:4]) == {"q5", "q6", "q7", "q8"}


def test_the_legs_are_counted_over_the_last_answers_only(records: Records, clock: Clock) -> None:
    assert legs(records, 10) == Legs(Share(0, 0), Share(0, 0))
    made = record(clock)
    keyword_only = tuple(hit for hit in made.hits if hit.leg == "keyword")
    for hits in (made.hits, made.hits, keyword_only, keyword_only, ()):
        records.write(replace(record(clock), hits=hits))
        clock.pass_(seconds=1)
    assert legs(records, 10) == Legs(Share(4, 5), Share(2, 5))
    assert legs(records, 3) == Legs(Share(2, 3), Share(0, 3))
    assert legs(records, 3, "yunti") == Legs(Share(0, 0), Share(0, 0))


def test_documents_that_nobody_cites_are_named_in_the_order_given(records: Records, clock: Clock) -> None:
    sources = ["s04", "s03", "s02", "s01"]
    assert never_cited(records, "shop", sources) == tuple(sources)
    records.write(record_of(answer(cited=1), Viewer(), now=clock))
    assert never_cited(records, "shop", sources) == ("s04", "s03", "s01"), "in the context is not cited"
    assert never_cited(records, "yunti", sources) == tuple(sources)
    assert never_cited(records, "shop", sources, since=NOON + timedelta(seconds=1)) == tuple(sources)
    assert never_cited(records, "shop", sources, until=NOON + timedelta(seconds=1)) == ("s04", "s03", "s01")


def test_conversations_are_listed_by_their_last_turn_to_their_own_viewer(records: Records, clock: Clock) -> None:
    for conversation, question in (("c1", "  退款\n几天到账？"), ("c2", "发" * 60), ("c1", "那运费呢")):
        records.write(record(clock, question, conversation_id=conversation))
        clock.pass_(minutes=1)
    records.write(record(clock, "别人的", viewer="小李", conversation_id="c3"))
    first, second = conversations(records, "小王")
    assert (first.id, first.title, first.turns) == ("c1", "退款 几天到账？", 2)
    assert (first.created, first.last) == (NOON, NOON + timedelta(minutes=2))
    assert (second.id, second.turns, len(second.title)) == ("c2", 1, 40) and second.title.endswith("…")
    assert [one.id for one in conversations(records, "小李")] == ["c3"]
    assert [one.id for one in conversations(records, "小王", limit=1)] == ["c1"]


def test_a_conversation_is_taken_up_again_with_all_that_its_answers_rest_on(records: Records, clock: Clock) -> None:
    made = [record(clock, f"问题 {n}", conversation_id="c1") for n in range(3)]
    for one in made:
        records.write(one)
    again = turns(Records(records.path, 90, clock), "c1", "小王")
    assert again == tuple(replace(one, turn=n) for n, one in enumerate(made, start=1))
    assert turns(records, "c1", "小李") == () == turns(records, "c9", "小王")


def test_a_conversation_is_renamed_and_deleted_by_its_own_viewer_only(records: Records, clock: Clock) -> None:
    made = record(clock, conversation_id="c1")
    records.write(made)
    for attempt in (lambda: rename(records, "c1", "小李", "我的"), lambda: delete(records, "c1", "小李")):
        with pytest.raises(ViewError, match="c1"):
            attempt()
    with pytest.raises(ViewError, match="空"):
        rename(records, "c1", "小王", " \n ")
    rename(records, "c1", "小王", "退款'); DROP TABLE answers; --")
    assert conversations(records, "小王")[0].title == "退款'); DROP TABLE answers; --"
    delete(records, "c1", "小王")
    assert conversations(records, "小王") == () == turns(records, "c1", "小王")
    assert count(records, Filter()) == 1, "the ledgers keep the answer"
    with pytest.raises(ViewError):
        delete(records, "c1", "小王")
    records.write(record(clock, conversation_id="c1"))
    assert conversations(records, "小王") == (), "another turn does not bring it back"


def test_a_ticket_comes_back_as_it_was_and_is_closed_and_reopened(records: Records, clock: Clock) -> None:
    made = record(clock, conversation_id="c1")
    records.write(made)
    handed = ticket_of(made, "“没有”\n说清楚", [Said("问\ud83d", "答")], "waiting", clock)
    assert hand_over(records, handed) is None
    assert ticket(records, handed.id) == handed
    told(records, handed.id, "sent")
    clock.pass_(hours=1)
    close(records, handed.id)
    clock.pass_(hours=1)
    close(records, handed.id)
    closed = replace(handed, webhook="sent", status="closed", closed=NOON + timedelta(hours=1))
    assert ticket(records, handed.id) == closed, "closed once"
    assert tickets(records, status="open").items == () and tickets(records, status="closed").items == (closed,)
    reopen(records, handed.id)
    assert ticket(records, handed.id) == replace(closed, status="open", closed=None)
    for attempt in (close, reopen):
        with pytest.raises(ViewError, match="t9"):
            attempt(records, "t9")
    assert ticket(records, "t9") is None


def test_tickets_are_listed_page_by_page_and_by_collection(records: Records, clock: Clock) -> None:
    for n in range(5):
        clock.pass_(seconds=1)
        hand_over(records, replace(ticket_of(record(clock, f"q{n}"), "", now=clock), collection=f"c{n % 2}"))
    first = tickets(records, limit=3)
    assert [one.question for one in first.items] == ["q4", "q3", "q2"]
    assert all(one.answer_id is None for one in first.items), "their answers were never written"
    rest = tickets(records, before=first.next, limit=3)
    assert [one.question for one in rest.items] == ["q1", "q0"] and rest.next is None
    assert [one.question for one in tickets(records, collection="c1").items] == ["q3", "q1"]
