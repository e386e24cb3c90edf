"""Bytes to text: encodings of Chinese files, marks, line ends, and what is no text at all."""

import random

import pytest

from kaijuan.errors import CorpusError
from kaijuan.readers.decode import decode

SENTENCE = "签收七天内可申请无理由退货，SF-3000 除外。\n三个工作日到账。\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_every_usual_encoding_gives_the_same_text(encoding: str) -> None:
    assert decode(SENTENCE.encode(encoding)) == SENTENCE


def test_wide_text_without_mark_and_without_ascii_is_recognised() -> None:
    text = "盘点差异超过百分之一须复盘，提交主管审批。"
    assert decode(text.encode("utf-16-le")) == text
    assert decode(text.encode("utf-16-be")) == text


def test_traditional_chinese_and_latin_files_go_to_the_last_resort() -> None:
    text = "繁體中文退貨須知，七天之內可以申請退款。"
    assert decode(text.encode("big5")) == text
    assert "caf\u00e9" in decode("caf\u00e9 au lait, d\u00e9j\u00e0 vu".encode("cp1252"))


@pytest.mark.parametrize(("raw", "text"), [(b"a\r\nb\rc\n", "a\nb\nc\n"), (b"\xef\xbb\xbf", ""), (b"", "")])
def test_line_ends_and_marks(raw: bytes, text: str) -> None:
    assert decode(raw) == text


def test_marks_and_nuls_inside_go_too() -> None:
    assert decode("退\ufeff货\0".encode()) == "退货"


def test_a_file_that_breaks_off_inside_a_character_keeps_the_rest() -> None:
    assert decode("退货须知，七天之内可以申请退款。".encode()[:-1]) == "退货须知，七天之内可以申请退款\ufffd"


def test_binary_data_is_refused() -> None:
    noise = random.Random(1).randbytes(3000)
    with pytest.raises(CorpusError, match="UTF-8"):
        decode(noise)
