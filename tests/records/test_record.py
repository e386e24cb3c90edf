"""What is kept of an answer, what it cost, and the ids and hashes that go with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import SecretStr

from kaijuan.records.fingerprint import settings_hash
from kaijuan.records.moments import from_text, new_id, to_text
from kaijuan.records.price import price_of
from kaijuan.records.record import record_of, ticket_of
from kaijuan.records.types import ContextRecord, HitRecord, Ledger, Prices, Said, StageRecord, TicketChunk
from kaijuan.types import Notice, StageTime, Viewer
from tests.records.made import NOON, Clock, answer

ASKED = Ledger(model="gpt-x", prompt="p3", input_tokens=1000, output_tokens=200)
VIEWER = Viewer("小王", frozenset({"finance"}))


def test_a_record_says_what_the_answer_and_its_trace_say() -> None:
    made = record_of(answer(), VIEWER, conversation_id="c1", settings_hash="abc", now=Clock())
    assert (made.at, made.question, made.asked) == (NOON, "退款几天到账？", "退款几天到账？")
    assert (made.collection, made.version, made.viewer) == ("shop", "v0001", "小王")
    assert (made.conversation_id, made.turn, made.settings_hash) == ("c1", 0, "abc")
    assert (made.refused, made.cited, made.invented, made.empty, made.weak) == (None, 2, 0, False, False)
    assert made.hits[:2] == (HitRecord("keyword", 1, 1.0, "s02#0"), HitRecord("keyword", 2, 1.0, "s01#1"))
    assert [(h.leg, h.rank) for h in made.hits] == [(leg, r) for leg in ("keyword", "vector") for r in (1, 2, 3)]
    assert made.context == (
        ContextRecord(1, "s03#0", "s03", "杂项", 3, None, 0, cited=0),
        ContextRecord(2, "s01#1", "s01", "售后政策", 2, None, 0, cited=2, updated="2026-10"),
        ContextRecord(3, "s02#0", "s02", "退款说明", 1, None, 0, cited=1, updated="2026-11-20"),
    )


def test_what_an_answer_took_beyond_retrieval_is_a_stage_and_a_stage_told_twice_is_one() -> None:
    made = answer(seconds=0.3)
    twice = replace(made.trace, stages=(*made.trace.stages, StageTime("search", 0.01)))
    stages = record_of(replace(made, trace=twice), VIEWER, now=Clock()).stages
    assert [stage.stage for stage in stages] == ["embed", "search", "answer"]
    assert [stage.seconds for stage in stages] == pytest.approx([0.02, 0.04, 0.24])
    own = replace(made.trace, stages=(StageTime("answer", 0.1),))
    assert record_of(replace(made, trace=own), VIEWER, now=Clock()).stages == (StageRecord("answer", 0.1),)


def test_a_refusal_is_no_answer_without_citations_and_an_answer_without_any_is() -> None:
    refused = record_of(answer(refused=True), VIEWER, now=Clock())
    assert (refused.refused, refused.explanation[:2], refused.empty) == ("off_topic", "问题", False)
    bare = record_of(replace(answer(cited=0), removed=(7, 9), notices=(Notice("embed", "没有"),)), VIEWER, now=Clock())
    assert (bare.empty, bare.invented, bare.notices) == (True, 2, (Notice("embed", "没有"),))


def test_what_the_answer_does_not_say_comes_from_the_ledger() -> None:
    ledger = replace(ASKED, asked="SF-3000 的退款几天到账？", first_text_seconds=0.4, incomplete=True, unsupported=1)
    made = record_of(replace(answer(), answerer="openai"), VIEWER, ledger, Prices(2.0, 8.0), now=Clock())
    assert (made.model, made.prompt, made.input_tokens, made.output_tokens) == ("gpt-x", "p3", 1000, 200)
    assert (made.asked, made.first_text_seconds, made.incomplete) == (ledger.asked, 0.4, True)
    assert (made.unsupported, made.uncited) == (1, None)
    assert made.price == pytest.approx((1000 * 2.0 + 200 * 8.0) / 1_000_000)


@pytest.mark.parametrize(
    ("tokens", "prices", "price"),
    [
        ((1_000_000, 500_000), Prices(1.5, 4.0), 3.5),
        ((100, 100), Prices(1.5, None), None),
        ((100, 100), Prices(None, 4.0), None),
        ((100, 100), Prices(), None),
        ((100, 100), Prices(0.0, 0.0), 0.0),
        ((None, 100), Prices(1.5, 4.0), None),
        ((100, None), Prices(1.5, 4.0), None),
        ((None, None), Prices(1.5, 4.0), None),
        ((100, 0), Prices(1.0, None), 0.0001),
        ((0, 0), Prices(), 0.0),
    ],
)
def test_a_price_is_unknown_as_soon_as_a_part_of_it_is(
    tokens: tuple[int | None, int | None], prices: Prices, price: float | None
) -> None:
    assert price_of(*tokens, prices) == (None if price is None else pytest.approx(price))


def test_an_answer_that_no_model_worded_is_known_to_cost_nothing_and_a_silent_server_unknown() -> None:
    assert record_of(answer(), VIEWER, prices=Prices(), now=Clock()).price == 0.0
    silent = record_of(replace(answer(), answerer="openai"), VIEWER, Ledger(model="gpt-x"), Prices(1, 1), now=Clock())
    assert (silent.input_tokens, silent.output_tokens, silent.price) == (None, None, None)
    # A rewritten question costs, although sentences of the sources made the answer.
    rewritten = record_of(answer(), VIEWER, Ledger(input_tokens=500, output_tokens=10), Prices(2.0, 4.0), now=Clock())
    assert rewritten.price == pytest.approx(0.00104)


def test_a_ticket_names_the_best_passages_with_their_ranks() -> None:
    made = record_of(answer(), VIEWER, replace(ASKED, asked="改写的"), conversation_id="c1", now=Clock())
    keyword_only = replace(made, hits=tuple(hit for hit in made.hits if hit.leg == "keyword" or hit.rank == 2))
    ticket = ticket_of(keyword_only, "没有说清楚", [Said("你好", "你好")], "waiting", Clock())
    assert (ticket.question, ticket.asked, ticket.reason) == ("退款几天到账？", "改写的", "没有说清楚")
    assert (ticket.answer_id, ticket.conversation_id, ticket.viewer) == (made.id, "c1", "小王")
    assert (ticket.status, ticket.webhook, ticket.transcript) == ("open", "waiting", (Said("你好", "你好"),))
    assert ticket.chunks == (
        TicketChunk("s02#0", "退款说明", 1, 1, None),
        TicketChunk("s01#1", "售后政策", 2, 2, 2),
        TicketChunk("s03#0", "杂项", 3, 3, None),
    )


def test_ids_sort_by_their_time_and_never_repeat() -> None:
    moments = [NOON + timedelta(milliseconds=step) for step in range(300)]
    ids = [new_id(moment) for moment in moments]
    assert ids == sorted(ids) and {len(made) for made in ids} == {26}
    assert len({new_id(NOON) for _ in range(1000)}) == 1000
    assert new_id(datetime(1970, 1, 1, tzinfo=UTC))[:10] == "0" * 10
    # 50 bits of 32 digits hold the 48 of the milliseconds exactly.
    assert new_id(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=33))[:10] == "0" * 8 + "11"


def test_times_are_written_in_utc_and_only_with_a_zone() -> None:
    beijing = timezone(timedelta(hours=8))
    assert to_text(datetime(2026, 12, 1, 0, 30, 0, 999_999, beijing)) == "2026-11-30T16:30:00.999Z"
    assert from_text("2026-11-30T16:30:00.999Z") == datetime(2026, 11, 30, 16, 30, 0, 999_000, UTC)
    with pytest.raises(ValueError, match="time zone"):
        to_text(datetime(2026, 12, 1))


def test_the_hash_of_the_settings_changes_with_them_and_takes_no_secret() -> None:
    first = settings_hash({"rrf_k": 60, "reranker": "feature"})
    assert first == settings_hash({"reranker": "feature", "rrf_k": 60}) and len(first) == 64
    assert first != settings_hash({"rrf_k": 61, "reranker": "feature"})
    with pytest.raises(ValueError, match="openai_api_key"):
        settings_hash({"openai_api_key": "x"})
    with pytest.raises(TypeError):
        settings_hash({"openai": SecretStr("x")})
