"""An answer in the sources' own sentences: nothing is worded anew, so nothing can be invented."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from kaijuan.answering.citations import CitationReader, unshield
from kaijuan.answering.compose import choose, draft
from kaijuan.answering.material import Material
from kaijuan.answering.similarity import Similarity
from kaijuan.answering.types import Piece, Worded
from kaijuan.answering.units import Unit, units
from kaijuan.text import fold
from kaijuan.types import Trace


def quote(material: Material, similarity: Similarity) -> Generator[Piece, None, tuple[Worded, Material]]:
    """Pieces of the answer, what it came to, and the material with those disputes that concern it."""
    trace, rated = material.trace, material.rated
    numbers = {c.chunk.id: c.context_number for c in trace.context if c.context_number is not None}
    chosen = choose(trace.searched, rated, trace.context, similarity)
    said_from = {unit.number for unit in chosen}
    conflicts = tuple(
        conflict
        for conflict in material.conflicts
        # A dispute between passages that the answer does not rest on is not the reader's.
        if any(numbers[statement.chunk.id] in said_from for statement in conflict.statements)
    )
    if conflicts:
        chosen = choose(trace.searched, rated, trace.context, similarity, strict=True)
    chosen = _with_explanations(chosen, trace)
    reader = CitationReader(trace.numbered(), renumber=True)
    said: list[str] = []
    for piece in draft(chosen, conflicts, numbers, material.labels):
        if text := unshield(reader.feed(piece)):
            said.append(text)
            yield Piece(text, tuple(reader.cited))
    if text := unshield(reader.close()):
        said.append(text)
        yield Piece(text, tuple(reader.cited))
    worded = Worded("".join(said), trace, tuple(reader.cited), tuple(reader.removed), answerer="extractive")
    return worded, replace(material, conflicts=conflicts)


def _with_explanations(chosen: Sequence[Unit], trace: Trace) -> list[Unit]:
    """The chosen sentences, each name that a second look found out about followed by the sentence that explains it."""
    said = list(chosen)
    numbers = {c.chunk.id: (c.context_number or 0, c.chunk.text) for c in trace.context}
    for hop in trace.hops:
        naming = [place for place, unit in enumerate(said) if fold(hop.term) in fold(unit.text)]
        if hop.added is None or not hop.explanation or not naming:
            continue
        number, text = numbers[hop.added]
        explaining = [
            u for u in units(text, number) if fold(hop.term) in fold(u.text) and _within(u.text, hop.explanation)
        ]
        if explaining and explaining[0] not in said:
            # Behind everything said from the passage that names it, so that no passage is torn apart.
            last = max(place for place, unit in enumerate(said) if unit.number == said[naming[0]].number)
            said.insert(last + 1, explaining[0])
    return said


def _within(unit: str, sentence: str) -> bool:
    """Whether a unit is what a sentence or table row says, markup apart."""
    if sentence.lstrip().startswith("|"):
        return all(fold(cell.strip()) in fold(unit) for cell in sentence.strip().strip("|").split("|"))
    return fold(unit).rstrip("。；;") in fold(sentence) or fold(sentence).rstrip("。；;") in fold(unit)
