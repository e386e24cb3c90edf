"""Passages of other documents that give a figure which a passage gives, found from the passage itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kaijuan.answering.figures import Figure, figures, same_amount
from kaijuan.answering.units import units
from kaijuan.retrieval.retrieve import Options, Stages, search_again
from kaijuan.types import Chunk, Viewer

#: Passages that are named at most.
MOST = 5


@dataclass(frozen=True, slots=True)
class SameFigure:
    """A passage of another document, its sentence, and the figures, as written there, that both give."""

    chunk: Chunk
    sentence: str
    written: tuple[str, ...]


def same_figures(
    chunk: Chunk, collection: str, stages: Stages, options: Options, viewer: Viewer, most: int = MOST
) -> list[SameFigure]:
    """Passages about the same things with one of the same figures, the likest first, one a document.

    Bare numbers count nowhere: 3 steps and 3 parcels have nothing in common. Empty when nothing can be searched.
    """
    own = _telling(chunk.text)
    if not own:
        return []
    found: dict[str, SameFigure] = {}
    for hit in search_again(chunk.search_text, collection, stages, options, viewer):
        other = hit.chunk
        if other.source_id != chunk.source_id and other.source_id not in found:
            for sentence in (unit.text for unit in units(other.text, 0)):
                if written := _shared(own, sentence):
                    found[other.source_id] = SameFigure(other, sentence, written)
                    break
        if len(found) == most:
            break
    return list(found.values())


def _telling(text: str) -> list[Figure]:
    return [figure for figure in figures(text) if figure.unit]


def _shared(own: Sequence[Figure], sentence: str) -> tuple[str, ...]:
    theirs = _telling(sentence)
    return tuple(dict.fromkeys(f.written for f in theirs if any(same_amount(f, mine) for mine in own)))
