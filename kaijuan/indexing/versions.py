"""Going back to an earlier build."""

from __future__ import annotations

# Named again for the pages, which know the engines by way of this room only.
from kaijuan.engines.base import Version as Version
from kaijuan.errors import IngestError
from kaijuan.indexing.ingest import Ingesting
from kaijuan.indexing.lock import ingest_lock


def rollback(collection: str, tools: Ingesting, version: str | None = None) -> str:
    """Let an earlier version answer (by default the one before the active one); its name.

    Raises IngestError when there is none to go back to, or EngineError when the version is not whole.
    """
    with ingest_lock(tools.lock_dir, collection):
        versions = tools.engine.versions(collection)
        answering = [v.name for v in versions if v.active]
        active = next(iter(answering), None)
        if version is None and len(answering) > 1:  # somebody pointed the alias at several: back to one
            version = answering[-1]
        if version is None:
            earlier = [v.name for v in versions if active is None or v.name < active]
            if not earlier:
                raise IngestError(
                    f"集合 {collection} 没有更早的版本可以退回，可用 python -m ingest versions {collection} 查看。"
                )
            version = earlier[-1]
        tools.engine.activate(collection, version)
        return version
