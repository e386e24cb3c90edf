"""Word files to Markdown: files as python-docx writes them, edited where Word writes what it cannot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.document import Document as WordDocument
from docx.oxml.ns import nsdecls
from docx.oxml.parser import parse_xml

from kaijuan.chunking import chunk
from kaijuan.readers.converted import Converted
from kaijuan.readers.docx import read_docx
from kaijuan.readers.docx_numerals import numeral
from kaijuan.readers.result import ReadError
from kaijuan.types import Document

FIELD = Path(__file__).parents[1] / "field" / "files"
W = nsdecls("w")
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def saved(document: WordDocument) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def read(document: WordDocument) -> Converted:
    return read_docx(saved(document), "手册.docx")


def with_body(xml: str) -> WordDocument:
    document = docx.Document()
    for element in parse_xml(f"<w:body {W} {MC}>{xml}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)
    return document


def text_of(xml: str) -> str:
    return read(with_body(xml)).text


def rewritten(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The archive with every part changed; None leaves a part out."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if (part := change(name, old.read(name))) is not None:
                new.writestr(name, part)
    return file.getvalue()


def with_part(document: WordDocument, name: str, kind: str, xml: str) -> bytes:
    """The file with one more part that the document refers to."""
    relation = (
        f'<Relationship Id="rIdX{kind}" Target="{name}" '
        f'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"/></Relationships>'
    ).encode()

    def change(part: str, data: bytes) -> bytes:
        return data.replace(b"</Relationships>", relation) if part == "word/_rels/document.xml.rels" else data

    file = io.BytesIO(rewritten(saved(document), change))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(f"word/{name}", xml)
    return file.getvalue()


NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="90">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="%1、"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="（%2）"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="91">
<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
</w:abstractNum>
<w:num w:numId="90"><w:abstractNumId w:val="90"/></w:num>
<w:num w:numId="91"><w:abstractNumId w:val="91"/></w:num>
<w:num w:numId="92"><w:abstractNumId w:val="91"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
</w:numbering>"""


def listed(text: str, list_id: int, level: int = 0, more: str = "") -> str:
    properties = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return f"<w:p><w:pPr>{more}{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def numbered(xml: str) -> str:
    data = saved(with_body(xml))
    swapped = rewritten(data, lambda name, part: NUMBERING.encode() if name == "word/numbering.xml" else part)
    return read_docx(swapped, "手册.docx").text


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_title_and_text_in_their_order() -> None:
    document = docx.Document()
    document.add_paragraph("售后手册", style="Title")
    document.add_heading("退货", 1)
    document.add_paragraph("七天内可退。")
    table = document.add_table(2, 2)
    for place, text in zip([(0, 0), (0, 1), (1, 0), (1, 1)], ["类目", "时限", "手机", "七天"], strict=True):
        table.cell(*place).text = text
    document.add_heading("例外", 2)
    document.add_paragraph("定制品不退。")
    found = read(document)
    assert found.title == "售后手册"
    assert found.text == (
        "# 售后手册\n\n## 退货\n\n七天内可退。\n\n| 类目 | 时限 |\n| --- | --- |\n| 手机 | 七天 |\n\n### 例外\n\n定制品不退。\n"
    )


def test_styles_of_other_languages_and_styles_that_rest_on_others() -> None:
    document = docx.Document()
    for style_id, inner in (
        ("a1", '<w:name w:val="标题 2"/>'),
        ("a2", '<w:name w:val="公司标题"/><w:basedOn w:val="a1"/>'),
        ("a3", '<w:name w:val="第三级"/><w:basedOn w:val="a3"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
    ):
        style = f'<w:style {W} w:type="paragraph" w:styleId="{style_id}">{inner}</w:style>'
        document.styles.element.append(parse_xml(style))
        document.element.body.insert(
            0,
            parse_xml(f'<w:p {W}><w:pPr><w:pStyle w:val="{style_id}"/></w:pPr><w:r><w:t>{style_id}</w:t></w:r></w:p>'),
        )
    assert read(document).text == "### a3\n\n## a2\n\n## a1\n"


def test_an_outline_level_of_the_paragraph_itself_counts_first() -> None:
    body = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:outlineLvl w:val="9"/></w:pPr><w:r><w:t>只是大字</w:t></w:r></w:p>'
    )
    level = '<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>二级</w:t></w:r></w:p>'
    assert text_of(body + level) == "只是大字\n\n## 二级\n"


def test_lists_nest_and_keep_their_numbers() -> None:
    document = docx.Document()
    for text, style in (("甲", "List Bullet"), ("乙", "List Bullet 2"), ("丙", "List Bullet")):
        document.add_paragraph(text, style=style)
    document.add_paragraph("步骤：")
    for text in ("打开", "保存"):
        document.add_paragraph(text, style="List Number")
    assert read(document).text == "- 甲\n  - 乙\n- 丙\n\n步骤：\n\n1. 打开\n2. 保存\n"


def test_chinese_labels_are_shown_as_word_shows_them() -> None:
    text = numbered(
        listed("总则", 90) + listed("范围", 90, 1) + listed("时限", 90, 1) + listed("例外", 90) + listed("其他", 90, 1)
    )
    assert text == "一、总则\n\n- （一）范围\n- （二）时限\n\n二、例外\n\n- （一）其他\n"


def test_levels_begin_where_the_list_says_and_count_below_their_parent() -> None:
    first = listed("甲", 91) + listed("乙", 91, 1) + listed("丙", 91, 1)
    again = paragraph("另一段") + listed("丁", 91) + listed("戊", 92) + listed("己", 92)
    assert numbered(first + again) == "3. 甲\n   - 3.1 乙\n   - 3.2 丙\n\n另一段\n\n4. 丁\n1. 戊\n2. 己\n"


def test_numbered_headings_carry_their_number() -> None:
    assert numbered(listed("范围", 90, more='<w:pStyle w:val="Heading1"/>')) == "# 一、范围\n"


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (10, "chineseCountingThousand", "十"), (21, "japaneseCounting", "二十一"), (105, "chineseCounting", "一百零五"),
        (1010, "chineseCounting", "一千零一十"), (3, "chineseLegalSimplified", "叁"), (20, "ideographDigital", "二〇"),
        (28, "lowerLetter", "bb"), (4, "upperRoman", "IV"), (7, "decimalZero", "07"), (2, "ideographTraditional", "乙"),
        (21, "decimalEnclosedCircle", "21"), (5, "something new", "5"), (12, "decimalFullWidth", "１２"),
    ],
)  # fmt: skip
def test_numerals(number: int, form: str, text: str) -> None:
    assert numeral(number, form) == text


def test_revisions_are_read_as_accepted() -> None:
    found = read(
        with_body(
            '<w:p><w:r><w:t>退款</w:t></w:r><w:del w:id="1" w:author="a"><w:r><w:delText>五</w:delText></w:r></w:del>'
            '<w:ins w:id="2" w:author="a"><w:r><w:t>三</w:t></w:r></w:ins><w:r><w:t>日到账</w:t></w:r>'
            '<w:moveFrom w:id="3" w:author="a"><w:r><w:t>旧处</w:t></w:r></w:moveFrom></w:p>'
            '<w:p><w:moveTo w:id="4" w:author="a"><w:r><w:t>新处</w:t></w:r></w:moveTo></w:p>'
            '<w:p><w:pPr><w:rPr><w:del w:id="5" w:author="a"/></w:rPr></w:pPr><w:r><w:t>前半句，</w:t></w:r></w:p>'
            + paragraph("后半句。")
        )
    )
    assert found.text == "退款三日到账\n\n新处\n\n前半句，后半句。\n"
    assert any("修订" in warning for warning in found.warnings)


def test_rows_that_a_revision_removed_are_left_out() -> None:
    row = "<w:tr>{}<w:tc>" + paragraph("{}") + "</w:tc><w:tc>" + paragraph("值") + "</w:tc></w:tr>"
    removed = '<w:trPr><w:del w:id="1" w:author="a"/></w:trPr>'
    text = text_of("<w:tbl>" + row.format("", "名") + row.format(removed, "旧") + row.format("", "新") + "</w:tbl>")
    assert "新" in text
    assert "旧" not in text


def test_hidden_text_is_left_out_and_reported() -> None:
    hidden = "<w:p><w:r><w:t>公开</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>机密</w:t></w:r></w:p>"
    shown = '<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>也公开</w:t></w:r></w:p>'
    found = read(with_body(hidden + shown))
    assert found.text == "公开\n\n也公开\n"
    assert found.warnings == ("手册.docx 有 1 处隐藏文字，未读入；如需收录请在 Word 中取消隐藏后重新导入。",)


def test_content_controls_links_fields_and_text_boxes_are_read_once() -> None:
    control = "<w:sdt><w:sdtPr/><w:sdtContent>" + paragraph("控件里") + "</w:sdtContent></w:sdt>"
    link = "<w:p><w:r><w:t>见</w:t></w:r><w:hyperlink><w:r><w:t>退货规则</w:t></w:r></w:hyperlink></w:p>"
    field = (
        "<w:p><w:r><w:instrText> PAGE </w:instrText></w:r><w:fldSimple><w:r><w:t>第三节</w:t></w:r></w:fldSimple></w:p>"
    )
    box = "<w:txbxContent>" + paragraph("框里") + "</w:txbxContent>"
    boxes = (
        f"<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert text_of(control + link + field + boxes) == "控件里\n\n见退货规则\n\n第三节\n\n框里\n"


def test_breaks_tabs_and_soft_hyphens() -> None:
    run = "<w:t>甲</w:t><w:tab/><w:t>乙\u00ad丙</w:t><w:br/><w:t>丁</w:t><w:noBreakHyphen/><w:t>戊</w:t>"
    assert text_of(f"<w:p><w:r>{run}</w:r></w:p>") == "甲 乙丙\n丁-戊\n"


def test_only_what_would_be_misread_is_escaped() -> None:
    lines = ["# 号键", "- 5 度", "+ 号", "> 大于", "2026. 春", "#1 客服", "1. 打开", "a*b_c", "---", "A|B", "| 竖线"]
    text = text_of("".join(paragraph(line.replace(">", "&gt;")) for line in lines))
    shown = [
        "\\# 号键",
        "\\- 5 度",
        "\\+ 号",
        "\\> 大于",
        "2026\\. 春",
        "#1 客服",
        "1. 打开",
        "a*b_c",
        "\\---",
        "A|B",
        "\\| 竖线",
    ]
    assert text == "\n\n".join(shown) + "\n"


def test_notes_stand_in_brackets_where_they_are_called() -> None:
    body = with_body('<w:p><w:r><w:t>三日到账</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>')
    note = f'<w:footnotes {W}><w:footnote w:id="7">{paragraph("节假日顺延。")}</w:footnote></w:footnotes>'
    assert (
        read_docx(with_part(body, "footnotes.xml", "footnotes", note), "x.docx").text
        == "三日到账（注：节假日顺延。）\n"
    )


def test_a_note_that_calls_itself_ends() -> None:
    call = '<w:p><w:r><w:t>话</w:t><w:footnoteReference w:id="7"/></w:r></w:p>'
    note = f'<w:footnotes {W}><w:footnote w:id="7">{call}</w:footnote></w:footnotes>'
    assert read_docx(with_part(with_body(call), "footnotes.xml", "footnotes", note), "x.docx").text == "话（注：话）\n"


def test_merged_cells_are_filled_and_grouped_heads_joined() -> None:
    document = docx.Document()
    table = document.add_table(4, 3)
    for row, texts in enumerate([("类目", "时限", ""), ("", "退", "换"), ("手机", "7", "15"), ("", "8", "一|二")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    for first, last in (((0, 1), (0, 2)), ((0, 0), (1, 0)), ((2, 0), (3, 0))):
        table.cell(*first).merge(table.cell(*last))
    inner = table.cell(3, 2).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "尺码", "M"
    assert read(document).text == (
        "| 类目 | 时限-退 | 时限-换 |\n| --- | --- | --- |\n| 手机 | 7 | 15 |\n| 手机 | 8 | 一\\|二；尺码 M |\n"
    )


def test_a_frame_of_one_cell_is_text() -> None:
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = "注意：先断电。"
    assert read(document).text == "注意：先断电。\n"


def test_the_table_of_contents_is_left_out() -> None:
    document = docx.Document()
    style = f'<w:style {W} w:type="paragraph" w:styleId="10"><w:name w:val="toc 1"/></w:style>'
    document.styles.element.append(parse_xml(style))
    contents = parse_xml(f'<w:p {W}><w:pPr><w:pStyle w:val="10"/></w:pPr><w:r><w:t>退货 3</w:t></w:r></w:p>')
    document.element.body.insert(0, contents)
    document.add_heading("退货", 1)
    assert read(document).text == "# 退货\n"


def test_headers_and_footers_are_reported_but_page_numbers_are_not() -> None:
    document = docx.Document()
    document.add_paragraph("正文")
    document.sections[0].footer.paragraphs[0].text = "第 1 页"
    assert read(document).warnings == ()
    document.sections[0].header.paragraphs[0].text = "内部资料"
    found = read(document)
    assert found.text == "正文\n"
    assert "内部资料" in found.warnings[0]


def test_properties_of_the_file_and_never_the_day_of_reading() -> None:
    document = docx.Document()
    document.add_paragraph("正文")
    document.core_properties.title = "仓储手册"
    found = read(document)
    assert (found.title, found.updated) == ("仓储手册", document.core_properties.modified.date().isoformat())
    without = rewritten(saved(document), lambda name, data: None if name == "docProps/core.xml" else data)
    assert read_docx(without, "x.docx").updated is None
    assert read_docx(without, "x.docx").title is None


def test_a_picture_that_is_missing_does_not_lose_the_text() -> None:
    data = with_part(with_body(paragraph("正文")), "media/none.png", "image", "x")
    lost = rewritten(data, lambda name, part: None if name.endswith("none.png") else part)
    assert read_docx(lost, "x.docx").text == "正文\n"


def test_files_with_macros_and_strict_files_are_read() -> None:
    strict = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
    usual = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    data = rewritten(
        saved(with_body(paragraph("正文"))),
        lambda _, part: part.replace(b"wordprocessingml.document.main", b"x-macro").replace(usual, strict),
    )
    assert read_docx(data, "x.docm").text == "正文\n"


@pytest.mark.parametrize("name", ["heading_localised.docx", "table_order.docx"])
def test_field_files_are_read(name: str) -> None:
    found = read_docx((FIELD / name).read_bytes(), name)
    assert found.updated == "2026-01-01"
    chunks = chunk(Document("d", "手册", found.text))
    heads = {passage.headings for passage in chunks}
    if name == "heading_localised.docx":
        assert heads == {("仓储手册", "入库"), ("仓储手册", "出库")}
    else:
        assert found.text.count("各类目保修期一览") == 1
        assert "| 家具 | 三年 | 不含软包 |" in chunks[0].text


def bomb() -> bytes:
    return rewritten(
        saved(docx.Document()),
        lambda name, part: part + b" " * 50_000_000 if name == "word/document.xml" else part,
    )


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "damaged"),
        (b"PK\x03\x04 no archive", "damaged"),
        (saved(docx.Document())[:-800], "damaged"),
        (rewritten(saved(docx.Document()), lambda n, p: p[:300] if n == "word/document.xml" else p), "damaged"),
        (rewritten(saved(docx.Document()), lambda n, p: None if n == "word/document.xml" else p), "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old format"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (bomb(), "too large"),
    ],
)
def test_what_cannot_be_read_says_so_in_one_sentence(data: bytes, code: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_docx(data, "手册.docx")
    assert caught.value.reason_code == code
    assert str(caught.value).startswith("手册.docx ")
    assert str(caught.value).count("。") == 1


def test_entities_are_not_expanded() -> None:
    def change(name: str, part: bytes) -> bytes:
        if name != "word/document.xml":
            return part
        head, body = part.split(b"?>", 1)
        entities = b'<!DOCTYPE d [<!ENTITY a "secret"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
        return head + b"?>" + entities + body.replace(b"MARK", b"&a;&f;")

    data = rewritten(saved(with_body(paragraph("正文MARK"))), change)
    assert read_docx(data, "x.docx").text == "正文\n"
