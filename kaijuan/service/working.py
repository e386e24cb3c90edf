"""Blocking work in threads of the API's own, so that neither pages nor probes wait for it; a client's leaving stops it.

The thread says what it has through a `Line`; the event loop sends it on.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple, Unpack

import anyio
from anyio import to_thread
from starlette.types import Receive

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

#: Questions that are worked on at the same time; more wait for their turn. A model's words are waited for in a thread.
THREADS = 32
_THREADS = anyio.CapacityLimiter(THREADS)


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


class Line:
    """From the working thread to the event loop that made it; `None` is the end of what is said."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._gone = threading.Event()
        self._spoke = False

    @property
    def spoke(self) -> bool:
        """Whether anything was said."""
        return self._spoke

    def hang_up(self) -> None:
        """Let the thread know that nobody listens."""
        self._gone.set()

    def check(self) -> None:
        """For the thread: raises ClientGone when nobody listens."""
        if self._gone.is_set():
            raise ClientGone

    def say(self, part: bytes) -> None:
        """Say something; raises ClientGone when nobody listens."""
        self.check()
        self._spoke = True
        self._loop.call_soon_threadsafe(self._queue.put_nowait, part)

    def end(self) -> None:
        """Nothing more will be said; comes behind all that was."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, None)

    async def heard(self) -> bytes | None:
        """All that has been said since, waiting for something; None at the end."""
        part = await self._queue.get()
        if part is None:
            return None
        parts = [part]
        while not self._queue.empty():
            more = self._queue.get_nowait()
            if more is None:
                self._queue.put_nowait(None)
                break
            parts.append(more)
        return b"".join(parts)


async def in_thread(work: Callable[[Unpack[Arguments]], Result], *arguments: *Arguments) -> Result:
    """What the work returns, or raises, from a thread of its own."""
    return await to_thread.run_sync(work, *arguments, limiter=_THREADS)


async def while_connected(receive: Receive, line: Line, work: Callable[[], Awaitable[None]]) -> None:
    """Do the work, and hang up when the client disconnects in the meantime."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        line.hang_up()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        await work()
        group.cancel_scope.cancel()
