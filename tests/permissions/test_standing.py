"""A superseded document names its heir only to those who may read the heir."""

from __future__ import annotations

import pytest

from kaijuan.indexing.standing import with_standing
from kaijuan.types import Document, Standing


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ((), (), True),
        (("客服",), (), True),
        (("客服",), ("客服", "财务"), True),
        ((), ("客服",), False),
        (("客服", "财务"), ("客服",), False),
        (("财务",), ("客服",), False),
    ],
)
def test_an_heir_is_named_where_every_reader_may_read_it(
    old: tuple[str, ...], new: tuple[str, ...], named: bool
) -> None:
    documents = [
        Document("old", "旧", "正文", audience=old),
        Document("new", "新", "正文", audience=new, supersedes=("old",)),
    ]
    marked, _ = with_standing(documents)
    wanted = Standing("superseded", "new", "新") if named else Standing("superseded")
    assert marked[0].standing == wanted, "that it is superseded is told in any case"
