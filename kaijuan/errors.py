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
├── SettingsError          a setting has a value that it cannot have
└── ModelUnavailable       a model's files or service cannot be had
"""


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


class SettingsError(KaijuanError):
    """A setting from the environment or .env has a value that it cannot have."""


class ModelUnavailable(KaijuanError):
    """A model's files or service cannot be had."""
