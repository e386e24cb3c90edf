"""Readers: files in, documents out; one file format a module."""

from kaijuan.readers.dates import parse_date
from kaijuan.readers.folder import iter_folder, read_file, read_folder
from kaijuan.readers.result import ReadError, ReadResult, Skipped

__all__ = ["ReadError", "ReadResult", "Skipped", "iter_folder", "parse_date", "read_file", "read_folder"]
