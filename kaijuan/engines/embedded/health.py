"""Health of the folder of indexes and of each collection's build that answers; nothing is changed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from kaijuan.engines.embedded.arrays import map_array
from kaijuan.engines.embedded.home import Home
from kaijuan.engines.embedded.snapshot import Snapshot
from kaijuan.errors import EngineError, IndexMismatch, KaijuanError
from kaijuan.types import Finding

#: Builds that must fit beside the present ones: the next one, and some air.
_BUILDS = 3
#: Bytes that are too few for any build, its caches and the temporary files of a database.
_LEAST = 200 << 20
#: Passages of a large build that are read, and vectors that are measured; evenly spread.
_SAMPLE = 500
#: What reading damaged files ends in.
_DAMAGE = (OSError, EOFError, ValueError, LookupError, TypeError)


def findings(index_dir: Path, collections: Sequence[str]) -> list[Finding]:
    """See Engine.health."""
    found = [writable(index_dir)]
    if found[0].level == "ok":
        found.append(space(shutil.disk_usage(_existing(index_dir)).free, _largest(index_dir)))
    for collection in collections:
        try:
            own = _of_collection(Home(index_dir, collection))
        except KaijuanError as error:
            own = Finding.of_sentence("索引", error)
        except OSError as error:
            said = f"文件夹 {index_dir / collection} 读不了（{error.strerror}）"
            own = Finding("索引", "bad", said, "检查文件夹的权限")
        found.append(replace(own, collection=collection))
    return found


def writable(index_dir: Path) -> Finding:
    """Whether builds can be written; a folder that does not exist yet is not made."""
    remedy = "检查文件夹的权限和 KAIJUAN_DATA_DIR"
    existing = _existing(index_dir)
    try:
        if existing == index_dir:
            with tempfile.TemporaryFile(dir=index_dir) as file:
                file.write(b"x")
            return Finding("数据目录", "ok", f"{index_dir} 可以写入")
    except OSError as error:
        return Finding("数据目录", "bad", f"{index_dir} 不能写入（{error.strerror}）", remedy)
    if existing.is_dir() and os.access(existing, os.W_OK):
        return Finding("数据目录", "ok", f"{index_dir} 还不存在，第一次 ingest 时会建立")
    return Finding("数据目录", "bad", f"{existing} 不是可以写入的文件夹，{index_dir} 建不起来", remedy)


def space(free: int, largest: int) -> Finding:
    """Free bytes of the disk against the largest build, which the next ingest writes once more beside it."""
    said = f"剩余 {free / (1 << 30):.1f} GB，最大的索引 {largest / (1 << 20):.1f} MB"
    remedy = "腾出磁盘空间，或用 KAIJUAN_DATA_DIR 换到别的磁盘"
    if free < max(largest, _LEAST):
        return Finding("磁盘", "bad", f"{said}，放不下新索引", remedy)
    if free < _BUILDS * max(largest, _LEAST):
        return Finding("磁盘", "warn", f"{said}，快放不下新索引了", remedy)
    return Finding("磁盘", "ok", said)


def _of_collection(home: Home) -> Finding:
    name, active = home.collection, home.active()
    whole = [folder.name for folder in home.finished()]
    if active is None or active not in whole:
        said = "没有 CURRENT 指针" if active is None else f"CURRENT 指向“{active[:32]}”，没有这个完整的版本"
        if not whole:
            return Finding("索引", "bad", f"{said}，集合尚未建立索引", f"运行 python -m ingest {name}")
        return Finding("索引", "bad", said, f"运行 python -m ingest rollback {name} {whole[-1]}，让这个版本回答")
    try:
        return whole_build(home.folder / active)
    except IndexMismatch as error:
        return Finding.of_sentence("索引", error)
    except (EngineError, *_DAMAGE) as error:
        why = Finding.of_sentence("", error).said if isinstance(error, EngineError) else str(error)
        # Where only the passages or vectors are damaged, an ingest finds the same documents and leaves all as it is.
        remedy = f"删除文件夹 {home.folder / active} 后运行 python -m ingest {name} 重建"
        if others := [version for version in whole if version != active]:
            remedy += f"，或先用 python -m ingest rollback {name} {others[-1]} 退回"
        return Finding("索引", "bad", f"版本 {active} 已损坏（{why}）", remedy)


def whole_build(folder: Path) -> Finding:
    """Open a build as a question does, and read samples of it.

    Raises IndexMismatch for another format, EngineError for a damaged passage, OSError, ValueError … for other damage.
    """
    snapshot = Snapshot(folder)
    meta = snapshot.meta
    sample = np.linspace(0, snapshot.chunks - 1, min(snapshot.chunks, _SAMPLE)).astype(int)
    for ordinal in sample.tolist():
        _ = snapshot.store[ordinal]
    if meta.dims and snapshot.chunks:
        vectors = map_array(folder / "vectors.f32").reshape(snapshot.chunks, meta.dims)[sample]
        wrong = np.flatnonzero(~(np.abs(np.linalg.norm(vectors, axis=1) - 1.0) < 1e-3))  # so written, it finds NaN too
        if len(wrong):
            raise ValueError(f"抽查的 {len(sample)} 个向量中有 {len(wrong)} 个长度不是 1")
    vectors_said = f"{meta.embedder}（{meta.dims} 维）" if meta.embedder else "没有向量"
    size = _size(folder) / (1 << 20)
    said = f"{folder.name}，{snapshot.documents} 篇 {snapshot.chunks} 段，{vectors_said}，{size:.1f} MB，建于 {meta.created}"
    return Finding("索引", "ok", said)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


def _largest(index_dir: Path) -> int:
    """Bytes of the largest build."""
    return max((_size(meta.parent) for meta in index_dir.glob("*/v*/meta.json")), default=0)


def _size(folder: Path) -> int:
    with suppress(OSError):  # an ingest may delete it meanwhile
        return sum(path.stat().st_size for path in folder.iterdir())
    return 0
