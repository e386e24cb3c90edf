"""Answers written and read back whole, feedback, threads, and answers that are not to be kept."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.errors import RecordsError
from kaijuan.records.read import answer, answers, count
from kaijuan.records.store import Records
from kaijuan.records.types import Feedback, Filter
from kaijuan.types import Notice
from tests.records.made import NOON, Clock, record, rows, whole, written


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def records(tmp_path: Path, clock: Clock) -> Records:
    return Records(tmp_path / "data" / "records.sqlite", days=90, now=clock)


def test_an_answer_comes_back_as_it_was_written(records: Records, clock: Clock) -> None:
    made = record(
        clock,
        "退款\n几天到账？🧾 “引号”；'; DROP TABLE answers; --",
        missing=("SF-9000", "保修"),
        notices=(Notice("embed", "没有可用的嵌入模型。"),),
        incomplete=True,
        weak=True,
        price=0.25,
        unsupported=0,
    )
    assert records.write(made) is None
    assert answer(records, made.id) == made
    again = Records(records.path, days=90, now=clock)
    assert answer(again, made.id) == made, "another reader sees it"
    assert answer(records, "nothing") is None and whole(records.path)


def test_nothing_is_unknown_that_was_none_and_zero_stays_zero(records: Records, clock: Clock) -> None:
    unknown = record(clock, input_tokens=None, output_tokens=None, price=None, first_text_seconds=None)
    free = record(clock, input_tokens=0, output_tokens=0, price=0.0, first_text_seconds=0.0)
    for made in (unknown, free):
        records.write(made)
    assert (read := answer(records, unknown.id)) is not None and read.price is None and read.input_tokens is None
    assert (read := answer(records, free.id)) is not None and read.price == 0.0 and read.input_tokens == 0


def test_a_half_surrogate_pair_of_a_stream_costs_no_record(records: Records, clock: Clock) -> None:
    made = replace(record(clock), question="退款\ud83d", text="三天\udcff[1]", missing=("\ud83d",))
    assert records.keep(made) is None
    read = answer(records, made.id)
    assert read is not None and (read.question, read.text, read.missing) == ("退款?", "三天?[1]", ("?",))


def test_what_no_table_can_hold_is_a_notice_and_leaves_nothing_behind(records: Records, clock: Clock) -> None:
    whole_one = record(clock)
    records.write(whole_one)
    notice = records.keep(record(clock, output_tokens=10**30))
    assert notice is not None and notice.stage == "records" and notice.text.endswith("。")
    # The answer goes in, its second row of context does not: neither is there.
    twice = (*whole_one.context, whole_one.context[0])
    assert records.keep(record(clock, context=twice)) is not None
    assert count(records, Filter()) == 1 and rows(records.path, "hits") == len(whole_one.hits)
    assert rows(records.path, "context") == len(whole_one.context)


def test_the_last_thumb_counts_and_can_be_taken_back(records: Records, clock: Clock) -> None:
    made = record(clock)
    records.write(made)
    records.rate(made.id, "up")
    clock.pass_(seconds=5)
    records.rate(made.id, "down", "日期旧了")
    read = answer(records, made.id)
    assert read is not None and read.feedback == Feedback("down", "日期旧了", clock.at)
    records.unrate(made.id)
    records.unrate(made.id)
    assert (read := answer(records, made.id)) is not None and read.feedback is None


def test_feedback_on_an_answer_that_is_not_there_is_told_in_one_sentence(records: Records) -> None:
    with pytest.raises(RecordsError) as caught:
        records.rate("nothing", "up")
    assert caught.value.kind == "missing" and str(caught.value).count("。") == 1


def test_a_conversation_counts_its_turns_and_belongs_to_its_viewer(records: Records, clock: Clock) -> None:
    made = [record(clock, f"问题 {n}", conversation_id="c1") for n in range(3)]
    for one in made:
        records.write(one)
    assert [read.turn for one in made if (read := answer(records, one.id))] == [1, 2, 3]
    notice = records.keep(record(clock, conversation_id="c1", viewer="另一位"))
    assert notice is not None and "另一位用户" in notice.text
    assert count(records, Filter(conversation_id="c1")) == 3


def test_with_no_days_nothing_at_all_is_written(tmp_path: Path, clock: Clock) -> None:
    records = Records(tmp_path / "data" / "records.sqlite", days=0, now=clock)
    assert records.keep(record(clock)) is None and list(tmp_path.iterdir()) == []
    assert answers(records, Filter()).items == ()


def test_threads_write_at_the_same_time_and_lose_nothing(records: Records) -> None:
    ids: dict[str, list[str]] = {f"t{n}": [] for n in range(8)}
    threads = [
        threading.Thread(target=lambda n=name: ids[n].extend(written(records, 25, n)), daemon=True) for name in ids
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: len(made) for name, made in ids.items()} == dict.fromkeys(ids, 25)
    assert count(records, Filter()) == 200 and whole(records.path)


def test_a_thread_may_read_while_another_writes_and_sees_no_half(records: Records, clock: Clock) -> None:
    begun, done = threading.Event(), threading.Event()
    made = record(clock)
    records.write(made)

    def slowly() -> None:
        def work(db: object) -> None:
            begun.set()
            done.wait(30)

        records.change(work)

    writer = threading.Thread(target=slowly, daemon=True)
    writer.start()
    assert begun.wait(30)
    assert answer(records, made.id) == made
    done.set()
    writer.join()


def test_the_answers_stay_when_the_file_is_opened_anew(records: Records, clock: Clock) -> None:
    made = record(clock)
    records.write(made)
    records.close()
    assert answer(records, made.id) == made


def test_a_file_deleted_by_hand_is_begun_anew_and_its_old_log_is_no_part_of_it(records: Records, clock: Clock) -> None:
    for n in range(5):
        records.write(record(clock, f"问题 {n}"))
    records.path.unlink()
    made = record(clock)
    assert records.keep(made) is None
    assert answers(records, Filter()).items == (replace(made, hits=(), context=(), stages=()),)
    assert whole(records.path) and made.at == NOON
