"""metadata.csv beside the files: what it overrides, what is said about its rows, and that it never opens a document."""

from pathlib import Path

import pytest

from kaijuan.errors import CorpusError
from kaijuan.readers import Rules, read_file, read_folder
from kaijuan.types import Document, Standing


def write(root: Path, name: str, text: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def read(root: Path, *groups: str) -> tuple[dict[str, Document], tuple[str, ...]]:
    result = read_folder(root, Rules(groups=groups))
    assert result.skipped == ()
    return {document.path: document for document in result.documents}, result.warnings


def test_it_overrides_the_file_of_any_format(tmp_path: Path) -> None:
    write(
        tmp_path, "a.md", "---\nid: old\ntitle: 旧\nupdated: 2025-01-01\nstatus: 草案\nvalid_from: 2025-02\n---\n正文"
    )
    write(tmp_path, "faq/b.csv", "问题,答案\n甲,一\n乙,二\n")
    write(tmp_path, "c.html", "<title>页</title><p>正文")
    write(
        tmp_path,
        "metadata.csv",
        "文件,编号,标题,更新日期,部门,可见范围,状态,取代,生效日期,失效日期\r\n"
        "a.md,s1,新,2026年3月5日,客服部,客服；财务,现行,s0,,2026-12\r\n"
        ".\\faq\\b.csv,,,,,财务,,,,\r\n"
        "c.html,,,,,,,,,\r\n".encode("gb18030"),
    )
    documents, warnings = read(tmp_path)
    assert documents["a.md"] == Document(
        "s1", "新", "正文", "a.md", "2026-03-05", "客服部", audience=("客服", "财务"), supersedes=("s0",),
        standing=Standing(valid_from="2025-02", valid_until="2026-12"),
    )  # fmt: skip
    assert [d.audience for d in read_folder(tmp_path).documents] == [("客服", "财务"), (), ("财务",), ("财务",)]
    assert documents["c.html"].title == "页" and warnings == ()


def test_empty_cells_say_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ntitle: 甲\naudience: 财务\nstatus: 废止\n---\n正文")
    write(tmp_path, "metadata.csv", "path,title,audience,status\na.md,,,\n")
    document = read(tmp_path)[0]["a.md"]
    assert (document.title, document.audience, document.standing) == ("甲", ("财务",), Standing("withdrawn"))


def test_rows_that_mean_nothing_are_said_with_their_line(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "正文")
    write(tmp_path, "broken.png", "x")
    write(
        tmp_path,
        "metadata.csv",
        "path,updated,audience,颜色\nnone.md,,,\na.md,长期,法务,红\nbroken.png,,,\na.md,2026-03-05,,\n",
    )
    result = read_folder(tmp_path, Rules(groups=("客服",)))
    wanted = [
        ("第 1 行", "颜色"),
        ("第 3 行", "长期"),
        ("第 3 行", "法务"),
        ("第 5 行", "a.md"),
        ("第 2 行", "none.md"),
    ]
    assert len(result.warnings) == len(wanted)
    for warning, words in zip(result.warnings, wanted, strict=True):
        assert "metadata.csv" in warning and all(word in warning for word in words) and warning.endswith("。")
    assert [(d.audience, d.updated) for d in result.documents] == [(("法务",), "2026-03-05")]


def test_a_deeper_file_speaks_last(tmp_path: Path) -> None:
    write(tmp_path, "sub/a.md", "正文")
    write(tmp_path, "metadata.csv", "path,title,department\nsub/a.md,上,甲部\n")
    write(tmp_path, "sub/metadata.csv", "path,title\na.md,下\n")
    document = read(tmp_path)[0]["sub/a.md"]
    assert (document.title, document.department) == ("下", "甲部")
    assert read_file(tmp_path / "sub/a.md", tmp_path) == (document,)


@pytest.mark.parametrize(
    "table",
    [
        "title,audience\na.md,财务\n",
        "path,title,audience\na.md,一,二,财务\n",
        'path,title,audience\na.md,"一,财务\n',
        bytes(range(128, 256)) * 9,
    ],
)
def test_a_table_that_cannot_be_read_stops_everything(tmp_path: Path, table: str | bytes) -> None:
    """Without it the restricted document would be open."""
    write(tmp_path, "a.md", "正文")
    write(tmp_path, "metadata.csv", table)
    with pytest.raises(CorpusError, match=r"metadata\.csv"):
        read_folder(tmp_path)


def test_a_link_out_of_the_folder_is_no_metadata(tmp_path: Path) -> None:
    write(tmp_path, "other.csv", "path,title\na.md,甲\n")
    write(tmp_path, "root/a.md", "正文")
    (tmp_path / "root/metadata.csv").symlink_to(tmp_path / "other.csv")
    with pytest.raises(CorpusError, match="之外"):
        read_folder(tmp_path / "root")


def test_ids_of_a_file_of_many_stay(tmp_path: Path) -> None:
    write(tmp_path, "b.csv", "id,问题,答案\nq1,甲,一\nq2,乙,二\n")
    write(tmp_path, "metadata.csv", "path,id,department\nb.csv,x,甲部\n")
    result = read_folder(tmp_path)
    assert [(d.id, d.department) for d in result.documents] == [("q1", "甲部"), ("q2", "甲部")]
    assert len(result.warnings) == 1 and "多份资料" in result.warnings[0]
