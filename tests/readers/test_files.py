"""Files of all kinds in one folder: limits, several documents a file, and readers that fail."""

import logging
import sys
from pathlib import Path

import pytest

from kaijuan.collection import load_collection
from kaijuan.errors import CorpusError
from kaijuan.readers import Limits, Rules, Skipped, read_collection, read_file, read_folder
from kaijuan.readers.limits import limits_of


def write(root: Path, name: str, text: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def test_one_folder_of_many_kinds(tmp_path: Path) -> None:
    write(tmp_path, "a.html", "<!-- id: h1\nupdated: 2026-03-05 -->\n<title>页</title><nav>目录</nav><p>正文")
    write(tmp_path, "b.csv", "问题,答案\n甲,一\n乙,二\n")
    write(tmp_path, "c.jsonl", '{"id":"x","text":"丙"}\n{坏\n{"id":"h1","text":"丁"}\n')
    write(tmp_path, "d.txt", "\ufeff第一行\r第二行\r\n")
    write(tmp_path, "~$e.docx", "x")
    write(tmp_path, "f.zip", b"PK\x05\x06" + b"\0" * 18)
    write(tmp_path, "g.docx", b"")
    result = read_folder(tmp_path)
    assert [(d.path, d.id, d.title) for d in result.documents] == [
        ("a.html", "h1", "页"), ("b.csv", "b.csv/1", "甲"), ("b.csv", "b.csv/2", "乙"), ("c.jsonl", "x", "c 1"), ("d.txt", "d.txt", "d"),
    ]  # fmt: skip
    assert result.documents[0].updated == "2026-03-05"
    assert result.documents[-1].text == "第一行\n第二行\n"
    assert [(s.path, s.reason_code, s.line) for s in result.skipped] == [
        ("c.jsonl", "broken line", 2), ("c.jsonl", "duplicate id", None), ("f.zip", "unknown type", None), ("g.docx", "empty", None),
    ]  # fmt: skip
    assert len(result.warnings) == 1 and "导航 2 字" in result.warnings[0]
    assert read_folder(tmp_path) == result


def test_a_page_of_nothing_but_furniture_is_empty(tmp_path: Path) -> None:
    write(tmp_path, "a.html", "<html><nav>目录</nav><script>x</script></html>")
    assert [s.reason_code for s in read_folder(tmp_path).skipped] == ["empty"]


def test_groups_of_front_matter_are_looked_at(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\naudience: 法务, 客服\n---\n正文")
    result = read_folder(tmp_path, Rules(groups=("客服",)))
    assert len(result.warnings) == 1 and "法务" in result.warnings[0] and "客服" not in result.warnings[0]
    assert result.documents[0].audience == ("法务", "客服")
    assert read_folder(tmp_path).warnings == ()


def test_a_reader_that_crashes_costs_its_file_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.html", "<html><p>正文</html>")
    write(tmp_path, "b.md", "正文")
    limit = sys.getrecursionlimit()
    write(tmp_path, "a.html", "<html>" + "<div>" * 90 + "正文" + "</html>")
    with caplog.at_level(logging.ERROR):
        sys.setrecursionlimit(_depth() + 60)
        try:
            result = read_folder(tmp_path)
        finally:
            sys.setrecursionlimit(limit)
    assert [d.id for d in result.documents] == ["b.md"]
    (skipped,) = result.skipped
    assert (
        skipped.reason_code == "unreadable" and "RecursionError" in skipped.message and skipped.message.endswith("。")
    )
    assert "Traceback" in caplog.text and "a.html" in caplog.text


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def test_a_missing_library_costs_its_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("selectolax", "kaijuan.readers.html"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "selectolax", None)
    write(tmp_path, "a.html", "<html><p>正文</html>")
    write(tmp_path, "b.md", "正文")
    result = read_folder(tmp_path)
    assert [d.id for d in result.documents] == ["b.md"]
    assert [(s.reason_code, "selectolax" in s.message) for s in result.skipped] == [("no reader", True)]


@pytest.mark.parametrize(
    ("name", "text", "limits", "said"),
    [
        ("a.md", "x" * 1_100_000, Limits(max_file_mb=1), "1.0 MB，超过上限 1 MB"),
        ("a.csv", "a,b\n" + "1,2\n" * 4, Limits(max_rows=3), "4 行，超过上限 3 行"),
        ("a.jsonl", '{"text": "甲"}\n' * 4, Limits(max_rows=3), "超过上限 3 行"),
        ("a.html", "<table>" + "<tr><td>1<td>2" * 4 + "</table>", Limits(max_cells=7), "超过上限 7 个"),
    ],
)
def test_limits_are_said_with_their_value(tmp_path: Path, name: str, text: str, limits: Limits, said: str) -> None:
    write(tmp_path, name, text)
    (skipped,) = read_folder(tmp_path, Rules(limits)).skipped
    assert skipped.reason_code == "too large" and said in skipped.message and "collection.toml" in skipped.message


def test_a_collection_sets_its_own_limits_and_groups(tmp_path: Path) -> None:
    write(tmp_path, "shop/collection.toml", 'groups = ["客服"]\n[limits]\nmax_rows = 1\n')
    write(tmp_path, "shop/a.csv", "a,b\n1,2\n3,4\n")
    write(tmp_path, "shop/b.md", "---\naudience: 法务\n---\n正文")
    result = read_collection(load_collection(tmp_path, "shop"))
    assert [s.reason_code for s in result.skipped] == ["too large"] and "法务" in result.warnings[0]


@pytest.mark.parametrize(("key", "value"), [("max_row", 5), ("max_rows", 0), ("max_rows", True), ("max_rows", "5")])
def test_limits_that_are_none(key: str, value: int) -> None:
    with pytest.raises(CorpusError, match=key):
        limits_of({key: value}, "shop")


def test_a_broken_record_is_told_from_a_broken_file(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", '{"text": "甲"}\n{坏\n')
    document, skipped = read_file(tmp_path / "a.jsonl", tmp_path)
    assert isinstance(skipped, Skipped) and skipped.line == 2 and not isinstance(document, Skipped)
