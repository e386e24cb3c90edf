"""PDF files as Markdown: headings, paragraphs joined over lines and pages, lists, tables, and where each page begins.

pdfium gives the characters with their places; how they form lines, columns, tables and paragraphs is told here, step
by step: glyphs → lines → running heads out → tables → reading order → paragraphs → Markdown.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as c

from kaijuan.readers.converted import Converted
from kaijuan.readers.dates import parse_date
from kaijuan.readers.limits import Limits
from kaijuan.readers.pdf_glyphs import MOST_CHARACTERS, Page, read_page
from kaijuan.readers.pdf_lines import Stretch, stretches, with_bullets
from kaijuan.readers.pdf_markdown import Bookmarks, to_markdown
from kaijuan.readers.pdf_order import Part, Region, place, reading_order
from kaijuan.readers.pdf_paragraphs import paragraphs
from kaijuan.readers.pdf_rules import Rules
from kaijuan.readers.pdf_running import without_contents, without_running
from kaijuan.readers.pdf_tables import aligned_tables, ruled_tables
from kaijuan.readers.result import ReadError

#: Characters of all pages together; a book of a thousand full pages has a million and a half.
MOST_TEXT = 5_000_000
#: Pieces of lines of a page; in more of them neither columns nor tables are looked for.
MOST_STRETCHES = 3_000
#: Bookmarks that are looked at.
MOST_BOOKMARKS = 5_000
#: A page with a picture and fewer characters than this is taken for scanned.
_SCANNED = 5
_LONGEST_TITLE = 200
_MOST_NAMED = 8

_NO_TITLE = re.compile(
    r"microsoft (?:word|excel|powerpoint)\b.*|.*\.(?:docx?|xlsx?|pptx?|pdf|wps|et|txt|indd|tmp|html?)|"
    r"(?:文档|document|book|幻灯片)\s*\d*|无标题.*|untitled.*|title|about:blank|https?:.*|[\W\d_]*",
    re.IGNORECASE,
)
_WRITTEN = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")
# pdfium must not be used by two threads at once.
_ONE_AT_A_TIME = threading.Lock()


def read_pdf(data: bytes, name: str, limits: Limits | None = None) -> Converted:
    """The PDF `data` of the file `name` as Markdown; `pages` are offsets of all its pages, the first one first.

    A page that cannot be read is left out and reported. Raises ReadError for a file that is under a password, damaged,
    too large, empty, or scanned without text.
    """
    with _ONE_AT_A_TIME, _opened(data, name) as document:
        (limits or Limits()).check_pages(len(document), name)
        pages, failed = _read_pages(document, name)
        bookmarks = _bookmarks(document)
        title, updated = _title(document), _updated(document)
    _check_text(pages, failed, name)
    result = _converted(pages, bookmarks)
    warnings = (*_remarks(pages, failed, name), *_left_out(result, name))
    return Converted(result.text, title, updated, warnings, result.pages)


@dataclass(frozen=True, slots=True)
class _Result:
    """Markdown, page offsets, the running lines and how many lines of contents were left out."""

    text: str
    pages: tuple[int, ...]
    running: list[str]
    contents: int


@contextmanager
def _opened(data: bytes, name: str) -> Iterator[pdfium.PdfDocument]:
    try:
        document = pdfium.PdfDocument(data)
        count = len(document)
    except pdfium.PdfiumError as error:
        if error.err_code in (c.FPDF_ERR_PASSWORD, c.FPDF_ERR_SECURITY):
            raise ReadError(f"{name} 设有打开密码，无法读取；请去掉密码后另存再导入。", "encrypted") from error
        raise _damaged(name) from error
    try:
        if not count:
            raise _damaged(name)
        yield document
    finally:
        document.close()


def _damaged(name: str) -> ReadError:
    return ReadError(f"{name} 已损坏或内容与扩展名不符，无法读取；请用 PDF 阅读器打开并另存后重新导入。", "damaged")


def _without_text(name: str) -> ReadError:
    return ReadError(f"{name} 是扫描件，没有可以读取的文字，需要先做文字识别；请识别并另存后重新导入。", "no text")


def _read_pages(document: pdfium.PdfDocument, name: str) -> tuple[list[Page], list[int]]:
    """All pages, and the numbers of those that could not be read, which count as blank."""
    pages: list[Page] = []
    failed: list[int] = []
    total = 0
    for index in range(len(document)):
        try:
            page = document[index]
            try:
                pages.append(read_page(page))
            finally:
                page.close()
        except (pdfium.PdfiumError, ValueError, OverflowError):
            failed.append(index + 1)
            pages.append(Page(0, 0, ()))
        total += len(pages[-1].glyphs)
        if total > MOST_TEXT:
            raise ReadError(f"{name} 前 {index + 1} 页就超过 {MOST_TEXT} 个字，未读入；请拆分文件。", "too large")
    return pages, failed


def _check_text(pages: Sequence[Page], failed: Sequence[int], name: str) -> None:
    if any(page.glyphs for page in pages):
        return
    if len(failed) == len(pages):
        raise _damaged(name)
    if any(page.pictures for page in pages):
        raise _without_text(name)
    raise ReadError(
        f"{name} 的页面上没有可以读取的文字；请用 PDF 阅读器确认内容，图形文字需要先做文字识别。", "no text"
    )


def _converted(pages: Sequence[Page], bookmarks: Bookmarks) -> _Result:
    upright = [_stretches(page) for page in pages]
    kept, left_out = without_running(upright, [page.height for page in pages])
    kept, contents = without_contents(kept)
    if not any(kept):  # nothing but pages that say the same
        kept, left_out, contents = upright, [], 0
    ordered = [_regions(page, number, parts) for number, (page, parts) in enumerate(zip(pages, kept, strict=True))]
    items = paragraphs(ordered, [page.width for page in pages])
    text, starts = to_markdown(items, len(pages), bookmarks)
    return _Result(text, starts, left_out, contents)


def _stretches(page: Page) -> list[Stretch]:
    found = stretches(page.glyphs, page.rules)
    return with_bullets(found, page.dots) if len(found) <= MOST_STRETCHES else found


def _regions(page: Page, number: int, parts: Sequence[Stretch]) -> list[Region]:
    """A page's regions in reading order, tables among them; what stands sideways comes last."""
    if len(parts) > MOST_STRETCHES:
        return [Region(tuple(sorted(parts, key=place)))]
    ruled, rest = ruled_tables(parts, page.rules, number)
    regions: list[Region] = []
    for region in reading_order([*rest, *ruled]):
        lines = [part for part in region.parts if isinstance(part, Stretch)]
        aligned, running = aligned_tables(lines, number)
        inside = [part for part in region.parts if not isinstance(part, Stretch)]
        in_order: list[Part] = sorted([*inside, *aligned, *running], key=place)
        regions.append(Region(tuple(in_order), region.column))
    for glyphs in page.sideways:
        regions += reading_order(stretches(glyphs, Rules()), column=True)
    return regions


def _bookmarks(document: pdfium.PdfDocument) -> dict[tuple[int, str], int]:
    """Levels (from 1) of the file's bookmarks by page (from 0) and title without blanks; none where they are damaged."""
    found: dict[tuple[int, str], int] = {}
    with suppress(pdfium.PdfiumError, ValueError):
        for number, mark in enumerate(document.get_toc(max_depth=6)):
            if number >= MOST_BOOKMARKS:
                break
            place = mark.get_dest()
            page = place.get_index() if place else None
            if page is not None:
                found.setdefault((page, "".join(mark.get_title().split())), mark.level + 1)
    return found


def _title(document: pdfium.PdfDocument) -> str | None:
    """The title that somebody gave the file; None for what programs put there by themselves."""
    title = " ".join(document.get_metadata_value("Title").replace("\0", "").split())
    if not title or len(title) > _LONGEST_TITLE or "\ufffd" in title or _NO_TITLE.fullmatch(title):
        return None
    return title


def _updated(document: pdfium.PdfDocument) -> str | None:
    """ISO day of the last change, or else of the making; None where neither is written as a day."""
    for key in ("ModDate", "CreationDate"):
        if match := _WRITTEN.match(document.get_metadata_value(key).strip()):
            written = "-".join(part for part in match.groups() if part)
            if day := parse_date(written):
                return day
    return None


def _remarks(pages: Sequence[Page], failed: Sequence[int], name: str) -> Iterator[str]:
    """What of the pages was left out or deserves a look, a sentence each."""
    scanned = [n for n, page in enumerate(pages, 1) if page.pictures and len(page.glyphs) < _SCANNED]
    full = [n for n, page in enumerate(pages, 1) if len(page.glyphs) >= MOST_CHARACTERS]
    hidden, slanted, unknown = (sum(getattr(page, key) for page in pages) for key in ("hidden", "slanted", "unknown"))
    if failed:
        yield f"{name} 的第 {_numbers(failed)} 页已损坏，未读入；请用 PDF 阅读器打开并另存后重新导入。"
    if scanned:
        yield f"{name} 的第 {_numbers(scanned)} 页是图片，没有可以读取的文字；请先做文字识别。"
    if full:
        yield f"{name} 的第 {_numbers(full)} 页超过 {MOST_CHARACTERS} 个字，其余未读入；请检查这些页。"
    if hidden:
        yield f"{name} 有 {hidden} 个看不见的字（白色、极小或在页面之外），未读入；如有需要请在原文件中改为可见。"
    if slanted:
        yield f"{name} 有 {slanted} 个斜排的字（多为水印），未读入；如为正文请改为横排。"
    if unknown:
        yield f"{name} 有 {unknown} 个字没有写明是什么字，可能显示有误；请检查或先做文字识别。"


def _left_out(result: _Result, name: str) -> Iterator[str]:
    if result.contents:
        yield f"{name} 的目录有 {result.contents} 行，未读入；正文不受影响。"
    if left_out := result.running:
        words = "、".join(f"“{line[:40]}”" for line in left_out[:_MOST_NAMED])
        more = f"等 {len(left_out)} 处" if len(left_out) > _MOST_NAMED else ""
        yield f"{name} 的页眉页脚{words}{more}在多页重复，未读入；如为正文请检查原文件。"


def _numbers(pages: Sequence[int]) -> str:
    shown = "、".join(map(str, pages[:_MOST_NAMED]))
    return f"{shown} 等 {len(pages)}" if len(pages) > _MOST_NAMED else shown
