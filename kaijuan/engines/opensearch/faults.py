"""What the client library raises, as one sentence of our own; no vendor exception leaves this room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opensearchpy import exceptions as vendor

from kaijuan.errors import EngineError, EngineNotReady

_URL = "KAIJUAN_OPENSEARCH_URL"


class Missing(EngineError):
    """The server has no such index, alias or template; the caller knows which sentence that is."""


class AlreadyThere(EngineError):
    """An index of this name exists."""


class Unreachable(EngineNotReady):
    """The server could not be spoken to; whether it carried out the request is unknown."""


class TimedOut(Unreachable):
    """The server did not answer in time."""


class TooLarge(EngineError):
    """The server takes no request of this size."""


class Busy(EngineError):
    """The server asks to come back later."""


class NotServing(Busy, EngineNotReady):
    """The server, or a proxy before it, does not serve at the moment: it starts, or has lost its nodes."""


class NothingToSearch(EngineError):
    """No template of a multi-search could be filled in, so there was nothing left to search."""


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Let the client library's exceptions out as EngineError."""
    try:
        yield
    except vendor.ConnectionTimeout as error:
        raise TimedOut(
            f"搜索引擎 {url} 没有在规定时间内回答，请稍后重试，或调大 KAIJUAN_OPENSEARCH_TIMEOUT。"
        ) from error
    except vendor.SSLError as error:
        raise _of_certificates(url, str(error.error)) from error
    except vendor.ConnectionError as error:
        raise _of_connection(url, error.info) from error
    except vendor.TransportError as error:
        raise of_status(url, error.status_code, error.error, reason(error.info)) from error
    except vendor.ImproperlyConfigured as error:
        raise EngineError(
            f"搜索引擎 {url} 的连接设置不对（{_short(str(error))}），请检查 {_URL} 和证书设置。"
        ) from error
    except vendor.SerializationError as error:
        raise EngineError(f"{url} 的回答不是 OpenSearch 的格式，请检查 {_URL} 指向的是不是搜索引擎。") from error
    except vendor.OpenSearchException as error:
        raise EngineError(
            f"搜索引擎 {url} 出错（{_short(str(error))}），请用 python -m kaijuan doctor 检查。"
        ) from error


def of_status(url: str, status: str | int, kind: str, why: str) -> EngineError:
    """The error for an answer with this HTTP status."""
    if status == 401:
        return EngineError(
            f"搜索引擎 {url} 不接受当前的用户名、密码或 API key，请检查 KAIJUAN_OPENSEARCH_USER 等设置。"
        )
    if status == 403 and "block" in why:
        return EngineError(
            f"搜索引擎 {url} 拒绝写入（{_short(why)}），通常是磁盘将满，请腾出空间并解除只读后重试；旧索引照常可用。"
        )
    if status == 403:
        return EngineError(f"搜索引擎 {url} 的账号权限不够（{_short(why)}），请按 README 的最小权限表授权。")
    if status == 404:
        return Missing(f"搜索引擎 {url} 上没有所要的索引或模板（{_short(why)}），请重新运行 ingest。")
    if status == 413:
        return TooLarge(f"搜索引擎 {url} 不接受这么大的请求，请调大服务端的 http.max_content_length 后重试。")
    if status in (429, 502, 503, 504):
        kind_of_busy = Busy if status == 429 else NotServing
        return kind_of_busy(f"搜索引擎 {url} 忙（{status}：{_short(why)}），请稍后重试。")
    if "no requests added" in why:
        return NothingToSearch(f"搜索引擎 {url} 填不出检索模板，请检查 search_templates/ 后重新运行 ingest。")
    if kind == "index_closed_exception":
        return EngineError(f"搜索引擎 {url} 上的索引被关闭了，请打开它（POST /索引名/_open），或重新运行 ingest。")
    if kind == "invalid_alias_name_exception":
        return EngineError(
            f"搜索引擎 {url} 上有一个索引占用了集合的别名（{_short(why)}），"
            "请确认里面没有要保留的内容后删除这个索引，再重新运行 ingest。"
        )
    if kind == "resource_already_exists_exception":
        return AlreadyThere(f"搜索引擎 {url} 上已有同名的索引（{_short(why)}），请稍后重试。")
    return EngineError(f"搜索引擎 {url} 拒绝了请求（{status}：{_short(why)}），请用 python -m kaijuan doctor 检查。")


def reason(info: Any) -> str:
    """The server's own words in an error answer, the innermost ones where it nests them."""
    # The security plugin answers {"status", "reason"}, the server itself nests its reason in "error".
    error = info.get("error", info.get("reason")) if isinstance(info, Mapping) else info
    if not isinstance(error, Mapping):
        return str(error or "")
    causes = error.get("root_cause") or [error]
    inner = error.get("caused_by")
    words = [str(cause.get("reason", "")) for cause in [*causes[:1], *([inner] if isinstance(inner, Mapping) else [])]]
    return "；".join(dict.fromkeys(word for word in words if word)) or str(error.get("type", ""))


def _of_connection(url: str, cause: Any) -> Unreachable:
    # The client library counts a connection that takes too long among those refused, which may be tried again at once.
    if type(cause).__name__ == "ConnectTimeoutError":
        return TimedOut(f"搜索引擎 {url} 没有在规定时间内接受连接，请确认服务已启动并检查 {_URL} 和防火墙。")
    # Where several are nested, the last one is the reason; the others hold addresses of objects.
    parts = getattr(cause, "args", ())
    words = str(parts[-1] if parts and isinstance(parts[-1], Exception) else cause).rpartition(": ")[2]
    why = _short(words or type(cause).__name__)
    return Unreachable(f"搜索引擎 {url} 连接不上（{why}），请确认服务已启动，并检查 {_URL} 的地址、端口和 http/https。")


def _of_certificates(url: str, why: str) -> EngineError:
    said, step = "的证书无法验证", "请用 KAIJUAN_OPENSEARCH_CA 指定签发它的 CA 证书"
    if "WRONG_VERSION_NUMBER" in why:
        said, step = "没有用 TLS 回答", f"请把 {_URL} 的 https 改成 http，或检查端口"
    elif "mismatch" in why:
        step = f"请在 {_URL} 里改用证书上的主机名"
    elif "expired" in why:
        step = "请在服务端换上没有过期的证书"
    elif why.startswith(("[Errno", "[X509")):
        said, step = "的 CA 证书读不出来", "请检查 KAIJUAN_OPENSEARCH_CA 指向的文件"
    return EngineError(f"搜索引擎 {url} {said}（{_short(why)}），{step}。")


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= 160 else f"{line[:160]}…"
