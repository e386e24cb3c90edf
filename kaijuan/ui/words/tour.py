"""Sentences of the demonstration's tour, in Chinese and in English."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "tour.title": ("演示路线：{count} 个问题", "Tour: {count} questions"),
    "tour.lead": (
        "点一个问题就会真的去问；每个问题下面一行说明看什么。",
        "Press a question to ask it for real; the line below says what to look at (in Chinese, as the documents are).",
    ),
    "tour.step": ("{step}. {question}", "{step}. {question}"),
    "tour.as_role": ("换成“{role}”再问一次", "Ask again as “{role}”"),
    "tour.look": ("看点", "Look"),
}
