"""A limit on the whole of a call, which no time-out of a socket is: those begin anew with every byte that comes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """What the call returns or raises; TimeoutError after `seconds`, the name's look-up and all else included.

    The call goes on in its own thread then and nobody waits for it, so it must come to an end by itself.
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # whatever it is, it belongs to who waits
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="kaijuan-within").start()
    return future.result(timeout=seconds)
