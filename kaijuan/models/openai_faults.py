"""Every way in which an OpenAI-compatible service fails, as one sentence and its kind.

Servers agree on status codes at best: which fault it is stands in a code, a type or the words of a message, and each
gateway has its own. Anything unknown is "refused" (the server said no) or "odd" (it said nothing that makes sense).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

import httpx2
import openai

from kaijuan.errors import ModelFailed
from kaijuan.models.openai_service import CONNECT_SECONDS, Service

#: All that the client raises. The SDK lets through what goes wrong while it reads the body of an error or of a stream.
VENDOR_ERRORS = (openai.OpenAIError, httpx2.HTTPError, OSError, UnicodeDecodeError, ValueError)
#: Words and codes by which servers name a fault, whatever the status.
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|exceeds the available context size|maximum context length"
    r"|maximum (input|prompt) length|context window|(prompt|input)s? (is|are) too long|string_above_max_length"
    r"|range of input length|must have less than \d+ tokens|too large to process|超[出过].{0,12}(长度|上下文)",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(
    r"insufficient[ _](quota|balance|funds)|exceeded_current_quota|billing_(hard_limit|not_active)|arrearage"
    r"|account.?overdue|余额不足|欠费",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content_policy|data_inspection_failed|content exists risk|responsible ?ai|sensitive_content",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|model.{0,80}(does not exist|not exist|not found)|no such model|模型不存在", re.IGNORECASE
)
#: Characters of an error that are looked at for such words, and those that are shown.
_LOOKED_AT, _SHOWN = 4000, 120


def explain(error: BaseException, service: Service) -> ModelFailed:
    """The error as one sentence that never holds the key."""
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return _timed_out(error, service)
    if isinstance(error, openai.APIResponseValidationError):
        return odd(service)
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | OSError):
        return _unreachable(error, service)
    if isinstance(error, openai.APIError):
        return _refusal(error, service)
    return odd(service, "不是 JSON" if isinstance(error, ValueError) else "")


def said(error: openai.APIError) -> str:
    """What the server said with an error: message, code, type and whatever else its body holds, a page cut short."""
    return f"{error.message[:_LOOKED_AT]} {str(error.body)[:_LOOKED_AT]}"


def status_of(error: BaseException) -> int | None:
    """HTTP status of an error; one that came within a stream may bring it as its code."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code
    code = getattr(error, "code", None) or ""
    return int(code) if re.fullmatch(r"[45]\d\d", str(code)) else None


def retry_after(error: BaseException, now: datetime | None = None) -> float | None:
    """Seconds that the server asks to wait, None where it does not say."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return seconds / unit
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None


def _refusal(error: openai.APIError, service: Service) -> ModelFailed:
    """The fault that a server named, first by its words, then by the status."""
    host, model, words, status = service.host, service.model, said(error), status_of(error)
    shown = f"HTTP {status}" if status else "回答途中"
    if status == 401:
        return ModelFailed(f"模型服务 {host} 不接受密钥（HTTP 401），请检查 KAIJUAN_OPENAI_API_KEY。", "auth")
    if _TOO_LONG.search(words) or status == 413:
        return _too_long(service, shown)
    if _NO_MONEY.search(words) or status == 402:
        return ModelFailed(f"模型服务 {host} 的账户没有可用额度（{shown}），请充值或换一个密钥后重试。", "quota")
    if _FILTERED.search(words):
        return filtered(service)
    if status == 404 or (status in (400, 403) and _NO_MODEL.search(words)):
        return ModelFailed(
            f"模型服务 {host} 没有模型 {model}，或者地址不对（{shown}），请检查 {service.model_setting} 和 KAIJUAN_OPENAI_BASE_URL。",
            "no_model",
        )
    detail = _detail(error, service)
    if status == 403:
        return ModelFailed(
            f"模型服务 {host} 不允许这次请求（HTTP 403{detail}），请检查密钥的权限和所在地区。", "refused"
        )
    if status == 429:
        return ModelFailed(f"模型服务 {host} 太忙，没有接受请求（HTTP 429），请{_when(error)}再试。", "busy")
    if status == 408 or (status and status >= 500 and status != 501):
        return ModelFailed(f"模型服务 {host} 出错了（{shown}{detail}），请{_when(error)}再试。", "busy")
    return ModelFailed(
        f"模型服务 {host} 拒绝了对模型 {model} 的请求（{shown}{detail}），请检查 {service.model_setting} 和 KAIJUAN_OPENAI_BASE_URL。",
        "refused",
    )


def _too_long(service: Service, shown: str) -> ModelFailed:
    if service.purpose == "embedding":
        sentence = (
            f"要转成向量的文字超出模型 {service.model} 的长度上限（{shown}），请调小集合的 chunk_chars 或换一个模型。"
        )
    else:
        sentence = (
            f"问题和资料一起超出模型 {service.model} 的长度上限（{shown}），请调小 KAIJUAN_MODEL_CONTEXT_TOKENS。"
        )
    return ModelFailed(sentence, "too_long")


def filtered(service: Service) -> ModelFailed:
    """The failure of a request that the service's content filter stopped."""
    return ModelFailed(f"模型服务 {service.host} 的内容审核拦下了这次请求，请换一种问法。", "filtered")


def _timed_out(error: BaseException, service: Service) -> ModelFailed:
    if isinstance(error.__cause__, httpx2.ConnectTimeout) or isinstance(error, httpx2.ConnectTimeout):
        return ModelFailed(
            f"连不上模型服务 {service.host}（{CONNECT_SECONDS:g} 秒内没有应答），请检查 KAIJUAN_OPENAI_BASE_URL 和网络。",
            "unreachable",
        )
    return too_slow(service, service.timeout)


def too_slow(service: Service, seconds: float) -> ModelFailed:
    """The failure of a service that did not answer within so many seconds."""
    return ModelFailed(
        f"模型服务 {service.host} 在 {seconds:g} 秒内没有回答，请稍后再试或调大 KAIJUAN_OPENAI_TIMEOUT。", "timeout"
    )


def _unreachable(error: BaseException, service: Service) -> ModelFailed:
    reason = _short(str(error.__cause__ or error), service)
    return ModelFailed(
        f"连不上模型服务 {service.host}{f'（{reason}）' if reason else ''}，请检查 KAIJUAN_OPENAI_BASE_URL 和网络。",
        "unreachable",
    )


def odd(service: Service, what: str = "") -> ModelFailed:
    """The failure of an answer that came and is not what was asked for; `what` says how."""
    return ModelFailed(
        f"模型服务 {service.host} 的回答不是预期的格式{f'（{what}）' if what else ''}，请检查 KAIJUAN_OPENAI_BASE_URL 是否指向兼容接口（一般以 /v1 结尾）。",
        "odd",
    )


def _when(error: BaseException) -> str:
    seconds = retry_after(error)
    return f" {seconds:.0f} 秒后" if seconds and seconds >= 1 else "稍后"


def _detail(error: openai.APIError, service: Service) -> str:
    """What the server said, for people: its message, never a page of HTML."""
    body = error.body
    if isinstance(body, Mapping):
        body = next((body[key] for key in ("message", "msg", "detail", "error") if body.get(key)), "")
    text = _short(body, service) if isinstance(body, str) else ""
    return "" if not text or text.startswith("<") else f"：{text}"


def _short(text: str, service: Service) -> str:
    """A text of the service within a sentence of ours: one line, short, without full stops of its own, the key hidden."""
    line = " ".join(service.hidden(text).replace("。", " ").split()).rstrip(".")
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
