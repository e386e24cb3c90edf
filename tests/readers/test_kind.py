"""Kinds of files: content first, suffix second, and what is said about files that hold no text."""

import io
import zipfile
from pathlib import Path

import pytest

from kaijuan.readers.kind import HEAD, kind_of
from kaijuan.readers.result import ReadError

PAGE = "<!DOCTYPE html><html><body><p>退货</p></body></html>"
RECORDS = '{"id": "a", "text": "退货"}\n{"id": "b", "text": "换货"}\n'


def put(root: Path, name: str, content: str | bytes) -> Path:
    path = root / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def zipped(*parts: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for part in parts:
            archive.writestr(part, "x")
    return made.getvalue()


def ole2(*streams: str, far: bool = False) -> bytes:
    """The head of an OLE2 file whose directory, in the first or a far sector, names these streams."""
    sector = 400 if far else 0
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    header[30:32] = (9).to_bytes(2, "little")
    header[48:52] = sector.to_bytes(4, "little")
    names = b"".join(stream.encode("utf-16-le").ljust(128, b"\0") for stream in streams)
    return bytes(header) + b"\0" * 512 * sector + names.ljust(8192, b"\0")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.md", "# 退货\n", "markdown"),
        ("a.md", "<div align=center>\n\n# 退货\n\n</div>", "markdown"),
        ("a.md", PAGE, "html"),
        ("a.MARKDOWN", "x", "markdown"),
        ("a.txt", "# 退货\n", "text"),
        ("a.txt", PAGE, "html"),
        ("a.txt", "<p>退货</p>", "html"),
        ("a.txt", "<E4032> 表示超时", "text"),
        ("a.txt", RECORDS, "jsonl"),
        ("a.txt", '{"id": 1', "text"),
        ("a.txt", "型号\t价格\nA\t5\nB\t6\n", "csv"),
        ("a.txt", "第一行\t有一个制表符\n第二行没有\n第三行\n", "text"),
        ("a.txt", "---\nid: s1\n---\n" + PAGE, "html"),
        ("a.csv", "问题,答案\n", "csv"),
        ("a.csv", RECORDS, "jsonl"),
        ("a.tsv", "a\tb\n", "csv"),
        ("a.html", "<h1>退货</h1>正文", "html"),
        ("a.html", "没有标签的正文", "text"),
        ("a.htm", "<!-- id: s1 -->\n<!doctype html><p>x", "html"),
        ("a.jsonl", '{"id": "坏', "jsonl"),
        ("a.json", '[\n {"text": "退货"}\n]', "jsonl"),
        ("a.docx", PAGE, "html"),
        ("a.xls", "<table><tr><td>x</td></tr></table>", "html"),
        ("README", "# 退货\n正文", "markdown"),
        ("NOTES", "退货说明", "text"),
        ("a.docx", zipped("[Content_Types].xml", "word/document.xml"), "docx"),
        ("a.zip", zipped("xl/workbook.xml"), "xlsx"),
        ("a.txt", zipped("word/document2.xml"), "docx"),
        ("a.txt", b"%PDF-1.7\n", "pdf"),
        ("a.pdf", b"\r\n\0\0junk%PDF-1.4\n", "pdf"),
        ("a.txt", "以 %PDF- 开头的文件是 PDF。", "text"),
        ("gbk.csv", "问题,答案\n怎么退货,申请\n".encode("gb18030"), "csv"),
        ("wide.txt", ("退货" * 20000).encode("utf-16"), "text"),
        ("long.txt", "退货须知" * HEAD, "text"),
        ("long2.txt", ("x" + "退货须知" * HEAD).encode("gb18030"), "text"),
    ],
)
def test_kinds(tmp_path: Path, name: str, content: str | bytes, kind: str) -> None:
    assert kind_of(put(tmp_path, name, content), name) == kind


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("a.doc", ole2("Root Entry", "WordDocument"), "old format", "docx"),
        ("a.doc", ole2("Root Entry", "WordDocument", far=True), "old format", ".doc）"),
        ("a.xls", ole2("Root Entry", "Workbook"), "old format", "xlsx"),
        ("a.docx", ole2("Root Entry", "EncryptedPackage"), "encrypted", "密码"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "unknown type", "图片"),
        ("a.md", b"\xff\xd8\xff\xe0" + b"\0" * 50, "unknown type", "图片"),
        ("a.svg", '<?xml version="1.0"?><svg xmlns="x"><text>退货</text></svg>', "unknown type", "图片"),
        ("a.zip", zipped("a.md"), "unknown type", "解压"),
        ("a.gz", b"\x1f\x8b\x08\0\0\0", "unknown type", "解压"),
        ("a.docx", b"PK\x03\x04broken", "damaged", "损坏"),
        ("a.pptx", zipped("ppt/presentation.xml"), "unknown type", "演示文稿"),
        ("a.rtf", b"{\\rtf1 x}", "old format", "docx"),
        ("a.docx", "只是文字", "damaged", ".txt"),
        ("a.py", "print(1)", "unknown type", "不受支持"),
        ("图.png", "x", "unknown type", "不受支持"),
        ("a.jsonl", "只是文字", "unreadable", "JSON"),
        ("a.txt", bytes(range(128, 256)) * 9, "unreadable", "UTF-8"),
        ("a.bin", bytes(range(128, 256)) * 9, "unknown type", "不受支持"),
    ],
)
def test_refused(tmp_path: Path, name: str, content: str | bytes, code: str, said: str) -> None:
    with pytest.raises(ReadError) as raised:
        kind_of(put(tmp_path, name, content), name)
    message = str(raised.value)
    assert (raised.value.reason_code, said in message, name in message) == (code, True, True), message
    assert message.endswith("。") and message.count("。") == 1
