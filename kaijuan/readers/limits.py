"""Limits: how large a file may be, so that one file cannot fill the memory or hold up a whole ingest.

>>> limits_of({"max_rows": 1000}, "shop").max_rows
1000
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from kaijuan.errors import CorpusError
from kaijuan.readers.result import ReadError

_MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may have at most: megabytes, rows or records, cells of its tables, pages."""

    max_file_mb: int = 50
    max_rows: int = 50_000
    max_cells: int = 1_000_000
    max_pages: int = 2_000

    def check_size(self, size: int, name: str) -> None:
        """Raise ReadError when a file of `size` bytes is too large."""
        if size > self.max_file_mb * _MB:
            raise _over(name, f"有 {size / _MB:.1f} MB", f"{self.max_file_mb} MB", "max_file_mb")

    def check_rows(self, rows: int, name: str) -> None:
        """Raise ReadError when a file has too many rows or records."""
        if rows > self.max_rows:
            raise _over(name, f"有 {rows} 行", f"{self.max_rows} 行", "max_rows")

    def check_cells(self, cells: int, name: str) -> None:
        """Raise ReadError when the tables of a file have too many cells."""
        if cells > self.max_cells:
            raise _over(name, f"的表格有 {cells} 个单元格", f"{self.max_cells} 个", "max_cells")

    def check_pages(self, pages: int, name: str) -> None:
        """Raise ReadError when a file has too many pages."""
        if pages > self.max_pages:
            raise _over(name, f"有 {pages} 页", f"{self.max_pages} 页", "max_pages")


def limits_of(table: Mapping[str, int], collection: str) -> Limits:
    """The limits that a collection's [limits] table sets, the usual ones for the rest; raises CorpusError for others."""
    known = [field.name for field in fields(Limits)]
    for key, value in table.items():
        if key not in known:
            raise CorpusError(f"集合 {collection} 的 [limits] 里没有“{key}”这一项，请改为 {'、'.join(known)} 之一。")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise CorpusError(f"集合 {collection} 的 [limits] 里 {key} 是 {value!r}，请改为 1 或更大的整数。")
    return Limits(**table)


def _over(name: str, has: str, limit: str, key: str) -> ReadError:
    message = f"{name} {has}，超过上限 {limit}，未读入；请拆分文件，或在 collection.toml 的 [limits] 里调大 {key}。"
    return ReadError(message, "too large")
