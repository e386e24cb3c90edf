"""A document from its chunks, and the mark on the cited passage."""

import re
from pathlib import Path

import pytest

from kaijuan.chunking import chunk
from kaijuan.readers import read_file
from kaijuan.types import Chunk, Document
from kaijuan.ui.document import document_html
from kaijuan.ui.passages import document_text, find_passage, own_text

FIELD_FILES = sorted((Path(__file__).parent.parent / "field" / "files").glob("*.md"))
TABLE = "# 码\n\n" + "| 码 | 处置 |\n| --- | --- |\n" + "".join(f"| E{n} | 重试一次再报支付组 |\n" for n in range(40))
FENCE = "```sh\n" + "".join(f"run --step {n}\n" for n in range(40)) + "```\n\n末尾。"
PROSE = "".join(f"第{n}条，收到商品后请在{n}天内联系客服办理。" for n in range(40))
LIST = "以下情况不予退货：\n\n" + "".join(f"- 情况{n}，已经使用过\n" for n in range(40))


@pytest.mark.parametrize("limit", [60, 120, 512])
@pytest.mark.parametrize("text", [TABLE, FENCE, PROSE, LIST])
def test_the_text_comes_back_whole(text: str, limit: int) -> None:
    chunks = chunk(Document("d", "t", text), limit, limit // 4)
    assert document_text(chunks) == text.rstrip()
    assert document_text(list(reversed(chunks))) == text.rstrip()
    for piece in chunks:
        assert own_text(piece) == text[piece.start : piece.end]


@pytest.mark.parametrize("file", FIELD_FILES, ids=lambda f: f.name)
def test_field_files_come_back_whole(file: Path) -> None:
    if not file.read_text(encoding="utf-8", errors="replace").strip("\ufeff \n"):
        return  # refused by the reader
    (document,) = read_file(file, file.parent)
    assert isinstance(document, Document)
    chunks = chunk(document, 120, 30)
    assert re.sub(r"\s", "", document_text(chunks)) == re.sub(r"\s", "", document.text)
    for piece in chunks:
        html = document_html(document_text(chunks), (piece.start, piece.end))
        assert html.count('id="cited"') == 1, piece.id


def marked(html: str) -> list[str]:
    return re.findall(r'<mark class="kj-cited"[^>]*>(.*?)</mark>', html)


def test_a_passage_may_begin_and_end_inside_a_paragraph() -> None:
    text = "甲。乙**丙**丁。戊。"
    html = document_html(text, (text.index("乙"), text.index("戊")))
    assert marked(html) == ["乙", "丙", "丁。"]
    assert "<strong><mark" in html


def test_a_passage_over_several_blocks() -> None:
    text = "# 标题\n\n一。二。\n\n- 三\n- 四。五\n  六\n\n> 七\n> 八\n\n末"
    html = document_html(text, (text.index("二"), text.index("八")))
    assert marked(html) == ["二。", "三", "四。五", "六", "七"]
    assert html.count('id="cited"') == 1 and html.index('id="cited"') < html.index("二。")


def test_rows_and_lines_of_code() -> None:
    text = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n```\nx\n<y>\n```"
    row = document_html(text, (text.index("| 3"), text.index("| 3") + 9))
    assert row.count('class="kj-cited"') == 1 and '<tr class="kj-cited" id="cited">\n<td>3</td>' in row
    line = document_html(text, (text.index("<y>"), text.index("<y>") + 3))
    assert marked(line) == ["&lt;y&gt;"]


def test_no_span_no_mark_and_stray_private_characters_do_no_harm() -> None:
    assert "cited" not in document_html("一\ue0f0二", None)
    assert marked(document_html("一\ue0f1二三", (0, 1))) == ["一"]


def test_neighbours() -> None:
    chunks = [Chunk(f"d#{n}", "d", "t", "x", position=n) for n in range(3)]
    first, middle = find_passage(chunks, "d#0"), find_passage(list(reversed(chunks)), "d#1")
    assert first and (first.number, first.previous, first.following) == (1, None, chunks[1])
    assert middle and (middle.number, middle.previous, middle.following) == (2, chunks[0], chunks[2])
    assert find_passage(chunks, "d#9") is None
