"""Whether what a passage says still holds, in words for the reader.

>>> from kaijuan.types import Chunk, Standing
>>> label(Chunk("a#0", "a", "旧规", "七天。", standing=Standing("superseded", "b", "新规")), "2026-05-01")
'已被《新规》取代'
"""

from __future__ import annotations

from kaijuan.types import Chunk


def label(chunk: Chunk, today: str) -> str:
    """Why a passage must not be taken for what holds on an ISO day; empty for one that is in force."""
    standing = chunk.standing
    if standing is None or standing.holds(today):
        return ""
    if standing.status == "superseded":
        return f"已被《{standing.by_title}》取代" if standing.by_title else "已被取代"
    if standing.status == "withdrawn":
        return f"已废止，现为《{standing.by_title}》" if standing.by_title else "已废止"
    if standing.status == "draft":
        return "草案，未生效"
    if standing.expired(today):
        return f"有效期至 {standing.valid_until}，已过期"
    return f"{standing.valid_from} 起才生效"
