"""One file as documents: its kind by content, its reader by kind, and every failure a sentence of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kaijuan.errors import CorpusError
from kaijuan.readers import front_matter
from kaijuan.readers.converted import Converted
from kaijuan.readers.csv import read_csv
from kaijuan.readers.decode import decode
from kaijuan.readers.document import document_of
from kaijuan.readers.front_matter import FrontMatter
from kaijuan.readers.jsonl import read_jsonl
from kaijuan.readers.kind import Kind, kind_of
from kaijuan.readers.limits import Limits
from kaijuan.readers.markdown import markdown_document
from kaijuan.readers.metadata import Metadata, overridden
from kaijuan.readers.place import check_place, relative
from kaijuan.readers.plain import plain_document
from kaijuan.readers.remarks import Remarks, Warn
from kaijuan.readers.result import ReadError, Skipped
from kaijuan.readers.rules import Rules
from kaijuan.types import Document

_LOG = logging.getLogger(__name__)

Found = Sequence[Document | Skipped]


def read_file(
    path: Path,
    root: Path,
    warn: Warn | None = None,
    rules: Rules | None = None,
    metadata: Metadata | None = None,
) -> tuple[Document | Skipped, ...]:
    """Documents of one file under `root`, and its records that were left out; at least one of either.

    Without `metadata` that of the folders above the file is read. Raises ReadError (a CorpusError) when the whole file
    cannot be taken in, whatever the reason; CorpusError when a metadata.csv cannot be read.
    """
    name = relative(path, root)
    warn, rules = warn or _LOG.debug, rules or Rules()
    check_place(path, root, name)
    metadata = metadata or _metadata_above(path, root, warn, rules)

    def read(say: Warn) -> Found:
        return _read(path, name, rules.limits, Remarks(name, say, rules.groups))

    found = rules.in_front(path, name, warn, read) if rules.in_front else read(warn)
    return tuple(_with_metadata(found, metadata, name, warn))


def _metadata_above(path: Path, root: Path, warn: Warn, rules: Rules) -> Metadata:
    metadata = Metadata(root, warn, rules.groups)
    for directory in reversed(path.parents):
        if directory.is_relative_to(root):
            metadata.enter(directory)
    return metadata


def _read(path: Path, name: str, limits: Limits, remarks: Remarks) -> Found:
    try:
        size = path.stat().st_size
        if size == 0:
            raise _empty(name)
        limits.check_size(size, name)
        read = _READERS[kind_of(path, name)]
        return read(path.read_bytes(), name, limits, remarks)
    except ReadError:
        raise
    except CorpusError as error:
        raise ReadError(f"{name} 未读入：{error}") from error
    except ImportError as error:
        _LOG.warning("no reader for %s", name, exc_info=True)
        message = f"{name} 未读入，读取它需要的组件 {error.name} 没有安装，请运行 scripts/setup。"
        raise ReadError(message, "no reader") from error
    except OSError as error:
        raise ReadError(f"{name} 无法读取（{error.strerror}），请检查文件和权限。") from error
    except Exception as error:  # a file nobody has thought of must not end the ingest of all others
        _LOG.exception("reader failed on %s", name)
        raise ReadError(f"{name} 无法读取（{type(error).__name__}），请另存或转为 .md 后再导入。") from error


def _with_metadata(found: Found, metadata: Metadata, name: str, warn: Warn) -> list[Document | Skipped]:
    entries = metadata.about(name)
    alone = len(found) == 1
    for entry in entries:
        if not alone and (entry.matter.id or entry.matter.title):
            warn(f"{entry.place}的编号和标题没有用上，因为 {name} 里有多份资料；请写在文件内的每一条里。")
        found = [overridden(one, entry, alone) if isinstance(one, Document) else one for one in found]
    return list(found)


def _text(data: bytes, name: str, remarks: Remarks) -> str:
    text = decode(data)
    if broken := text.count("\ufffd"):
        remarks.say(f"{name} 有 {broken} 处文字无法识别，请检查文件的编码。")
    return text


def _markdown(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    matter, body = _split(data, name, remarks)
    return [markdown_document(body, matter, name)]


def _plain(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    matter, body = _split(data, name, remarks)
    return [plain_document(body, matter, name)]


def _split(data: bytes, name: str, remarks: Remarks) -> tuple[FrontMatter, str]:
    matter, body = front_matter.split(_text(data, name, remarks))
    _check_visible(body, name)
    remarks.look_over(matter)
    return matter, body


def _csv(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    text = _text(data, name, remarks)
    _check_visible(text, name)
    return read_csv(text, name, limits, remarks)


def _jsonl(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    text = _text(data, name, remarks)
    _check_visible(text, name)
    return read_jsonl(text, name, limits, remarks)


def _html(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    from kaijuan.readers.html import page_text, read_html

    matter, page = front_matter.split_comment(page_text(data))
    remarks.look_over(matter)
    return _converted(read_html(page, name, limits), matter, name, remarks)


# Readers that need a library of their own are loaded when the first such file comes: where it is missing, only such
# files are left out.
def _docx(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    from kaijuan.readers.docx import read_docx

    return _converted(read_docx(data, name), FrontMatter(), name, remarks)


def _xlsx(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    from kaijuan.readers.xlsx import read_xlsx

    return _converted(read_xlsx(data, name, limits), FrontMatter(), name, remarks)


def _pdf(data: bytes, name: str, limits: Limits, remarks: Remarks) -> Found:
    from kaijuan.readers.pdf import read_pdf

    return _converted(read_pdf(data, name, limits), FrontMatter(), name, remarks)


def _converted(converted: Converted, matter: FrontMatter, name: str, remarks: Remarks) -> Found:
    for warning in converted.warnings:
        remarks.say(warning)
    _check_visible(converted.text, name)
    matter = replace(matter, updated=matter.updated or converted.updated)
    return [replace(document_of(converted.text, matter, name, converted.title), pages=converted.pages)]


def _check_visible(text: str, name: str) -> None:
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise _empty(name)


def _empty(name: str) -> ReadError:
    return ReadError(f"{name} 是空文件，没有可以索引的文字，请补充内容或删除它。", "empty")


_READERS: Mapping[Kind, Callable[[bytes, str, Limits, Remarks], Found]] = {
    "markdown": _markdown,
    "text": _plain,
    "html": _html,
    "csv": _csv,
    "jsonl": _jsonl,
    "docx": _docx,
    "xlsx": _xlsx,
    "pdf": _pdf,
}
