"""Figures of answers as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from kaijuan.evaluation.answers import AnswerFigures, Share
from kaijuan.evaluation.rgb import RgbFigures

_ANSWERS = {
    "refusal_recall": "无答案的问题被拒答",
    "false_refusals": "有答案的问题被误拒",
    "precision": "带引用的句子得到来源支持",
    "coverage": "应引用的段落被引用",
    "empty": "没有任何引用的回答",
    "invented": "编造过引用的回答",
    "wrong": "有来源里没有的数字的回答",
    "uncited": "没有引用的陈述句",
    "disputed": "有争议的问题显示了争议",
    "incomplete": "没有说完的回答",
}
_RGB = {
    "held": "噪声：含正确答案",
    "joined": "整合：含全部要点",
    "refused": "拒答：只有无关段落时拒答",
    "false_refusals": "有相关段落却拒答",
    "told": "冲突：指出说法不一",
    "false_alone": "冲突：只给出错误说法",
}


def answer_lines(name: str, figures: AnswerFigures) -> Iterator[str]:
    """One line a figure, each with its counts."""
    yield f"{name}：{len(figures.rows)} 题，回答 {figures.answered} 题"
    yield from (_line(label, getattr(figures, key)) for key, label in _ANSWERS.items())


def rgb_lines(figures: RgbFigures) -> Iterator[str]:
    """One line a figure of the benchmark's own tasks."""
    yield f"RGB 原题：{len(figures.rows)} 题"
    yield from (_line(label, getattr(figures, key)) for key, label in _RGB.items())


def _line(label: str, share: Share) -> str:
    rate = "—" if share.rate is None else f"{share.rate * 100:.1f}%"
    return f"  {label}：{share.part}/{share.whole} = {rate}"
