"""A small collection with a data folder of its own, and an ingest that stops in the middle, as a process of its own.

`python -m tests.indexing.workplace CORPUS DATA MARK` ingests with a model that embeds two passages, writes MARK and then
waits to be killed.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.indexing.ingest import Ingesting, IngestReport, ingest
from kaijuan.models.base import Vector
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.retrieval.retrieve import Stages
from kaijuan.settings import Settings
from kaijuan.types import Viewer
from kaijuan.wiring import Services
from tests.retrieval.stand_ins import LetterEmbedder

NAME = "tiny"
VIEWER = Viewer(name="test")
DOCUMENTS = {
    "退货.md": "---\nid: d1\ntitle: 退货\nupdated: 2026-01-02\n---\n\n七天内可以退货，运费由买家承担。\n",
    "发票.md": "---\nid: d2\ntitle: 发票\n---\n\n电子发票在签收后开具，抬头可以修改一次。\n",
    "型号.txt": "SF-3000 打不开时，长按电源键十秒。\n",
}


class CountingEmbedder(LetterEmbedder):
    """Keeps the passages it was asked to embed."""

    def __init__(self) -> None:
        self.passages: list[str] = []

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        self.passages.append(text)
        return super().passage(text)


class StoppingEmbedder(CountingEmbedder):
    """Embeds so many passages, says so by a file, and then never goes on."""

    def __init__(self, count: int, mark: Path) -> None:
        super().__init__()
        self._count, self._mark = count, mark

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        if len(self.passages) == self._count:
            self._mark.write_text("stopped", encoding="utf-8")
            while True:
                time.sleep(1)
        return super().passage(text)


@dataclass(slots=True)
class Workplace:
    """One collection under `root`, with documents in it."""

    root: Path
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        self.settings = Settings(
            corpus_dir=self.root / "corpus", data_dir=self.root / "data", embedder="none", _env_file=None
        )
        if not self.folder.is_dir():
            self.write("collection.toml", 'title = "小集合"\n')
            for name, text in DOCUMENTS.items():
                self.write(name, text)

    @property
    def folder(self) -> Path:
        """The collection's documents."""
        return self.settings.corpus_dir / NAME

    @property
    def environment(self) -> dict[str, str]:
        """What makes a command work here, with the keyword leg alone."""
        return {
            "KAIJUAN_CORPUS_DIR": str(self.settings.corpus_dir),
            "KAIJUAN_DATA_DIR": str(self.settings.data_dir),
            "KAIJUAN_EMBEDDER": "none",
        }

    def write(self, name: str, text: str | bytes) -> None:
        """Put a file into the collection."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))

    def services(self, embedder: LetterEmbedder | None = None) -> Services:
        """Services over a freshly opened engine, as another process would have them."""
        engine = EmbeddedEngine(self.settings.index_dir)
        return Services(self.settings, engine, Stages(engine, embedder, FeatureReranker(), len, "characters"))

    def ingest(self, embedder: LetterEmbedder | None = None, keep: int = 2) -> IngestReport:
        """Ingest the collection; raises what the product raises."""
        services = self.services(embedder)
        tools: Ingesting = replace(services.ingesting(), keep_versions=keep)
        return ingest(services.collection(NAME), tools)

    def found(self, question: str, embedder: LetterEmbedder | None = None) -> list[str]:
        """Texts of the chunks that a question finds by its words, best first."""
        engine = self.services(embedder)
        return [hit.chunk.text for hit in engine.answer(question, NAME, VIEWER).trace.keyword]

    def versions(self) -> dict[str, bool]:
        """Versions and whether they answer."""
        return {v.name: v.active for v in EmbeddedEngine(self.settings.index_dir).versions(NAME)}

    def left_behind(self) -> list[str]:
        """Names in the index folder that are neither versions nor the pointer."""
        folder = self.settings.index_dir / NAME
        return sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) if folder.is_dir() else []


if __name__ == "__main__":
    corpus, data, mark = map(Path, sys.argv[1:])
    assert corpus.parent == data.parent
    Workplace(corpus.parent).ingest(StoppingEmbedder(2, mark))
