"""Wiring: Settings in, Services out; the only place that names implementations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.generate import Chatting
from kaijuan.answering.prompt import Prompt, build_prompt
from kaijuan.answering.same_figure import SameFigure, same_figures
from kaijuan.answering.types import Answer, Event, Finished
from kaijuan.answering.warm import warm
from kaijuan.chunking.token_count import token_counter
from kaijuan.collection import Collection, collection_names, load_collection
from kaijuan.engines.base import Engine, KeywordQuery, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.errors import CorpusError, KaijuanError, ViewError
from kaijuan.evaluation.frozen import frozen_figures
from kaijuan.indexing.gate import Figures
from kaijuan.indexing.ingest import Ingesting
from kaijuan.models.base import ChatModel
from kaijuan.models.cached_embed import CachedEmbedder
from kaijuan.models.choose import choose_chat, choose_embedder, choose_reranker
from kaijuan.readers.original import original
from kaijuan.records.deliveries import Deliveries
from kaijuan.records.fingerprint import settings_hash
from kaijuan.records.meters import Meters
from kaijuan.records.record import record_of
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Prices
from kaijuan.records.webhook import Receiver
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.retrieval.synonyms import load_synonyms
from kaijuan.settings import Settings, read_settings
from kaijuan.types import Chunk, Notice, Trace, Viewer


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the pages and commands ask for; built once and shared between threads."""

    settings: Settings
    engine: Engine
    stages: Stages
    chat: ChatModel | None = None
    records: Records | None = None
    meters: Meters = field(default_factory=Meters)

    def collections(self) -> list[Collection]:
        """All collections whose collection.toml can be read, sorted by name; one that cannot never hides the others."""
        readable = []
        for name in self.collection_names():
            with suppress(CorpusError):
                readable.append(self.collection(name))
        return readable

    def collection_names(self) -> list[str]:
        """Names of all collections, sorted, unreadable ones included."""
        return collection_names(self.settings.corpus_dir)

    def collection(self, name: str) -> Collection:
        """One collection; raises CollectionNotFound or CorpusError."""
        return load_collection(self.settings.corpus_dir, name)

    def options(self, collection: Collection) -> Options:
        """Retrieval options for a collection."""
        return Options(
            leg_size=collection.leg_size,
            rrf_k=self.settings.rrf_k,
            rerank_pool=self.settings.rerank_pool,
            context_chunks=self.settings.context_chunks,
            context_tokens=self.settings.context_tokens,
            question_chars=self.settings.question_chars,
            synonyms=load_synonyms(collection.synonyms_file),
        )

    def dataset_options(self) -> Options:
        """Retrieval options for a data set, which has no settings of its own."""
        return replace(self.options(Collection("", Path(), "")), leg_size=50, synonyms=None)

    def ask(self, question: str, collection_name: str, viewer: Viewer, earlier: Sequence[str] = ()) -> Iterator[Event]:
        """The answer to a question as a stream of events; raises KaijuanError before the first event.

        `earlier` are the questions asked before it in the same conversation, as completed.
        """
        collection = self.collection(collection_name)
        answering = self.answering(self.options(collection))
        before = earlier if self.settings.follow_up else ()
        return self.meters.watched(
            collection.name, lambda: answer(question, collection.name, answering, viewer, before)
        )

    def trace(self, question: str, collection: Collection, viewer: Viewer, options: Options) -> Trace:
        """Retrieval alone, under any options; raises what `retrieve` raises."""
        return retrieve(question, collection.name, self.stages, options, viewer)

    def request_text(self, trace: Trace, options: Options, viewer: Viewer) -> str:
        """What the engine was sent for a trace, as JSON lines for a person to read."""
        embedder = self.stages.embedder
        terms = trace.keyword_terms
        keyword = KeywordQuery(terms, options.leg_size, options.k1, options.b) if options.keyword_leg else None
        asked = options.vector_leg and embedder is not None and bool(trace.vector)
        vector = VectorQuery(embedder.query(trace.searched), options.leg_size) if asked and embedder else None
        return self.engine.describe(trace.collection, keyword, vector, viewer)

    def prompt(self, trace: Trace) -> Prompt:
        """What a model would be told of a trace, whether one is in use or not."""
        room = self.settings.model_context_tokens - self.settings.answer_tokens
        return build_prompt(trace, self.stages.count_tokens, room)

    def answering(self, options: Options) -> Answering:
        """What answers a question, as the settings have it."""
        return Answering(self.stages, options, self._chatting(), second_look=self.settings.second_look)

    def answer(self, question: str, collection_name: str, viewer: Viewer) -> Answer:
        """The finished answer to a question."""
        finished = [event for event in self.ask(question, collection_name, viewer) if isinstance(event, Finished)]
        return finished[0].answer

    def keep(
        self, answer: Answer, viewer: Viewer, conversation_id: str | None, replaces: str | None = None
    ) -> tuple[AnswerRecord, Notice | None]:
        """Record an answer with all that it rests on, maybe in place of another; the notice says what could not be kept."""
        prices = Prices(self.settings.price_input, self.settings.price_output)
        hashed = self.settings_hash(answer.trace.collection)
        record = record_of(answer, viewer, None, prices, conversation_id, hashed, replaces=replaces)
        self.meters.answered(record)
        return record, self.records.keep(record) if self.records else None

    def settings_hash(self, collection_name: str) -> str:
        """Hash of the settings that change what is answered: equal hashes can be compared."""
        chosen = ("reranker", "answerer", "openai_chat_model", "second_look", "follow_up")
        options = self.options(self.collection(collection_name)).as_json() | {"embedder": self.embedder_name}
        return settings_hash(options | {name: getattr(self.settings, name) for name in chosen})

    @property
    def embedder_name(self) -> str:
        """Name of the embedding model, empty without one."""
        return self.stages.embedder.name if self.stages.embedder else ""

    def _chatting(self) -> Chatting | None:
        """How answers are worded; None where they quote the sources."""
        if self.chat is None:
            return None
        return Chatting(self.chat, self.settings.answer_tokens, self.stages.count_tokens)

    def document(self, collection_name: str, source_id: str, viewer: Viewer) -> list[Chunk]:
        """All chunks of one document; raises ViewError when it does not exist or is not open to the viewer."""
        chunks = self.engine.document(self.collection(collection_name).name, source_id, viewer)
        if not chunks:
            raise ViewError(
                f"集合 {collection_name} 里没有编号为“{source_id[:60]}”的资料，或你没有查看权限；请从问答页的来源链接进入。"
            )
        return chunks

    def original(self, collection_name: str, chunk: Chunk, viewer: Viewer) -> bytes:
        """The file that a chunk comes from; raises ViewError when it is gone or not all of it is open to the viewer."""
        return original(self.collection(collection_name), chunk, viewer)

    def same_figures(self, collection_name: str, chunk: Chunk, viewer: Viewer) -> list[SameFigure]:
        """Passages of other documents that give one of the same figures, the likest first."""
        collection = self.collection(collection_name)
        return same_figures(chunk, collection.name, self.stages, self.options(collection), viewer)

    def ingesting(self) -> Ingesting:
        """What an ingest works with."""
        data = self.settings.data_dir
        keep = self.settings.keep_versions
        tolerance = self.settings.gate_tolerance
        return Ingesting(
            self.engine,
            self.stages.embedder,
            self.settings.vector_cache,
            data / "locks",
            keep,
            self.measure,
            tolerance,
            read_cache=data / "cache" / "read" / "files.sqlite",
        )

    def measure(self, collection: Collection, version: str) -> Figures | None:
        """Figures of one version on the collection's frozen questions; None without labelled questions."""
        return frozen_figures(collection, version, self.stages, self.options(collection))

    def warm(self, collection_name: str, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed ahead what answers of a small collection compare; how many documents were gone through."""
        if self.stages.embedder is None:
            return 0
        return warm(self.engine, self.collection(collection_name).name, self.stages.embedder, progress)

    def fault(self, collection_name: str) -> KaijuanError | None:
        """Why a collection cannot be asked now, None when it can; an engine that was seen ready is not asked again."""
        try:
            self.engine.meta(collection_name)
        except KaijuanError as error:
            return error
        return None

    def version(self, collection_name: str) -> str:
        """Name of the build that answers now, empty without one; raises EngineError."""
        return next((version.name for version in self.engine.versions(collection_name) if version.active), "")

    def status(self, collection_name: str) -> tuple[Notice, ...]:
        """What a person should know before asking: a missing or fall-back model."""
        del collection_name  # the same for all collections until they can have models of their own
        return (self.stages.embedder_notice,) if self.stages.embedder_notice else ()


def load_services(settings: Settings | None = None) -> Services:
    """Build the services from the settings; loads the embedding model, so call it once."""
    settings = settings or read_settings()
    embedder, notice = choose_embedder(settings)
    counter = token_counter()
    engine = choose_engine(settings)
    remembering = CachedEmbedder(embedder, settings.sentence_cache) if embedder else None
    stages = Stages(engine, remembering, choose_reranker(settings), counter.count, counter.name, notice)
    records = Records(settings.records_file, settings.records_days)
    return Services(settings, engine, stages, choose_chat(settings), records)


def load_deliveries(settings: Settings | None = None) -> Deliveries | None:
    """What tells another system of tickets, not started; None where the settings name none. Raises SettingsError."""
    settings = settings or read_settings()
    if not settings.webhook_url:
        return None
    receiver = Receiver(settings.webhook_url, settings.webhook_secret.get_secret_value(), settings.webhook_timeout)
    return Deliveries(Records(settings.records_file, settings.records_days), receiver)


def choose_engine(settings: Settings) -> Engine:
    """The engine that the settings name; nothing is connected yet."""
    if settings.engine == "opensearch":
        return OpenSearchEngine(opensearch_server(settings))
    return EmbeddedEngine(settings.index_dir)


def opensearch_server(settings: Settings) -> Server:
    """How the settings say that OpenSearch is reached."""
    return Server(
        url=settings.opensearch_url,
        user=settings.opensearch_user,
        password=settings.opensearch_password.get_secret_value(),
        api_key=settings.opensearch_api_key.get_secret_value(),
        ca_file=str(settings.opensearch_ca or ""),
        verify=settings.opensearch_verify,
        timeout=settings.opensearch_timeout,
        search_timeout=settings.opensearch_search_timeout,
        prefix=settings.opensearch_prefix,
    )
