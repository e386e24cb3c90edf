"""Seats are given in order, never twice, and come back from whoever gives up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from kaijuan.service.seats import Seats


def patient() -> None:
    """Somebody who never gives up."""


def in_threads(*works: Callable[[], None]) -> list[threading.Thread]:
    """Threads that begin one after the other, each far enough to stand in the queue."""
    threads = []
    for work in works:
        threads.append(threading.Thread(target=work))
        threads[-1].start()
        time.sleep(0.03)
    return threads


def test_who_comes_first_is_seated_first() -> None:
    seats, order = Seats(1), list[int]()

    def work(number: int) -> None:
        with seats.taken(patient):
            order.append(number)

    with seats.taken(patient):
        threads = in_threads(*[lambda n=number: work(n) for number in range(5)])
        assert order == []
    for thread in threads:
        thread.join(5)
    assert order == list(range(5))


def test_never_more_are_seated_than_there_are_seats() -> None:
    seats, lock, seated, most = Seats(2), threading.Lock(), 0, 0

    def work() -> None:
        nonlocal seated, most
        for _ in range(20):
            with seats.taken(patient):
                with lock:
                    seated += 1
                    most = max(most, seated)
                time.sleep(0.02)
                with lock:
                    seated -= 1

    for thread in in_threads(*[work] * 6):
        thread.join(10)
    assert (seated, most) == (0, 2)


def test_who_gives_up_leaves_no_gap() -> None:
    seats = Seats(1)

    class GivenUp(Exception):
        pass

    def give_up() -> None:
        raise GivenUp

    with seats.taken(patient), pytest.raises(GivenUp), seats.taken(give_up):
        raise AssertionError("there was no seat")
    with pytest.raises(ZeroDivisionError), seats.taken(give_up):
        raise ZeroDivisionError
    with seats.taken(give_up):
        assert True
