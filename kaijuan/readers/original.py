"""The file that a document was read from, as it is, for those who may read all that is in it."""

from __future__ import annotations

from kaijuan.collection import Collection
from kaijuan.errors import CorpusError, ViewError
from kaijuan.readers.file import read_file
from kaijuan.readers.rules import rules_of
from kaijuan.types import Chunk, Document, Viewer


def original(collection: Collection, chunk: Chunk, viewer: Viewer) -> bytes:
    """Bytes of the file that holds a chunk's document.

    The file is read anew, because a table may hold records for other groups beside this one, and its metadata may have
    changed since it was indexed. Raises ViewError when it is gone, no longer holds the document, or holds anything that
    is not open to the viewer.
    """
    name = chunk.path or chunk.source_id
    path = collection.folder / name
    try:
        data = path.read_bytes() if path.resolve().is_relative_to(collection.folder.resolve()) else b""
        found = read_file(path, collection.folder, rules=rules_of(collection))
        same = path.read_bytes() == data
    except (OSError, ValueError, CorpusError) as error:
        raise ViewError(f"原文件 {name} 现在读不出来（{error}），请联系资料管理员。") from error
    documents = [item for item in found if isinstance(item, Document)]
    if not same or all(document.id != chunk.source_id for document in documents):
        raise ViewError(f"原文件 {name} 已经改动，里面没有这份资料了，请等资料重新索引后再下载。")
    # What was left out may have been left out because nobody knows who may read it.
    closed = len(documents) < len(found) or not all(viewer.may_read(document.audience) for document in documents)
    if closed and not viewer.sees_all:
        raise ViewError(f"原文件 {name} 里还有不对你开放的内容，只能在这里查看这一份。")
    return data
