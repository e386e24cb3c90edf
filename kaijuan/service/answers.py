"""An answer for the API: as a whole, or as server-sent events while it is made. Either way it is kept in the records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from kaijuan.answering.types import Event, Finished, Piece, Retrieved
from kaijuan.service.as_json import Json, answer_json, encoded, retrieved_json
from kaijuan.service.body import Wanted
from kaijuan.service.faults import status_and_sentence
from kaijuan.service.replies import JSON, error_reply
from kaijuan.service.seats import Seats
from kaijuan.service.working import ClientGone, Line, in_thread, while_connected
from kaijuan.types import Viewer
from kaijuan.wiring import Services

EVENTS = "text/event-stream"
#: A proxy between must neither keep an answer nor hold back its pieces.
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

#: For answers that are composed: were all composed at once, what has only begun, and takes a few milliseconds until its
#: passages are there, would wait for each of them again and again.
_SEATS = Seats(max(2, os.cpu_count() or 1))


def make_answer(
    services: Services, wanted: Wanted, viewer: Viewer, hear: Callable[[Event], None], check: Callable[[], None]
) -> bytes:
    """Answer and keep the answer; its JSON. `hear` is told every event; it and `check` may end the work by raising.

    Raises KaijuanError, before the first event or, where a source of the answer fails, behind it.
    """
    check()
    events = services.ask(wanted.question, wanted.collection, viewer, wanted.earlier)
    try:
        hear(next(events))
        # A model's words are only waited for.
        with _SEATS.taken(check) if services.chat is None else nullcontext():
            return _follow(services, viewer, events, hear)
    finally:
        _close(events)


def _follow(services: Services, viewer: Viewer, events: Iterator[Event], hear: Callable[[Event], None]) -> bytes:
    for event in events:
        hear(event)
        if isinstance(event, Finished):
            record, notice = services.keep(event.answer, viewer, None)
            kept = notice is None and services.records is not None and services.records.days > 0
            return encoded(answer_json(event.answer, record if kept else None, notice))
    raise RuntimeError("the events ended without an answer")


def _close(events: Iterator[Event]) -> None:
    """End a generator where it stands, so that the request to a model ends too."""
    close = getattr(events, "close", None)
    if close is not None:
        close()


class WholeAnswer:
    """The answer as one JSON object, as an ASGI response."""

    def __init__(self, services: Services, wanted: Wanted, viewer: Viewer) -> None:
        self._asking = services, wanted, viewer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; nothing is sent to a client that has gone."""
        line = Line()

        def work() -> bytes:
            return make_answer(*self._asking, lambda event: line.check(), line.check)

        async def answer() -> None:
            reply: Response
            try:
                reply = Response(await in_thread(work), media_type=JSON)
            except ClientGone:
                return
            except Exception as error:  # no traceback may reach the client
                reply = error_reply(error)
            await reply(scope, receive, send)

        await while_connected(receive, line, answer)


class StreamedAnswer:
    """The answer as events `retrieved`, `piece` … and `finished`, or `error` where it breaks off, as an ASGI response.

    What goes wrong before the first event is an HTTP status, as for a whole answer.
    """

    def __init__(self, services: Services, wanted: Wanted, viewer: Viewer) -> None:
        self._asking = services, wanted, viewer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a client that goes away ends the work."""
        line = Line()

        def hear(event: Event) -> None:
            line.check()
            if not isinstance(event, Finished):
                line.say(sent_event(event))

        def work() -> None:
            line.say(_as_event("finished", make_answer(*self._asking, hear, line.check)))

        async def answer() -> None:
            await _converse(scope, receive, send, line, work)

        await while_connected(receive, line, answer)


async def _converse(scope: Scope, receive: Receive, send: Send, line: Line, work: Callable[[], None]) -> None:
    """Send on what the work says as it says it."""

    async def working() -> None:
        try:
            await in_thread(work)
        except ClientGone:
            pass
        except Exception as error:  # no traceback may reach the client
            if not line.spoke:
                await error_reply(error)(scope, receive, send)
            else:
                with suppress(ClientGone):
                    line.say(_as_event("error", encoded({"error": status_and_sentence(error)[1]})))
        line.end()

    async with anyio.create_task_group() as group:
        group.start_soon(working)
        part = await line.heard()
        if part is None:
            return
        await send(_beginning())
        while part is not None:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            part = await line.heard()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def sent_event(event: Event) -> bytes:
    """A server-sent event; a finished answer is not one of these, since it has to be kept first."""
    name, data = _named(event)
    return _as_event(name, encoded(data))


def _named(event: Event) -> tuple[str, Json]:
    if isinstance(event, Retrieved):
        return "retrieved", retrieved_json(event.trace)
    if isinstance(event, Piece):
        return "piece", {"text": event.text}
    raise TypeError(f"{type(event).__name__} is not sent as it is")


def _as_event(name: str, data: bytes) -> bytes:
    return b"event: " + name.encode("ascii") + b"\ndata: " + data + b"\n\n"


def _beginning() -> dict[str, object]:
    headers = {"Content-Type": f"{EVENTS}; charset=utf-8", **_HEADERS}
    pairs = [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    return {"type": "http.response.start", "status": 200, "headers": pairs}
