"""Remarks: sentences about files that were read but deserve a look, each with the file and the line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kaijuan.readers.front_matter import FrontMatter

Warn = Callable[[str], None]

#: Line numbers that one sentence names.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class Remarks:
    """Where sentences about one file go; `groups` are the groups that a collection knows, empty when it names none."""

    path: str
    say: Warn
    groups: tuple[str, ...] = ()

    def look_over(self, matter: FrontMatter, line: int | None = None) -> None:
        """Say what of a file's or a record's metadata means nothing."""
        place = f"{self.path} 第 {line} 行" if line else f"{self.path} "
        if matter.undated:
            self.say(f"{place}的日期“{matter.undated[:40]}”不是有效日期，已按无日期处理；请写成 2026-03-05 的形式。")
        for key, value in matter.odd:
            self.say(
                f"{place}的 {key} 写的是“{value[:40]}”，没有这种写法，已忽略；状态可写现行、已废止、草案，日期写成 2026-03-05。"
            )
        if unknown := [group for group in matter.audience if self.groups and group not in self.groups]:
            self.say(
                f"{place}的可见范围写了“{'、'.join(unknown)[:60]}”，集合的用户组里没有它，请核对 collection.toml 的 groups。"
            )


def numbers(lines: Sequence[int]) -> str:
    """Line numbers in words for a sentence; of many only the first.

    >>> numbers([3, 7])
    '3、7'
    """
    named = "、".join(map(str, lines[:_NAMED]))
    return named if len(lines) <= _NAMED else f"{named} 等 {len(lines)}"
