"""A build being written: streamed into a folder of its own, which becomes a version by one rename when it is whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kaijuan.engines.base import BuildMeta, Version, check_vectors
from kaijuan.engines.embedded.chunk_store_writer import ChunkStoreWriter
from kaijuan.engines.embedded.files import flush
from kaijuan.engines.embedded.meta_file import write_meta
from kaijuan.engines.embedded.postings_writer import PostingsWriter
from kaijuan.engines.embedded.snapshot import Snapshot
from kaijuan.errors import EngineError
from kaijuan.models.base import Vector
from kaijuan.text import analyze
from kaijuan.types import Chunk


class EmbeddedBuild:
    """Write side of the embedded engine."""

    #: Whatever passed check_vectors is taken.
    rejected: tuple[tuple[str, str], ...] = ()

    def __init__(self, folder: Path, version: str, meta: BuildMeta) -> None:
        """`folder` is empty and of this build's own."""
        self.version = version
        self._meta = meta
        self._folder = folder
        self._store = ChunkStoreWriter(folder)
        self._postings = PostingsWriter()
        self._vectors = (folder / "vectors.f32").open("wb")

    def add(self, chunks: Sequence[Chunk], vectors: Vector | None) -> None:
        """Add chunks and their vectors; raises IndexMismatch or EngineError before anything is written."""
        check_vectors(self._meta, chunks, vectors)
        with self._disk():
            for chunk in chunks:
                self._store.add(chunk)
                self._postings.add(analyze(chunk.search_text))
            if vectors is not None:
                self._vectors.write(vectors.astype("<f4").tobytes())

    def finish(self) -> Version:
        """Write everything, open it as a reader would, flush it to disk and rename the folder into place."""
        meta, chunks, documents = self._meta, len(self._store), self._store.sources
        if duplicate := self._store.duplicate():
            raise EngineError(f"段落编号 {duplicate} 出现了两次，请检查语料中的文档编号后重新运行 ingest。")
        with self._disk():
            self._vectors.close()
            self._store.write()
            self._postings.write(self._folder, meta.k1, meta.b)
            write_meta(self._folder, meta, chunks, documents)
            Snapshot(self._folder)
            for path in self._folder.iterdir():
                flush(path)
            home = self._folder.parent
            self._folder.rename(home / self.version)
            flush(home)
        return Version(self.version, False, chunks, documents, meta)

    def abandon(self) -> None:
        """Drop what was written."""
        self._vectors.close()
        self._store.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """What the disk or its reading back refuses, as one sentence."""
        try:
            yield
        except (OSError, ValueError) as error:
            raise EngineError(
                f"集合 {self._meta.collection} 的新索引没能写完（{error}），请检查磁盘空间和权限后重新运行 ingest；旧索引照常可用。"
            ) from error
