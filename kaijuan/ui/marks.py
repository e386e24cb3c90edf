"""Marks in an answer's text: sentences that their sources do not bear out, and figures that no source holds.

Marks travel through Markdown as private characters and become tags in its HTML. A sentence is marked at its end alone, so
that no tag can cross another one.
"""

from __future__ import annotations

from kaijuan.answering.support import Checked
from kaijuan.ui.elements import Safe, tag
from kaijuan.ui.messages import say

_WEAK, _UNSUPPORTED, _UNCITED, _WRONG, _END = "\ue020", "\ue021", "\ue022", "\ue023", "\ue024"
_NONE = str.maketrans("", "", _WEAK + _UNSUPPORTED + _UNCITED + _WRONG + _END)
_AT_END = {"weak": _WEAK, "unsupported": _UNSUPPORTED, "uncited": _UNCITED}


def with_marks(text: str, checked: Checked | None) -> str:
    """The text with a private character at every place to be marked; `checked` is about this very text."""
    if checked is None or len(text.translate(_NONE)) != len(text):
        return text.translate(_NONE)
    at: list[tuple[int, str]] = []
    for sentence in checked.sentences:
        if mark := _AT_END.get(sentence.verdict):
            at.append((sentence.end, mark))
        for start, end in sentence.spans:
            at += [(start, _WRONG), (end, _END)]
    for place, mark in sorted(at, key=lambda entry: -entry[0]):
        text = text[:place] + mark + text[place:]
    return text


def marks_to_tags(html: Safe) -> Safe:
    """The HTML with tags for the private characters."""
    tags = {mark: _note(verdict) for verdict, mark in _AT_END.items()}
    tags |= {_WRONG: f'<mark class="kj-wrong" title="{say("answer.wrong_figure")}">', _END: "</mark>"}
    text = str(html)
    for mark, shown in tags.items():
        text = text.replace(mark, shown)
    return Safe(text)


def _note(verdict: str) -> str:
    return str(
        tag(
            "span", say(f"answer.{verdict}_short"), class_=f"kj-doubt kj-{verdict}", title=say(f"answer.{verdict}_long")
        )
    )
