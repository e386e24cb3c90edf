"""What the client library raises, as one sentence of our own; no vendor exception leaves this room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opensearchpy import exceptions as vendor

from kaijuan.errors import EngineError

_URL = "KAIJUAN_OPENSEARCH_URL"


class Missing(EngineError):
    """The server has no such index, alias or template; the caller knows which sentence that is."""


class AlreadyThere(EngineError):
    """An index of this name exists."""


class Unreachable(EngineError):
    """The server could not be spoken to; whether it carried out the request is unknown."""


class TimedOut(Unreachable):
    """The server did not answer in time."""


class TooLarge(EngineError):
    """The server takes no request of this size."""


class Busy(EngineError):
    """The server asks to come back later."""


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
        raise EngineError(
            f"搜索引擎 {url} 的证书无法验证（{_short(error.error)}），请用 KAIJUAN_OPENSEARCH_CA 指定签发它的 CA 证书。"
        ) from error
    except vendor.ConnectionError as error:
        raise Unreachable(
            f"搜索引擎 {url} 连接不上（{_short(_cause(error))}），请确认服务已启动并检查 {_URL}。"
        ) from error
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
        return Busy(f"搜索引擎 {url} 忙（{status}：{_short(why)}），请稍后重试。")
    if "no requests added" in why:
        return NothingToSearch(f"搜索引擎 {url} 填不出检索模板，请检查 search_templates/ 后重新运行 ingest。")
    if kind == "resource_already_exists_exception":
        return AlreadyThere(f"搜索引擎 {url} 上已有同名的索引（{_short(why)}），请稍后重试。")
    return EngineError(f"搜索引擎 {url} 拒绝了请求（{status}：{_short(why)}），请用 python -m kaijuan doctor 检查。")


def reason(info: Any) -> str:
    """The server's own words in an error answer, the innermost ones where it nests them."""
    error = info.get("error") if isinstance(info, Mapping) else info
    if not isinstance(error, Mapping):
        return str(error or "")
    causes = error.get("root_cause") or [error]
    inner = error.get("caused_by")
    words = [str(cause.get("reason", "")) for cause in [*causes[:1], *([inner] if isinstance(inner, Mapping) else [])]]
    return "；".join(dict.fromkeys(word for word in words if word)) or str(error.get("type", ""))


def _cause(error: vendor.ConnectionError) -> str:
    # urllib3 wraps "Connection refused" in the address of an object, which tells nobody anything.
    return str(error.info).rpartition(": ")[2] or type(error.info).__name__


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= 160 else f"{line[:160]}…"
