"""An answer in a thread of its own: its events, its errors, and how it ends when nobody waits any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from kaijuan.answering.aside import Aside
from kaijuan.answering.broken_off import STOPPED, SoFar
from kaijuan.answering.types import Event, Finished, Piece, Retrieved
from kaijuan.errors import ModelFailed, QuestionError
from kaijuan.models.base import Ended
from tests.models.scripted_server import Reply, piece, stream
from tests.models.services import ASKED, chatting
from tests.records.made import answer

#: Seconds after which what should have come at once is given up.
PATIENCE = 20.0


def test_events_come_in_order_and_silence_is_told() -> None:
    given = [Retrieved(answer().trace), Piece("三天"), Finished(answer())]
    go_on = threading.Event()

    def slowly() -> Iterator[Event]:
        yield from given[:2]
        go_on.wait(PATIENCE)
        yield given[2]

    came = []
    for event in Aside(slowly).events(0.01):
        if event is None:
            go_on.set()
        else:
            came.append(event)
    assert came == given and go_on.is_set()


@pytest.mark.parametrize("late", [False, True])
def test_an_error_comes_where_the_events_are_read(late: bool) -> None:
    def failing() -> Iterator[Event]:
        if not late:
            raise QuestionError("问题是空的，请输入问题。")

        def events() -> Iterator[Event]:
            yield Piece("三天")
            raise QuestionError("问题是空的，请输入问题。")

        return events()

    with pytest.raises(QuestionError):
        list(Aside(failing).events(1.0))


def test_broken_off_it_ends_at_its_next_event() -> None:
    went_on, closed = threading.Event(), threading.Event()

    def events() -> Iterator[Event]:
        try:
            yield Piece("一")
            went_on.wait(PATIENCE)
            yield Piece("二")
            raise AssertionError("nobody asked for more")
        finally:
            closed.set()

    aside = Aside(events)
    came = aside.events(0.01)
    assert next(came) == Piece("一")
    aside.break_off()
    went_on.set()
    assert closed.wait(PATIENCE)
    assert [event for event in came if event is not None] == []


@pytest.mark.parametrize(
    "reply",
    [
        stream([piece("三天内到账。")], end="silent"),
        stream([piece("")], end="silent"),  # before the first word, where a call is worth repeating otherwise
    ],
)
def test_a_silent_service_is_left_at_once_and_not_asked_again(reply: Reply) -> None:
    with chatting(reply, timeout=3 * PATIENCE, retries=2) as (chat, server):
        ended: list[object] = []

        def events() -> Iterator[Event]:
            try:
                for said in chat.stream(ASKED, 50):
                    if isinstance(said, Ended):
                        ended.append(said)
                    else:
                        yield Piece(said)
            except ModelFailed as error:
                ended.append(error)
                raise

        aside = Aside(events)
        came = aside.events(0.05)
        _until(lambda: len(server.requests) == 1)
        assert next(came) in (None, Piece("三天内到账。"))
        before = time.monotonic()
        aside.break_off()
        assert server.left.wait(PATIENCE), "the connection ends although nothing more is sent over it"
        assert time.monotonic() - before < PATIENCE
        _until(lambda: bool(ended))
        assert len(server.requests) == 1


def test_what_came_before_the_stop_says_that_it_is_not_whole() -> None:
    whole = answer("退款几天到账？")
    so_far = SoFar("几天到账？")
    assert so_far.stopped(0.1) is None
    so_far.take(Retrieved(whole.trace))
    assert so_far.stopped(0.1) is None, "nothing was said yet"
    numbers = {candidate.chunk.id: number for number, candidate in whole.trace.numbered().items()}
    first, second = (numbers[source.chunk.id] for source in whole.sources)
    so_far.take(Piece("退款三天到账[1]。", (second,), "m"))
    so_far.take(Piece("有的写七", (second, first), "m"))
    stopped = so_far.stopped(0.5)
    assert stopped is not None and stopped.incomplete and not stopped.refused
    assert stopped.text == "退款三天到账[1]。有的写七" and stopped.notices[-1].text == STOPPED
    assert [s.chunk.id for s in stopped.sources] == [whole.sources[1].chunk.id, whole.sources[0].chunk.id]
    assert (stopped.model, stopped.answerer, stopped.checked) == ("m", "openai", None)
    assert (stopped.question, stopped.completed) == ("几天到账？", "退款几天到账？")


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
