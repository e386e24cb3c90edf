"""What is served beside the pages: /healthz, /readyz, /metrics and the JSON API under /api."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from kaijuan.service.api import Supplier, api_routes
from kaijuan.service.exposition import CONTENT_TYPE
from kaijuan.service.faults import status_and_sentence
from kaijuan.service.health import failed, readiness
from kaijuan.service.metrics import metrics_text
from kaijuan.service.replies import json_reply


def service_routes(services: Supplier) -> list[BaseRoute]:
    """All routes over one set of services, which is asked for with every request."""
    return [
        Route("/healthz", _alive),
        Route("/readyz", _in_pool(lambda: _ready(services))),
        Route("/metrics", _in_pool(lambda: _metrics(services))),
        api_routes(services),
    ]


async def _alive(request: Request) -> Response:
    """The process answers, whatever it can answer."""
    return PlainTextResponse("ok\n")


def _ready(services: Supplier) -> Response:
    try:
        parts = readiness(services())
    except Exception as error:  # no traceback may reach the client
        parts = [failed("services", error)]
    ready = all(part.ok for part in parts)
    return json_reply({"ready": ready, "parts": [part.as_json() for part in parts]}, 200 if ready else 503)


def _metrics(services: Supplier) -> Response:
    try:
        return Response(metrics_text(services()), headers={"Content-Type": CONTENT_TYPE})
    except Exception as error:  # no traceback may reach the client
        status, sentence = status_and_sentence(error)
        return PlainTextResponse(f"# {sentence}\n", status)


def _in_pool(reply: Callable[[], Response]) -> Callable[[Request], Response]:
    """An endpoint that starlette runs in the threads of its pool, because it reads files or asks a server."""

    def endpoint(request: Request) -> Response:
        return reply()

    return endpoint
