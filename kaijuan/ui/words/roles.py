"""Sentences of the role switch, in Chinese and in English."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "roles.choose": ("以什么身份提问（演示）", "Ask as (demonstration)"),
    "roles.demo": (
        "演示用：没有登录，任何人都可以换身份，不能用来保护资料。换身份会清空对话。",
        "For demonstration: there is no login and anybody may switch, so nothing is protected. Switching clears the conversation.",
    ),
    "roles.groups": ("看得到公开资料和这些组的资料：{groups}", "Sees open documents and those of: {groups}"),
    "roles.nothing": ("只看得到公开资料", "Sees open documents only"),
    "roles.everything": ("看得到全部资料", "Sees every document"),
}
