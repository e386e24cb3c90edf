"""Comparing sentences ahead of time: what an answer will compare is embedded once, after the ingest."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kaijuan.answering.similarity import titled
from kaijuan.answering.units import units
from kaijuan.engines.base import Engine
from kaijuan.errors import KaijuanError
from kaijuan.models.base import Embedder
from kaijuan.text import clean
from kaijuan.types import Viewer

#: Collections with more documents than this are left to warm up as they are asked.
WARM_DOCUMENTS = 500
_EVERYTHING = Viewer(name="ingest", sees_all=True)


def warm(
    engine: Engine, collection: str, embedder: Embedder, progress: Callable[[int, int], None] | None = None
) -> int:
    """Embed the sentences of a small collection where they are remembered; how many documents were gone through."""
    sources = engine.source_ids(collection, _EVERYTHING)
    if len(sources) > WARM_DOCUMENTS:
        return 0
    for done, source in enumerate(sources, start=1):
        for text in _compared(engine, collection, source):
            try:
                embedder.sentence(clean(text))
            except KaijuanError:
                return done  # a model that fails is told about where it is asked
        if progress:
            progress(done, len(sources))
    return len(sources)


def _compared(engine: Engine, collection: str, source_id: str) -> Iterator[str]:
    """Every text of a document that answering may compare."""
    for chunk in engine.document(collection, source_id, _EVERYTHING):
        for unit in units(chunk.text, 0):
            if unit.kind not in ("heading", "code"):
                yield titled(chunk.title, unit.text)
                if unit.lead:
                    yield unit.lead
