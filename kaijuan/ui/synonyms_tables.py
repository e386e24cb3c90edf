"""What a preview of synonyms found and what was saved, as HTML; and the synonyms of a trace as one line."""

from __future__ import annotations

from collections.abc import Sequence

from kaijuan.evaluation.preview import Change, Preview
from kaijuan.evaluation.synonyms_file import Save
from kaijuan.indexing.gate import COMPARED
from kaijuan.types import Synonym
from kaijuan.ui.elements import Safe, tag
from kaijuan.ui.messages import say
from kaijuan.ui.tables import table_html

_NONE = "—"


def figures_html(seen: Preview) -> Safe:
    """One row a figure: now, then, and the difference in points."""
    head = [say(f"synonyms.{name}") for name in ("figure", "now", "then", "difference")]
    rows = [
        (label, f"{now:.1%}", f"{then:.1%}", _difference(now, then))
        for label, now, then in zip(COMPARED.values(), seen.before or (), seen.after or (), strict=False)
    ]
    return table_html(say("synonyms.figures"), head, rows)


def changes_html(changes: Sequence[Change]) -> Safe:
    """One row a question that gained or lost, in the order given."""
    names = [say(f"synonyms.{name}") for name in ("outcome", "question", "id", "added")]
    head = [*names[:3], *COMPARED.values(), names[3]]
    rows = [
        (
            tag("span", say(f"synonyms.{'better' if one.better else 'worse'}"), class_=_colour(one.better)),
            one.question,
            one.id,
            *(_step(now, then) for now, then in zip(one.before, one.after, strict=True)),
            synonyms_line(one.added) or _NONE,
        )
        for one in changes
    ]
    return table_html(say("synonyms.changes"), head, rows, wide=1)


def saves_html(saves: Sequence[Save]) -> Safe:
    """One row a save, in the order given."""
    head = [*(say(f"synonyms.{name}") for name in ("at", "by", "groups")), *COMPARED.values(), say("synonyms.note")]
    rows = [
        (save.at[:19].replace("T", " "), save.by or say("synonyms.local"), str(save.groups), *_steps(save), _note(save))
        for save in saves
    ]
    return table_html(say("synonyms.saves"), head, rows)


def synonyms_line(synonyms: Sequence[Synonym]) -> str:
    """What was added to which words of a question."""
    return "；".join(say("ledger.synonym", word=one.word, added=one.added) for one in synonyms)


def _steps(save: Save) -> tuple[str, ...]:
    if save.before is None or save.after is None:
        return (_NONE,) * len(COMPARED)
    return tuple(_step(now, then) for now, then in zip(save.before, save.after, strict=True))


def _note(save: Save) -> str:
    if save.after is None:
        return say("synonyms.note_unmeasured")
    return say("synonyms.note_worse" if save.worse else "synonyms.note_fine")


def _step(now: float, then: float) -> str:
    return f"{now:.1%}" if now == then else f"{now:.1%} → {then:.1%}"


def _difference(now: float, then: float) -> Safe | str:
    if now == then:
        return "0.0"
    return tag("span", f"{(then - now) * 100:+.1f}", class_=_colour(then > now))


def _colour(better: bool) -> str:
    return "kj-up" if better else "kj-down"
