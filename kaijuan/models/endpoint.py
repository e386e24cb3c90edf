"""What clients of services have in common: a key and an address, of which no secret may stand in an error or a log."""

from __future__ import annotations

from kaijuan.errors import SettingsError


def host_of(url: str) -> str:
    """Host and port of an address, without what else it may hold: a password, or a key among its parameters.

    >>> host_of("https://user:password@models.example:8443/v1?key=secret")
    'models.example:8443'
    """
    after = url.partition("://")[2]
    return after.split("/")[0].split("?")[0].rpartition("@")[2]


def wrong_proxy() -> SettingsError:
    """The error of an environment whose proxy no client can be made with; what it says may hold a password."""
    return SettingsError(
        "环境变量 HTTP_PROXY、HTTPS_PROXY 或 ALL_PROXY 里的代理不能用，请改正或取消它（SOCKS 代理要另装 socksio）。"
    )


def check_key(key: str, setting: str) -> None:
    """Raise SettingsError for a key that cannot stand in a header; the HTTP client would name it in full in its error."""
    wrong = next((place for place, letter in enumerate(key, start=1) if not "!" <= letter <= "~"), None)
    if wrong is not None:
        raise SettingsError(
            f"设置 {setting} 的第 {wrong} 个字符不能出现在密钥里，请重新复制密钥（不要带空格、引号或中文字符）。"
        )
