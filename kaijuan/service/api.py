"""The JSON API: `POST /api/search` gives a trace, `POST /api/ask` an answer, both under the key of the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kaijuan.service.access import viewer_of
from kaijuan.service.answers import EVENTS, StreamedAnswer, WholeAnswer
from kaijuan.service.as_json import encoded, trace_json
from kaijuan.service.body import Wanted, read_body, wanted_of
from kaijuan.service.faults import Refused
from kaijuan.service.replies import JSON, error_reply
from kaijuan.service.working import in_thread
from kaijuan.types import Viewer
from kaijuan.wiring import Services

#: Gives the services that the pages use too; may have to build them first, so it is called in a thread.
Supplier = Callable[[], Services]
Task = Literal["search", "ask", ""]
#: The field that each task takes beside collection and question.
_OPTIONAL: dict[Task, str] = {"search": "size", "ask": "earlier"}


def api_routes(services: Supplier) -> Mount:
    """Everything under /api."""
    tasks: list[tuple[str, Task]] = [("/search", "search"), ("/ask", "ask"), ("/{rest:path}", "")]
    return Mount("/api", routes=[Route(path, endpoint=Endpoint(services, task)) for path, task in tasks])


class Endpoint:
    """One address of the API as an ASGI app; "" is every address that does not exist."""

    def __init__(self, services: Supplier, task: Task) -> None:
        self._services = services
        self._task = task

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reply; whatever goes wrong is one sentence."""
        request = Request(scope, receive)
        reply: ASGIApp
        try:
            reply = await self._reply(request)
        except ClientDisconnect:
            return
        except Exception as error:  # no traceback may reach the client
            reply = error_reply(error)
        await reply(scope, receive, send)

    async def _reply(self, request: Request) -> ASGIApp:
        services = await in_thread(self._services)
        viewer = viewer_of(request.headers.get("authorization", ""), services.settings)
        if not self._task:
            raise Refused(404, "没有这个接口，请使用 POST /api/search 或 POST /api/ask。")
        if request.method != "POST":
            raise Refused(405, f"接口不接受 {request.method[:10]}，请用 POST。", {"Allow": "POST"})
        wanted = wanted_of(await read_body(request), _OPTIONAL[self._task])
        if self._task == "search":
            return Response(await in_thread(_search, services, wanted, viewer), media_type=JSON)
        if EVENTS in request.headers.get("accept", ""):
            return StreamedAnswer(services, wanted, viewer)
        return WholeAnswer(services, wanted, viewer)


def _search(services: Services, wanted: Wanted, viewer: Viewer) -> bytes:
    """A trace as JSON; nothing is answered, so nothing is kept."""
    collection = services.collection(wanted.collection)
    options = services.options(collection)
    if wanted.size is not None:
        options = replace(options, leg_size=wanted.size)
    return encoded(trace_json(services.trace(wanted.question, collection, viewer, options)))
