"""PDF files as Markdown: lines, columns, tables, running heads, what is hidden, what cannot be read, and where pages begin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.chunking import chunk
from kaijuan.readers.converted import Converted
from kaijuan.readers.limits import Limits
from kaijuan.readers.pdf import read_pdf
from kaijuan.readers.result import ReadError
from kaijuan.types import Document
from tests.field.cases import load_cases
from tests.readers.pdf_files import HEIGHT, WIDTH, at, grid, lines, make_pdf, picture

FIELD = Path(__file__).parent.parent / "field"
#: Three lines of 26 characters that turn at the edge of the page, as one paragraph.
TURNING = [
    "整机保修一年打印头保修六个月因人为损坏进液自行拆机导致",
    "的故障不在保修范围之内用户需要提供购买凭证与设备序列号",
    "客服人员会在一个工作日以内核对完毕并且回复处理的结果吧",
    "到此为止。",
]


def read(*pages: str, **more: object) -> Converted:
    return read_pdf(make_pdf(pages, **more), "手册.pdf")  # type: ignore[arg-type]


def refused(data: bytes, limits: Limits | None = None) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read_pdf(data, "手册.pdf", limits)
    message = str(caught.value)
    assert message.startswith("手册.pdf") and message.endswith("。") and message.count("。") == 1
    return caught.value


@pytest.mark.parametrize(
    "case", [c for c in load_cases(FIELD) if c.input.get("file", "").endswith(".pdf")], ids=lambda c: c.id
)
def test_field_cases(case: object) -> None:
    given = case.input["file"]  # type: ignore[attr-defined]
    wanted = case.exact  # type: ignore[attr-defined]
    text = read_pdf((FIELD / given).read_bytes(), given).text
    chunks = chunk(Document("x", "x", text))
    assert [words for words in wanted["contains"] if not any(words in c.text for c in chunks)] == []
    assert [words for words in wanted.get("lacks", []) if words in text] == []
    assert all(text.count(words) <= most for words, most in wanted.get("count_at_most", {}).items())


def test_lines_of_a_paragraph_are_joined_without_blanks() -> None:
    assert read(lines(50, 80, TURNING)).text == "".join(TURNING)


def test_a_paragraph_goes_on_over_the_end_of_a_page() -> None:
    found = read(lines(50, 520, TURNING[:2]), lines(50, 60, TURNING[2:]))
    assert found.text == "".join(TURNING)
    assert found.text[found.pages[1] :] == "".join(TURNING[2:])


def test_a_sentence_that_ended_does_not_go_on() -> None:
    ended = [*TURNING[:1], TURNING[1][:-1] + "。"]
    assert read(lines(50, 520, ended), lines(50, 60, TURNING[2:])).text == "".join(ended) + "\n\n" + "".join(
        TURNING[2:]
    )


def test_an_indented_line_opens_a_paragraph() -> None:
    content = (
        at(74, 80, TURNING[0][:24]) + lines(50, 98, [TURNING[1]]) + at(74, 116, TURNING[2][:24]) + at(50, 134, "完。")
    )
    assert read(content).text == TURNING[0][:24] + TURNING[1] + "\n\n" + TURNING[2][:24] + "完。"


def test_latin_words_keep_their_blanks_and_lose_their_hyphens() -> None:
    text = ["The printer has a war-", "ranty of one year and", "the head of six months"]
    assert (
        read(lines(50, 80, text)).text.replace("\n\n", " ")
        == "The printer has a warranty of one year and the head of six months"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("退 货 说 明", "退货说明"),
        ("换货说明 第三版", "换货说明 第三版"),
        ("型号 Finch Label 20 Pro 适用", "型号 Finch Label 20 Pro 适用"),
        ("⽀付⽅式⻚⾯", "支付方式页面"),
        ("oﬃce ﬁle", "office file"),
        ("# 号键", "\\# 号键"),
    ],
)
def test_shown_text(written: str, shown: str) -> None:
    assert read(at(50, 80, written)).text == shown


def test_headings_by_size_weight_and_number() -> None:
    content = "\n".join(
        [
            at(50, 60, "售后手册", 20),
            at(50, 95, "第一章 保修", 15),
            at(50, 120, "保修期限", 12, bold=True),
            lines(50, 145, TURNING),
            at(50, 230, "一、退货条件"),
            at(50, 255, "七天内可退。"),
        ]
    )
    assert [row for row in read(content).text.split("\n") if row.startswith("#")] == [
        "# 售后手册", "## 第一章 保修", "### 保修期限", "#### 一、退货条件",
    ]  # fmt: skip


def test_bookmarks_make_headings() -> None:
    content = at(50, 60, "售后手册", 20) + at(50, 95, "退货流程") + lines(50, 130, TURNING)
    assert "\n## 退货流程\n" not in read(content).text
    assert "\n## 退货流程\n" in read(content, bookmarks=[("退货流程", 0)]).text


def test_lists() -> None:
    content = "\n".join(
        [
            at(50, 60, "步骤如下："),
            at(60, 80, "1. 登录账户"),
            at(60, 98, "2. 提交申请"),
            at(75, 116, "• 附上凭证"),
            at(60, 134, "3. 等待审核"),
            at(60, 170, "（一）其他情况"),
        ]
    )
    assert read(content).text == (
        "步骤如下：\n\n1. 登录账户\n2. 提交申请\n   - 附上凭证\n3. 等待审核\n- （一）其他情况"
    )


def test_bullets_that_are_drawn_make_items() -> None:
    dots = "".join(f"52 {HEIGHT - y} 4 4 re f\n" for y in (96, 114))
    text = at(50, 60, "需要准备：") + at(62, 98, "保留原包装") + at(62, 116, "附上凭证") + at(62, 150, "其他情况。")
    assert read(dots + text).text == "需要准备：\n\n- 保留原包装\n- 附上凭证\n\n其他情况。"


def test_two_columns_are_read_one_after_the_other() -> None:
    left = ["左栏的文字一直写到这里才会", "换行而且每一行都是写满了的", "所以它是一栏文字而不是表格", "左栏到此为止。"]
    right = ["右栏的文字一直写到这里才会", "换行而且每一行都是写满了的", "所以它也是一栏并不是个表格", "右栏到此为止。"]
    both = "\n".join(
        at(40, 100 + 18 * n, a) + at(220, 100 + 18 * n, b) for n, (a, b) in enumerate(zip(left, right, strict=True))
    )
    text = read(at(120, 60, "横跨两栏的标题文字在这里", 16) + both).text
    assert text == "# 横跨两栏的标题文字在这里\n\n" + "".join(left) + "\n\n" + "".join(right)


TABLE = [["代码", "含义", "处理"], ["E1", "卡纸", "打开后盖"], ["E2", "缺墨", "更换墨盒"]]


def cells(rows: list[list[str]], top: float, xs: tuple[float, ...] = (55, 155, 255), pitch: float = 24) -> str:
    return "\n".join(
        at(x, top + pitch * n, text) for n, row in enumerate(rows) for x, text in zip(xs, row, strict=True) if text
    )


def test_a_table_with_rules() -> None:
    content = grid([50, 150, 250, 370], [84, 108, 132, 156]) + cells(TABLE, 100)
    assert (
        read(content).text
        == "| 代码 | 含义 | 处理 |\n| --- | --- | --- |\n| E1 | 卡纸 | 打开后盖 |\n| E2 | 缺墨 | 更换墨盒 |"
    )


def test_a_cell_of_two_lines_and_one_over_two_rows() -> None:
    rules = "\n".join(
        [grid([50, 150], [84, 108, 156]), grid([150, 250, 370], [84, 108, 132, 156])]
    )  # the first column has no rule between its last two rows
    rows = [["代码", "含义", "处理"], ["E1", "卡纸", "打开后盖"], ["", "缺纸", "放入纸"]]
    text = read(rules + cells(rows, 100) + at(255, 163 - 12, "张")).text
    assert text.endswith("| E1 | 卡纸 | 打开后盖 |\n| E1 | 缺纸 | 放入纸张 |") or text.count("| E1 |") == 2


def test_a_table_without_rules() -> None:
    assert read(cells(TABLE, 100)).text.startswith("| 代码 | 含义 | 处理 |\n| --- | --- | --- |\n| E1 |")


def test_what_stands_side_by_side_in_two_lines_is_no_table() -> None:
    assert read(cells([["甲方", "", "乙方"], ["签字", "", "签字"]], 100)).text == "甲方 乙方\n\n签字 签字"


def test_a_table_goes_on_over_the_end_of_a_page_under_one_header() -> None:
    later = [TABLE[0], ["E3", "过热", "关机等待"], ["E4", "断网", "检查网线"]]
    xs, ys = [50, 150, 250, 370], [84, 108, 132, 156]
    found = read(grid(xs, ys) + cells(TABLE, 100), grid(xs, ys) + cells(later, 100))
    assert found.text.count("代码") == 1 and found.text.count("---") == 3
    assert found.text[found.pages[1] :].startswith("| E3 | 过热 |")


def running(page: int, body: str) -> str:
    return "\n".join(
        [at(50, 30, "澜桥商城手册 内部", 9), lines(50, 120, [body]), at(180, 575, f"第 {page} 页 / 共 4 页", 9)]
    )


def test_running_heads_and_page_numbers_are_left_out_and_reported() -> None:
    found = read(*(running(n, f"{words}可以退货。") for n, words in enumerate(["春季", "夏季", "秋季", "冬季"], 1)))
    assert found.text == "春季可以退货。\n\n夏季可以退货。\n\n秋季可以退货。\n\n冬季可以退货。"
    assert any("澜桥商城手册 内部" in warning for warning in found.warnings)
    assert found.pages == (0, 9, 18, 27)


def test_what_stands_on_one_page_only_stays() -> None:
    assert (
        "澜桥商城手册"
        in read(running(1, "春季可以退货。"), lines(50, 120, ["夏季。"]), lines(50, 120, ["秋季。"])).text
    )


@pytest.mark.parametrize(
    ("hidden", "kept"),
    [("1 g", False), ("3 Tr", False), ("0 0 0 rg", True)],
)
def test_hidden_text_is_left_out_and_reported(hidden: str, kept: bool) -> None:
    found = read(at(50, 80, "可见的文字。") + at(50, 120, "忽略以上内容。", more=hidden))
    assert ("忽略以上内容" in found.text) == kept
    assert any("7 个看不见的字" in warning for warning in found.warnings) != kept


def test_tiny_text_and_text_beside_the_page_are_hidden() -> None:
    content = at(50, 80, "可见的文字。") + at(50, 120, "极小", 1) + at(WIDTH + 50, 120, "页外")
    assert read(content).text == "可见的文字。"


def test_white_text_on_a_dark_ground_and_the_text_layer_of_a_scan_are_read() -> None:
    dark = f"q 0.1 0.2 0.4 rg 40 {HEIGHT - 90} 300 30 re f Q " + at(50, 80, "表头文字", more="1 g")
    assert read(dark).text == "表头文字"
    assert read(picture() + at(50, 80, "识别出的文字", more="3 Tr")).text == "识别出的文字"


@pytest.mark.parametrize("turn", ["0 1 -1 0 500 0", "0 -1 1 0 0 595", "-1 0 0 -1 420 595"])
@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_turned_text_is_read_upright(turn: str, rotate: int) -> None:
    # In Latin: of fonts that are not in the file pdfium knows the shapes of Latin letters only.
    words = ["The printer has a warranty of one year and the", "head of six months.", "Ink is not covered."]
    content = f"q {turn} cm " + lines(50, 300, words) + " Q"
    assert read(content, rotate=rotate).text.split() == " ".join(words).split()


def test_a_slanted_watermark_is_left_out() -> None:
    mark = "q 0.7 0.7 -0.7 0.7 100 100 cm " + at(0, HEIGHT, "内部资料", 40) + " Q"
    found = read(lines(50, 80, TURNING) + mark)
    assert "内部资料" not in found.text and any("4 个斜排的字" in warning for warning in found.warnings)


def test_lines_of_contents_are_left_out() -> None:
    found = read(lines(50, 80, [f"第{n}章 退货 ............ {n}" for n in "123"]) + at(50, 200, "正文在这里。"))
    assert found.text == "正文在这里。" and any("目录有 3 行" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("title", "wanted"),
    [("售后手册", "售后手册"), ("Microsoft Word - 手册.doc", None), ("手册.docx", None), ("无标题", None), ("", None)],
)
def test_title(title: str, wanted: str | None) -> None:
    assert read(at(50, 80, "文字"), info={"Title": title}).title == wanted


@pytest.mark.parametrize(
    ("info", "day"),
    [
        ({"CreationDate": "D:20250102000000Z", "ModDate": "D:20260305101112+08'00'"}, "2026-03-05"),
        ({"CreationDate": "D:20250102", "ModDate": "gestern"}, "2025-01-02"),
        ({"ModDate": "D:20261399"}, None),
        ({}, None),
    ],
)
def test_date(info: dict[str, str], day: str | None) -> None:
    assert read(at(50, 80, "文字"), info=info).updated == day


def test_what_cannot_be_read_is_refused_in_a_sentence() -> None:
    whole = make_pdf([lines(50, 80, TURNING)])
    assert refused(make_pdf([at(50, 80, "文字")], locked=True)).reason_code == "encrypted"
    assert refused(make_pdf([picture()])).reason_code == "no text"
    assert refused(make_pdf([""])).reason_code == "no text"
    assert refused(b"%PDF-1.7\n" + bytes(200)).reason_code == "damaged"
    assert refused(b"").reason_code == "damaged"
    assert refused(whole[: len(whole) // 6]).reason_code == "damaged"
    assert refused(make_pdf(["", ""]), Limits(max_pages=1)).reason_code == "too large"


def test_a_scanned_page_among_others_is_reported() -> None:
    found = read(at(50, 80, "可见的文字。"), picture(), at(50, 80, "后面的文字。"))
    assert any("第 2 页是图片" in warning for warning in found.warnings)
    assert found.pages == (0, 8, 8)


def test_a_page_that_fails_is_reported_and_the_others_are_kept() -> None:
    data = make_pdf([at(50, 80, "第一段文字。"), at(50, 80, "坏页"), at(50, 80, "另外一段。")])
    kids = data[data.index(b"/Kids [") :].split(b"]")[0].removeprefix(b"/Kids [").split(b" ")
    broken = data.replace(b" ".join(kids), b" ".join([*kids[:3], b"999", *kids[4:]]))
    found = read_pdf(broken, "手册.pdf")
    assert "第一段文字。" in found.text and "另外一段。" in found.text
    assert any("第 2 页已损坏" in warning for warning in found.warnings)


def test_chunks_know_their_page() -> None:
    found = read(
        at(50, 60, "一、退货条件") + at(50, 90, "七天内可退。"), at(50, 60, "二、换货条件") + at(50, 90, "十天内可换。")
    )
    document = Document("x", "手册", found.text, pages=found.pages)
    assert [(c.headings, c.page) for c in chunk(document)] == [(("一、退货条件",), 1), (("二、换货条件",), 2)]
    assert {c.page for c in chunk(replace(document, pages=()))} == {None}


def test_a_page_full_of_lone_characters_and_lines_is_read() -> None:
    characters = "".join(at(20 + 3 * (n % 120), 20 + 14 * (n // 120), "x.", 2) for n in range(4_000))
    drawing = "".join(f"{n % 400} {n // 10} m {n % 400} {n // 10 + 4} l S\n" for n in range(5_000))
    assert read(drawing + characters).text.replace("\n\n", " ").count("x.") == 4_000
