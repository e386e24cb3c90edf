"""An ingest that ends itself with SIGKILL: `python -m tests.opensearch.dying FOLDER URL PREFIX MOMENT`.

At "bulk" it has sent some documents and not all, at "swap" its build is finished and does not answer yet.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from kaijuan.engines.opensearch import bulk
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.models.base import Vector
from kaijuan.wiring import opensearch_server
from tests.field.staging import OPENSEARCH, Staging, Store
from tests.retrieval.stand_ins import LetterEmbedder

#: Passages that are embedded before the process dies at "bulk", and bytes of a request, of which there have been several.
_PASSAGES, _BATCH_BYTES = 200, 20_000


class DyingEmbedder(LetterEmbedder):
    """Embeds so many passages and no more."""

    def __init__(self) -> None:
        self._left = _PASSAGES

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        self._left -= 1
        if not self._left:
            _die()
        return super().passage(text)


class DyingEngine(OpenSearchEngine):
    """Does not live to see a build activated."""

    def activate(self, collection: str, version: str) -> None:
        """See Engine.activate."""
        _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, url: str, prefix: str, moment: str) -> None:
    """Ingest until the moment comes."""
    bulk.BATCH_BYTES = _BATCH_BYTES
    with Staging(Path(folder), Store(OPENSEARCH, url, prefix)) as staging:
        if moment == "swap":
            staging.ingest(LetterEmbedder(), DyingEngine(opensearch_server(staging.settings)))
        else:
            staging.ingest(DyingEmbedder())


if __name__ == "__main__":
    main(*sys.argv[1:])
