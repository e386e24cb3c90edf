"""Responses that every route shares: JSON, and an error as JSON with one sentence."""

from __future__ import annotations

from starlette.responses import Response

from kaijuan.service.as_json import Json, encoded
from kaijuan.service.faults import Refused, status_and_sentence

JSON = "application/json"


def json_reply(value: Json, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """The data as a response; what it says holds now and is kept by nobody between."""
    return Response(encoded(value), status, {"Cache-Control": "no-store", **(headers or {})}, media_type=JSON)


def error_reply(error: Exception) -> Response:
    """An error as `{"error": sentence}` with the status that belongs to it."""
    status, sentence = status_and_sentence(error)
    return json_reply({"error": sentence}, status, error.headers if isinstance(error, Refused) else None)
