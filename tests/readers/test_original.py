"""The file behind a document, for those who may read all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.chunking import chunk
from kaijuan.collection import Collection
from kaijuan.errors import ViewError
from kaijuan.readers import read_collection
from kaijuan.readers.original import original
from kaijuan.types import Chunk, Viewer

VISITOR, STAFF, ADMIN = Viewer(), Viewer("staff", frozenset({"客服"})), Viewer("admin", sees_all=True)
TABLE = "编号,标题,内容,可见范围\nq1,运费,满 99 元免运费。,\nq2,赔付,破损赔三倍。,客服\n"


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    folder = tmp_path / "帮助"
    folder.mkdir()
    (folder / "退货.md").write_bytes("---\r\nid: r1\r\n---\r\n# 退货\r\n\r\n七天内可退。\r\n".encode("gb18030"))
    (folder / "faq.csv").write_text(TABLE, encoding="utf-8")
    return Collection("帮助", folder, "帮助")


def chunks(collection: Collection) -> dict[str, Chunk]:
    return {d.id: chunk(d)[0] for d in read_collection(collection).documents}


def test_the_file_comes_as_it_is(collection: Collection) -> None:
    [own] = [c for c in chunks(collection).values() if c.source_id == "r1"]
    assert own.path == "退货.md"
    assert original(collection, own, VISITOR) == (collection.folder / "退货.md").read_bytes()


def test_a_file_that_holds_closed_records_is_for_those_who_may_read_them(collection: Collection) -> None:
    [open_record] = [c for c in chunks(collection).values() if "99" in c.text]
    with pytest.raises(ViewError, match="里还有不对你开放的内容"):
        original(collection, open_record, VISITOR)
    for viewer in (STAFF, ADMIN):
        assert original(collection, open_record, viewer).decode("utf-8") == TABLE


def test_what_was_closed_since_the_last_ingest_is_closed(collection: Collection) -> None:
    own = chunks(collection)["r1"]
    (collection.folder / "metadata.csv").write_text("path,audience\n退货.md,客服\n", encoding="utf-8")
    with pytest.raises(ViewError, match="不对你开放"):
        original(collection, own, VISITOR)
    assert original(collection, own, STAFF)


def test_a_file_that_is_gone_changed_or_outside_says_so(collection: Collection) -> None:
    own = chunks(collection)["r1"]
    outside = replace(own, path="../secret.md")
    (collection.folder.parent / "secret.md").write_text("---\nid: r1\n---\n# 密", encoding="utf-8")
    with pytest.raises(ViewError, match="读不出来"):
        original(collection, outside, ADMIN)
    (collection.folder / "退货.md").write_text("---\nid: r9\n---\n# 另一份", encoding="utf-8")
    with pytest.raises(ViewError, match="已经改动"):
        original(collection, own, ADMIN)
    (collection.folder / "退货.md").unlink()
    with pytest.raises(ViewError, match="读不出来"):
        original(collection, own, VISITOR)
