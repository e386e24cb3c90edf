"""Who may use the API: whoever has the key of the settings; all of them are one viewer."""

from __future__ import annotations

import hmac
from hashlib import sha256

from kaijuan.service.faults import Refused
from kaijuan.settings import Settings
from kaijuan.types import Viewer

#: Name of the API's viewer in the records.
NAME = "api"
_SCHEME = "bearer"


def viewer_of(authorization: str, settings: Settings) -> Viewer:
    """The viewer of a request with this `Authorization` header ("" for none), as latin-1 decodes it.

    Raises Refused: 404 while no key is set, 401 without the right one.
    """
    key = settings.api_key.get_secret_value().strip()
    if not key:
        raise Refused(404, "接口没有启用，请设置 KAIJUAN_API_KEY 后重新启动。")
    scheme, _, given = authorization.strip().partition(" ")
    # Hashes are of one length, so the comparison takes as long for every key.
    same = hmac.compare_digest(_digest(given.strip().encode("latin-1")), _digest(key.encode("utf-8")))
    if scheme.lower() != _SCHEME or not same:
        said = "没有带密钥" if not authorization.strip() else "密钥不对"
        raise Refused(
            401,
            f"请求{said}，请在请求头里写 Authorization: Bearer 和 KAIJUAN_API_KEY 的值。",
            {"WWW-Authenticate": 'Bearer realm="kaijuan"'},
        )
    return Viewer.in_groups(NAME, settings.api_groups)


def _digest(value: bytes) -> bytes:
    return sha256(value).digest()
