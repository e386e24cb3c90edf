"""Stage 2, the index: whether what stands on disk stands in the index as it is, open to who asks, and in force."""

from __future__ import annotations

from datetime import UTC, datetime

from kaijuan.answering.standing import label
from kaijuan.chunking import recipe
from kaijuan.collection import Collection
from kaijuan.diagnosis.locate import Located
from kaijuan.diagnosis.spelling import share, squeeze
from kaijuan.diagnosis.types import Check, Fact
from kaijuan.types import Chunk, Viewer


def check_index(
    located: Located, own: Chunk | None, collection: Collection, viewer: Viewer, today: str, passed_over: bool
) -> Check:
    """The verdict on the index; `passed_over` says that the passage stood in the context and was not used.

    `today` is an ISO day.
    """
    ingest = f"python -m ingest {collection.name}"
    if located.meta is None:
        return _lost("集合还没有索引", (), "先入库", ingest)
    if own is None:
        return _absent(located, collection, ingest)
    if not viewer.may_read(own.audience):
        groups = "、".join(sorted(viewer.groups)) or "（无）"
        closed = (Fact("可看的组", "、".join(own.audience)), Fact("提问者的组", groups), Fact("片段", own.id))
        remedy = "确认该不该看；该看就把提问者加入其中一组，或改资料的 audience 后重新入库"
        return _lost("提问者没有查看这份资料的权限", closed, remedy, ingest)
    facts: tuple[Fact, ...] = (
        Fact("片段", own.id),
        *_others(located),
        *_settings(located, collection),
        *_changes(located, own, collection),
    )
    if passed_over and (held := label(own, today)):
        by = own.standing.by if own.standing else ""
        facts = (Fact("效力", held), *((Fact("取代它的资料", by),) if by else ()), *facts)
        remedy = "以现行资料为准；如果这份仍然有效，请改它的效力信息后重新入库"
        return _lost(f"资料{held}，排在现行资料之后", facts, remedy, ingest)
    return Check("index", "kept", "索引里有，提问者可以看", facts)


def _absent(located: Located, collection: Collection, ingest: str) -> Check:
    """Nothing in the index holds the passage."""
    document = located.document
    if document is None:
        return _not_on_disk(located, ingest)
    times = _times(located, collection)
    where = Fact("文件", document.path or document.id)
    if not located.indexed:
        return _lost("文件在资料目录里，索引里没有这份资料", (where, *times), "重新入库", ingest)
    nearest = max(located.indexed, key=lambda c: share(located.needle, squeeze(c.text)))
    instead = Fact(f"索引里的 {nearest.id}", " ".join(nearest.text.split())[:120])
    if _is_newer(located, collection):
        return _lost("索引比文件旧，里面是改动之前的文字", (where, *times, instead), "重新入库", ingest)
    remedy = "重新入库，看报告里被拒的片段和原因"
    return _lost("文件里有这段文字，索引里的这份资料没有", (where, *times, instead), remedy, ingest)


def _not_on_disk(located: Located, ingest: str) -> Check:
    if located.left_out:
        facts = tuple(Fact(f"跳过的文件 {s.path}", s.message) for s in located.left_out)
        return _lost("文件没有读进来", facts, "按上面的原因处理文件，再重新入库", ingest)
    if located.spoiled:
        facts = (
            Fact("资料", located.spoiled_in),
            Fact("问题", located.spoiled.how),
            Fact("那里现在是", located.spoiled.instead[:160]),
        )
        remedy = "修正原文件（另存为 UTF-8、去掉页眉页脚、改对文字），再重新入库"
        return _lost("文字读进来时走了样", facts, remedy, ingest)
    facts = (Fact("找过的地方", "资料目录里的全部文件和索引"),)
    return _lost("你能看的资料里没有这段文字", facts, "把写有它的资料放进集合的文件夹，再入库", ingest)


def _lost(said: str, evidence: tuple[Fact, ...], remedy: str, command: str) -> Check:
    return Check("index", "lost", said, evidence, remedy, command)


def _others(located: Located) -> tuple[Fact, ...]:
    return (Fact("同样的文字还在", "、".join(located.others)),) if located.others else ()


def _settings(located: Located, collection: Collection) -> tuple[Fact, ...]:
    """What a build was made with, where the settings have changed since."""
    wanted = recipe(collection.chunk_chars, collection.overlap_chars)
    if located.meta is None or located.meta.chunking == wanted:
        return ()
    return (Fact("分段设置", f"索引是 {located.meta.chunking}，现在是 {wanted}，尚未重新入库"),)


def _changes(located: Located, own: Chunk, collection: Collection) -> tuple[Fact, ...]:
    """What became of the file since, where the index still answers from what it was."""
    if located.document is None:
        return (Fact("文件", "已不在资料目录里，尚未重新入库"),)
    # Apart from a repeated header, a chunk holds its stretch of the document verbatim.
    if located.document.id == own.source_id and located.document.text[own.start : own.end] not in own.text:
        return (Fact("文件", "已改动，索引里是改动之前的文字"), *_times(located, collection))
    return ()


def _times(located: Located, collection: Collection) -> tuple[Fact, ...]:
    built = located.meta.created if located.meta else ""
    changed = _changed(located, collection)
    said = changed.isoformat(timespec="seconds") if changed else "不详"
    return Fact("文件改于", said), Fact("索引建于", built)


def _is_newer(located: Located, collection: Collection) -> bool:
    """Whether the file was changed after the index was made, to the second that the index knows."""
    changed = _changed(located, collection)
    if changed is None or located.meta is None:
        return False
    return changed.replace(microsecond=0) >= datetime.fromisoformat(located.meta.created)


def _changed(located: Located, collection: Collection) -> datetime | None:
    if located.document is None or not located.document.path:
        return None
    try:
        return datetime.fromtimestamp((collection.folder / located.document.path).stat().st_mtime, UTC)
    except OSError:
        return None
