"""Kinds: what a file is by its content first and by its suffix second.

Only the start of a file is read, and the directory of an office file. What content cannot tell (Markdown from plain
text, CSV from text) the suffix decides; a suffix that promises something else than plain text is not believed blindly.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import BinaryIO, Literal
from zipfile import BadZipFile, ZipFile

from kaijuan.errors import CorpusError
from kaijuan.readers.decode import decode_start
from kaijuan.readers.result import ReadError
from kaijuan.readers.signatures import refused_binary

Kind = Literal["markdown", "text", "html", "docx", "xlsx", "csv", "jsonl", "pdf"]

#: Bytes that are looked at.
HEAD = 64 * 1024
#: Suffixes under which text is taken as it is.
_TEXT_SUFFIXES: dict[str, Kind] = {
    ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".text": "text", ".csv": "csv", ".tsv": "csv",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
}  # fmt: skip
_WORDS = {".doc": "Word 文档", ".docx": "Word 文档", ".xls": "Excel 表格", ".xlsx": "Excel 表格", ".pdf": "PDF"}
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_COMMENTS = re.compile(r"\s*(?:(?:<!--.*?-->|<\?xml.*?\?>)\s*)*", re.DOTALL)
_FRONT_MATTER = re.compile(r"\s*-{3,}[ \t]*\n.*?\n(?:-{3,}|\.{3})[ \t]*\n", re.DOTALL)
_PAGE = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK = re.compile(
    r"<(?:head|body|div|p|table|section|article|main|h[1-6]|ul|ol|meta|title|style)\b[^<>]*>", re.IGNORECASE
)
_CLOSING = re.compile(
    r"</(?:head|body|div|p|table|section|article|main|h[1-6]|ul|ol|li|tr|td|title|style)>", re.IGNORECASE
)
_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_RULE_ROW = re.compile(r"^\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+", re.MULTILINE)
_RECORDS = re.compile(r"\[\s*\{")
_WEB_ARCHIVE = re.compile(r"(?:[\w-]+:.*\n)*?(?:MIME-Version|Content-Type):", re.IGNORECASE)


def kind_of(path: Path, name: str) -> Kind:
    """Kind of a file; raises ReadError with what to do for a file that cannot be read, OSError where it cannot be opened."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        if head.startswith(_OLE2):
            raise _old_office(file, head, name)
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return _zipped(file, name)
    suffix = path.suffix.lower()
    if b"%PDF-" in (head[:1024] if suffix == ".pdf" else head.lstrip()[:5]):
        return "pdf"
    if head.lstrip()[:5] == b"{\\rtf":
        raise ReadError(f"{name} 是 RTF 文档，无法读取，请另存为 .docx 后再导入。", "old format")
    if refused := refused_binary(head):
        raise ReadError(f"{name} 是{refused[0]}，没有可以索引的文字，{refused[1]}。", "unknown type")
    try:
        text = decode_start(head)
    except CorpusError as error:
        if suffix in _TEXT_SUFFIXES:
            raise ReadError(f"{name} 未读入：{error}") from error
        raise _unknown(name, suffix) from error
    return _kind_of_text(text, suffix, name)


def _kind_of_text(text: str, suffix: str, name: str) -> Kind:
    body = _after(_FRONT_MATTER, text)
    start = body[_end(_COMMENTS, body) :]
    if start[:4].lower() == "<svg":
        raise ReadError(
            f"{name} 是图片（SVG），没有可以索引的文字，请把图中的文字写成 .md 或 .txt 文件。", "unknown type"
        )
    if _PAGE.match(start):
        return "html"
    if suffix in (".mht", ".mhtml", ".eml") and _WEB_ARCHIVE.match(start):
        raise ReadError(f"{name} 是邮件或单文件网页，无法读取，请用浏览器打开后另存为 .html。", "old format")
    # Markdown may hold tags of its own, so that only a whole page turns a .md into HTML.
    if suffix not in (".md", ".markdown") and _is_fragment(start):
        return "html"
    if suffix not in (".md", ".markdown", ".html", ".htm") and _holds_records(text):
        return "jsonl"
    known = _TEXT_SUFFIXES.get(suffix)
    if known == "html":
        return "html" if _TAG.search(text) else "text"
    if known == "jsonl":
        return _jsonl(text, name)
    if known == "text" and _is_tab_table(text):
        return "csv"
    if known is not None:
        return known
    if suffix:
        raise _unknown(name, suffix)
    return "markdown" if _is_markdown(text) else "text"


def _is_fragment(start: str) -> bool:
    """Whether a text is a piece of HTML: it begins with a block and closes blocks further on."""
    return bool(_BLOCK.match(start)) and bool(_CLOSING.search(start))


def _holds_records(text: str) -> bool:
    """Whether a text is JSON objects, one a line or in one array; a lone line must be whole to count."""
    stripped = text.strip()
    if _RECORDS.match(stripped):
        return True
    lines = [line for line in stripped.split("\n") if line.strip()][:2]
    return bool(lines) and all(_is_object(line) for line in lines)


def _is_object(line: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _jsonl(text: str, name: str) -> Kind:
    """A file named as JSON, unless nothing in it looks like a record; a broken first line is the reader's to report."""
    if not text.strip() or "{" in text:
        return "jsonl"
    raise ReadError(f"{name} 的内容不是 JSON，请改成每行一个 {{…}} 的 JSON Lines，或改名为 .txt。")


def _is_tab_table(text: str) -> bool:
    """Whether every line has the same two or more tabs, as spreadsheets write text files."""
    lines = [line for line in text.split("\n")[:50] if line.strip()]
    counts = {line.count("\t") for line in (lines[:-1] if len(lines) == 50 else lines)}
    return len(lines) >= 3 and len(counts) == 1 and counts.pop() >= 1


def _is_markdown(text: str) -> bool:
    # One "# …" line may be a remark of a settings file; front matter or a table's rule line is none.
    return bool(_FRONT_MATTER.match(text) or _RULE_ROW.search(text)) or len(_HEADING.findall(text)) >= 1


def _zipped(file: BinaryIO, name: str) -> Kind:
    """Office files by the parts in their directory."""
    try:
        with ZipFile(file) as archive:
            parts = [part.lower() for part in archive.namelist()]
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        message = f"{name} 已损坏或没有下载完整，无法打开，请用办公软件打开并另存后重新导入。"
        raise ReadError(message, "damaged") from error
    if any(part.startswith("word/document") for part in parts):
        return "docx"
    if "xl/workbook.xml" in parts:
        return "xlsx"
    if "xl/workbook.bin" in parts:
        raise ReadError(f"{name} 是二进制 Excel 表格（.xlsb），无法读取，请另存为 .xlsx。", "old format")
    if any(part.startswith("ppt/") for part in parts):
        raise ReadError(f"{name} 是演示文稿，无法读取，请把文字另存为 .docx 或 PDF。", "unknown type")
    if "content.xml" in parts and "mimetype" in parts:
        raise ReadError(f"{name} 是 OpenDocument 文件，无法读取，请另存为 .docx 或 .xlsx。", "unknown type")
    if "meta-inf/container.xml" in parts:
        raise ReadError(f"{name} 是电子书（EPUB），无法读取，请转成 .html 或 .md。", "unknown type")
    raise ReadError(f"{name} 是压缩包，没有读入，请解压后把里面的文件放进资料文件夹。", "unknown type")


def _old_office(file: BinaryIO, head: bytes, name: str) -> ReadError:
    """What an OLE2 file is, by the names in its directory."""
    directory = _ole2_directory(file, head)

    def holds(*streams: str) -> bool:
        return any(stream.encode("utf-16-le") in directory for stream in streams)

    if holds("EncryptedPackage", "EncryptionInfo"):
        return ReadError(f"{name} 设有打开密码，无法读取，请去掉密码后另存再导入。", "encrypted")
    if holds("WordDocument"):
        return ReadError(f"{name} 是旧版 Word 文档（.doc），无法读取，请另存为 .docx。", "old format")
    if holds("Workbook", "Book"):
        return ReadError(f"{name} 是旧版 Excel 表格（.xls），无法读取，请另存为 .xlsx。", "old format")
    if holds("PowerPoint Document"):
        return ReadError(f"{name} 是旧版演示文稿（.ppt），无法读取，请把文字另存为 .docx 或 PDF。", "old format")
    return ReadError(f"{name} 是旧版办公文件，无法读取，请另存为 .docx、.xlsx 或 PDF。", "old format")


def _ole2_directory(file: BinaryIO, head: bytes) -> bytes:
    """The first sectors of the directory, whose place the header gives; the head of the file where that is damaged."""
    shift, first = int.from_bytes(head[30:32], "little"), int.from_bytes(head[48:52], "little")
    if shift not in (9, 12):
        return head
    try:
        file.seek((first + 1) << shift)
        return file.read(8192) or head
    except (OSError, ValueError):
        return head


def _unknown(name: str, suffix: str) -> ReadError:
    if suffix in _WORDS:
        message = f"{name} 的内容不是{_WORDS[suffix]}，请用原来的程序打开并另存，纯文本请改名为 .txt。"
        return ReadError(message, "damaged")
    return ReadError(f"{name} 的类型不受支持，请转为 .md、.txt、.html、.csv、.docx、.xlsx 或 PDF。", "unknown type")


def _after(pattern: re.Pattern[str], text: str) -> str:
    return text[_end(pattern, text) :]


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
