"""What a client is told when something goes wrong: a status and one sentence, never a traceback."""

from __future__ import annotations

import logging
import secrets

from kaijuan.errors import CollectionNotFound, KaijuanError, QuestionError, ViewError

_log = logging.getLogger("kaijuan.service")


class Refused(Exception):
    """A request that is turned away, with its HTTP status and the headers that belong to it."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = headers or {}


def status_and_sentence(error: Exception) -> tuple[int, str]:
    """HTTP status and sentence of an error; an unexpected one goes to the log with its traceback and a trace id."""
    if isinstance(error, Refused):
        return error.status, str(error)
    if isinstance(error, QuestionError):
        return 400, str(error)
    if isinstance(error, CollectionNotFound | ViewError):
        return 404, str(error)
    if isinstance(error, KaijuanError):
        return 503, str(error)
    trace_id = secrets.token_hex(4)
    _log.error("trace %s: %s", trace_id, type(error).__name__, exc_info=error)
    return 500, f"服务出了意外的问题，请把编号 {trace_id} 告诉管理员，他能在日志里查到原因。"
