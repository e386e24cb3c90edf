"""The error tree: every error a user can cause, each message one sentence that names what, which value, and the next step.

KaijuanError
├── QuestionError          the question cannot be searched (blank, no searchable term, …)
├── ViewError              what a page was asked to show does not exist or is not open to the viewer
├── CollectionNotFound     no such collection
├── IndexMissing           the collection has not been indexed yet
├── IndexMismatch          the index was built with another model or format
├── CorpusError            a document, question file or collection file cannot be read
├── IngestError            an ingest could not be carried out
│   └── IngestLocked       another ingest of the same collection is running
├── EngineError            the search engine did not do what it was asked
│   └── EngineNotReady     it cannot be reached, or does not serve yet
├── SettingsError          a setting has a value that it cannot have
├── RecordsError           answers, feedback or tickets could not be kept or read (`kind` says how)
├── ModelUnavailable       a model's files or service cannot be had
└── ModelFailed            a model's service was asked and did not do it (`kind` says how)
"""

from __future__ import annotations

from typing import Literal

#: How a model's service failed.
ModelFault = Literal[
    "auth", "no_model", "quota", "busy", "too_long", "filtered", "empty", "timeout", "unreachable", "refused", "odd"
]
#: How the file of records failed; "missing" is a row that is not there (any more).
RecordsFault = Literal["locked", "disk", "denied", "damaged", "newer", "missing", "odd"]


class KaijuanError(Exception):
    """Base of all errors whose message may be shown to a person as it is."""


class QuestionError(KaijuanError):
    """The question cannot be searched."""


class ViewError(KaijuanError):
    """A document or passage does not exist, or is not open to this viewer (both say the same on purpose)."""


class CollectionNotFound(KaijuanError):
    """There is no collection of this name."""


class IndexMissing(KaijuanError):
    """The collection exists but has no index yet."""


class IndexMismatch(KaijuanError):
    """The index was built with another model, dimension or format than the one in use."""


class CorpusError(KaijuanError):
    """A document, question file or collection file cannot be read."""


class IngestError(KaijuanError):
    """An ingest could not be carried out; the build that answers is untouched."""


class IngestLocked(IngestError):
    """Another ingest of the same collection is running."""


class EngineError(KaijuanError):
    """The search engine did not do what it was asked."""


class EngineNotReady(EngineError):
    """The search engine cannot be reached, or does not serve yet; the same request may go well a little later."""


class SettingsError(KaijuanError):
    """A setting from the environment or .env has a value that it cannot have."""


class RecordsError(KaijuanError):
    """Answers, feedback or tickets could not be kept or read; answering goes on without."""

    def __init__(self, message: str, kind: RecordsFault) -> None:
        super().__init__(message)
        self.kind = kind


class ModelUnavailable(KaijuanError):
    """A model's files or service cannot be had."""


class ModelFailed(KaijuanError):
    """A model's service was asked and did not do it; what does not need it still works."""

    def __init__(self, message: str, kind: ModelFault) -> None:
        super().__init__(message)
        self.kind = kind
