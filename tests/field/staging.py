"""The product set up for one case: real services over a temporary corpus and data folder, on the engine of the run."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from unittest.mock import patch

from ingest.__main__ import main as ingest_command
from kaijuan.chunking.token_count import token_counter
from kaijuan.engines.base import BuildMeta, Engine
from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.indexing.build import build, corpus_hash
from kaijuan.indexing.ingest import IngestReport, ingest
from kaijuan.indexing.vector_cache import VectorCache
from kaijuan.models.base import Embedder
from kaijuan.models.choose import choose_embedder
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.settings import Settings
from kaijuan.text import ANALYZER
from kaijuan.types import Chunk, Trace, Viewer
from kaijuan.wiring import Services, choose_engine
from tests.real_opensearch import indices, lent

#: The collection that every case works with, and more hits than any case has chunks.
COLLECTION = "case"
ALL_HITS = 1000
VIEWER = Viewer(name="field")
EngineName = Literal["embedded", "opensearch"]
EMBEDDED: EngineName = "embedded"
OPENSEARCH: EngineName = "opensearch"
ENGINES = (EMBEDDED, OPENSEARCH)


@dataclass(frozen=True, slots=True)
class Store:
    """Where a staging keeps its builds: in its own folder, or on a server under a prefix of its own."""

    engine: EngineName = EMBEDDED
    url: str = ""
    prefix: str = ""

    def settings(self, root: Path) -> Settings:
        """Settings of the product with its folders under `root`; the environment's own engine does not count."""
        there = {"opensearch_url": self.url, "opensearch_prefix": self.prefix} if self.engine == OPENSEARCH else {}
        return Settings(
            corpus_dir=root / "corpus", data_dir=root / "data", embedder="none", engine=self.engine, **there
        )


@dataclass(frozen=True, slots=True)
class Workshop:
    """What the cases of one run share: the embedding model (None where there is none), the engine, a server's URL."""

    embedder: Embedder | None
    engine: EngineName = EMBEDDED
    url: str = ""

    @classmethod
    def open(cls, engine: EngineName = EMBEDDED, url: str = "") -> Workshop:
        """The workshop with the model that the settings choose; raises ModelUnavailable like the product."""
        return cls(_embedder(), engine, url)

    @contextmanager
    def staging(self) -> Iterator[Staging]:
        """A staging that is gone afterwards."""
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="field-", ignore_cleanup_errors=True)))
            store = Store()
            if self.engine == OPENSEARCH:
                store = Store(OPENSEARCH, self.url, stack.enter_context(lent(self.url, "field")).prefix)
            yield stack.enter_context(Staging(folder, store))


@dataclass(frozen=True, slots=True)
class Command:
    """How a command ended and all it printed."""

    status: int
    output: str


@dataclass(slots=True)
class Staging:
    """One collection of the product under `root`, empty at first; to be closed when the case is over."""

    root: Path
    store: Store = field(default_factory=Store)
    settings: Settings = field(init=False)
    _opened: ExitStack = field(init=False, default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.settings = self.store.settings(self.root)
        if not self.folder.is_dir():
            self.write("collection.toml", f'title = "{COLLECTION}"\nleg_size = {ALL_HITS}\n')

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def through(self, url: str) -> Staging:
        """The same collection and builds, the server reached by another URL."""
        return self._opened.enter_context(Staging(self.root, replace(self.store, url=url)))

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """A freshly opened engine, as another process would have it."""
        engine = choose_engine(self.settings)
        try:
            yield engine
        finally:
            if isinstance(engine, OpenSearchEngine):
                engine.close()

    @property
    def folder(self) -> Path:
        """The collection's documents."""
        return self.settings.corpus_dir / COLLECTION

    def write(self, name: str, content: str | bytes) -> None:
        """Put a file into the collection."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)

    def sizes(self, chunk_chars: int, overlap_chars: int) -> None:
        """Set the collection's chunk sizes."""
        self.write(
            "collection.toml",
            f'title = "{COLLECTION}"\nleg_size = {ALL_HITS}\nchunk_chars = {chunk_chars}\noverlap_chars = {overlap_chars}\n',
        )

    def services(self, embedder: Embedder | None = None, engine: Engine | None = None) -> Services:
        """Services over a freshly opened engine, as another process would have them, unless one is given."""
        stages = _stages(engine or self._opened.enter_context(self.engine()), embedder)
        return Services(self.settings, stages.engine, stages)

    def ingest(self, embedder: Embedder | None = None, engine: Engine | None = None) -> IngestReport:
        """Ingest the collection; raises what the product raises."""
        services = self.services(embedder, engine)
        return ingest(services.collection(COLLECTION), services.ingesting())

    def command(self, embedder: Embedder | None = None) -> Command:
        """`python -m ingest` on the collection, in this process so that a stand-in model can be given to it."""
        output = io.StringIO()
        services = self.services(embedder)
        wired = patch("ingest.__main__.load_services", lambda: services)
        with wired, redirect_stdout(output), redirect_stderr(output):
            status = ingest_command([COLLECTION])
        return Command(status, output.getvalue())

    def index(self, chunks: Sequence[Chunk], embedder: Embedder | None = None) -> Stages:
        """Stages over an active build of these very chunks."""
        engine = self._opened.enter_context(self.engine())
        with VectorCache(self.settings.vector_cache) as cache:
            built = build(engine, build_meta(chunks, embedder), chunks, embedder, cache)
        engine.activate(COLLECTION, built.version.name)
        return _stages(engine, embedder)

    def keyword_trace(self, question: str, stages: Stages | None = None) -> Trace:
        """What the keyword leg alone finds, over a freshly opened engine unless stages are given."""
        options = Options(leg_size=ALL_HITS, vector_leg=False)
        if stages is not None:
            return retrieve(question, COLLECTION, stages, options, VIEWER)
        with self.engine() as engine:
            return retrieve(question, COLLECTION, _stages(engine, None), options, VIEWER)

    def chunks(self, source_id: str | None = None) -> list[Chunk]:
        """Chunks of one document, or of all, in the build that answers; none where none answers."""
        with self.engine() as engine:
            if not any(version.active for version in engine.versions(COLLECTION)):
                return []
            sources = engine.source_ids(COLLECTION, VIEWER) if source_id is None else [source_id]
            return [chunk for source in sources for chunk in engine.document(COLLECTION, source, VIEWER)]

    def versions(self) -> dict[str, int]:
        """Finished versions and their numbers of chunks."""
        with self.engine() as engine:
            return {version.name: version.chunks for version in engine.versions(COLLECTION)}

    def holds_anything(self) -> bool:
        """Whether the store has anything of this staging, unfinished builds included."""
        if self.store.engine == OPENSEARCH:
            return bool(indices(Server(self.store.url, prefix=self.store.prefix)))
        return self.settings.index_dir.is_dir() and any(self.settings.index_dir.iterdir())

    def active(self) -> list[str]:
        """Names of the versions that answer; one at most in a sound index."""
        with self.engine() as engine:
            return [version.name for version in engine.versions(COLLECTION) if version.active]


def build_meta(chunks: Sequence[Chunk], embedder: Embedder | None, dims: int | None = None) -> BuildMeta:
    """Meta of a build of these chunks; `dims` overrides what the model says of itself."""
    name = embedder.name if embedder else None
    own = embedder.dims if embedder else 0
    return BuildMeta(
        COLLECTION,
        name,
        own if dims is None else dims,
        "field",
        ANALYZER,
        corpus_hash(chunks),
        "2026-01-01T00:00:00+00:00",
    )


def _stages(engine: Engine, embedder: Embedder | None) -> Stages:
    counter = token_counter()
    return Stages(engine, embedder, FeatureReranker(), counter.count, counter.name)


@lru_cache(maxsize=1)
def _embedder() -> Embedder | None:
    return choose_embedder(Settings())[0]
