"""Excel workbooks to Markdown: files as openpyxl writes them, edited where Excel writes what it cannot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from kaijuan.chunking import chunk
from kaijuan.readers.converted import Converted
from kaijuan.readers.limits import Limits
from kaijuan.readers.result import ReadError
from kaijuan.readers.xlsx import read_xlsx
from kaijuan.readers.xlsx_dates import Moment, date_text
from kaijuan.readers.xlsx_numbers import number_text
from kaijuan.types import Document

FIELD = Path(__file__).parents[1] / "field" / "files"
Rows = Sequence[Sequence[object]]


def saved(book: Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def sheet_of(rows: Rows, merges: Sequence[str] = ()) -> Worksheet:
    sheet = Workbook().active
    sheet.title = "价格"
    for row in rows:
        sheet.append(row)
    for merged in merges:
        sheet.merge_cells(merged)
    return sheet


def read(sheet: Worksheet) -> Converted:
    return read_xlsx(saved(sheet.parent), "价目/价格表.xlsx")


def blocks(rows: Rows, merges: Sequence[str] = ()) -> list[str]:
    """Blocks under the heading of the sheet."""
    return read(sheet_of(rows, merges)).text.strip().split("\n\n")[1:]


def edited(data: bytes, part: str, old: str, new: str) -> bytes:
    """The archive with one part changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            if name == part:
                assert old.encode() in content, content
                content = content.replace(old.encode(), new.encode())
            after.writestr(name, content)
    return file.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_each_sheet_is_a_section_and_the_name_of_the_file_the_title() -> None:
    sheet = sheet_of([["码", "处理"], ["E1", "重试"]])
    sheet.parent.create_sheet("说明").append(["只有一句话，" * 20])
    found = read(sheet)
    assert found.text.startswith("## 价格\n\n| 码 | 处理 |\n| --- | --- |\n| E1 | 重试 |\n\n## 说明\n\n只有一句话")
    assert found.title == "价格表"
    assert found.warnings == ()


def test_a_title_over_the_table_becomes_a_heading_and_remarks_stay_text() -> None:
    rows = [["2026 年运费"], ["更新：三月", "", "制表：王"], ["地区", "首重", "续重"], ["华东", 8, 0], ["注：偏远另议"]]
    assert blocks(rows, ["A1:C1"]) == [
        "### 2026 年运费",
        "更新：三月 制表：王",
        "| 地区 | 首重 | 续重 |\n| --- | --- | --- |\n| 华东 | 8 | 0 |",
        "注：偏远另议",
    ]


def test_merged_cells_are_filled_down_and_across() -> None:
    rows = [["类目", "子类", "退", "换"], ["数码", "手机", "不支持", None], [None, "耳机", 15, 15]]
    assert blocks(rows, ["A2:A3", "C2:D2"]) == [
        "| 类目 | 子类 | 退 | 换 |\n| --- | --- | --- | --- |\n| 数码 | 手机 | 不支持 | 不支持 |\n| 数码 | 耳机 | 15 | 15 |"
    ]


def test_three_rows_of_header_are_joined() -> None:
    rows = [["级", "券", None, None], [None, "月", None, "年"], [None, "满减", "运费", "生日"], ["金", 1, 2, 3]]
    assert (
        blocks(rows, ["A1:A3", "B1:D1", "B2:C2"])[0].split("\n")[0] == "| 级 | 券-月-满减 | 券-月-运费 | 券-年-生日 |"
    )


def test_a_group_in_the_header_does_not_swallow_the_first_row() -> None:
    rows = [["姓名", "联系方式", None], ["张三", "电话", "见名片"], ["李四", "微信", "同名"]]
    assert blocks(rows, ["B1:C1"])[0].split("\n")[2] == "| 张三 | 电话 | 见名片 |"


def test_a_merged_row_opens_a_group_under_the_same_header() -> None:
    rows = [["项", "价"], ["华东"], ["甲", 1], ["华北"], ["乙", 2]]
    assert blocks(rows, ["A2:B2", "A4:B4"]) == [
        "#### 华东", "| 项 | 价 |\n| --- | --- |\n| 甲 | 1 |", "#### 华北", "| 项 | 价 |\n| --- | --- |\n| 乙 | 2 |",
    ]  # fmt: skip


def test_tables_parted_by_a_blank_row_have_their_own_headers() -> None:
    found = blocks([["码", "义"], ["E1", 1], [], ["型号", "重量"], ["SF-1", 2]])
    assert [block.split("\n")[0] for block in found] == ["| 码 | 义 |", "| 型号 | 重量 |"]


def test_a_table_that_goes_on_behind_a_blank_row_keeps_its_header() -> None:
    found = blocks(
        [
            ["问题", "答案"],
            ["退款几天到账", "三天"],
            [],
            ["发票怎么开", "在订单页申请"],
            [],
            ["邮费谁出，什么时候能退", "买家"],
            ["丢件", "赔"],
        ]
    )
    assert [block.split("\n")[0] for block in found] == ["| 问题 | 答案 |"] * 3
    assert found[2].split("\n")[2:] == ["| 邮费谁出，什么时候能退 | 买家 |", "| 丢件 | 赔 |"]


def test_the_look_of_the_header_tells_a_new_one_from_data() -> None:
    sheet = sheet_of([["码", "义"], ["甲", "乙"], [], ["丙", "丁"], ["戊", "己"], [], ["型", "号"], ["庚", "辛"]])
    for row in (1, 7):
        for cell in sheet[row]:
            cell.font = Font(bold=True)
    found = read(sheet).text.strip().split("\n\n")[1:]
    assert [block.split("\n")[0] for block in found] == ["| 码 | 义 |", "| 码 | 义 |", "| 型 | 号 |"]


def test_tables_side_by_side_are_read_apart() -> None:
    found = blocks([["码", "义", None, "码", "义"], ["E1", "甲", None, "F1", "丙"], ["E2", "乙"]])
    assert found == ["| 码 | 义 |\n| --- | --- |\n| E1 | 甲 |\n| E2 | 乙 |", "| 码 | 义 |\n| --- | --- |\n| F1 | 丙 |"]


def test_a_blank_column_inside_a_table_is_dropped() -> None:
    found = blocks([["姓名", "电话", None, "部门", "备注"], ["张三", "1", None, "客服", "无"]])
    assert found == ["| 姓名 | 电话 | 部门 | 备注 |\n| --- | --- | --- | --- |\n| 张三 | 1 | 客服 | 无 |"]


def test_numbers_alone_have_no_header_and_pairs_neither() -> None:
    assert blocks([[1, 2], [3, 4]]) == ["|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"]
    assert blocks([["电话：", "400"], ["地址：", "杭州"]])[0].startswith("|  |  |\n")


def test_years_may_name_columns() -> None:
    assert blocks([["类目", 2025, 2026], ["手机", 7, 15]])[0].startswith("| 类目 | 2025 | 2026 |\n| --- |")


def test_cells_keep_their_text_in_one_line() -> None:
    assert blocks([["码", "处理"], ["A|B", "先重试。\n再联系\n客服"], ["", "#N 号"]])[0].split("\n")[2:] == [
        "| A\\|B | 先重试。再联系；客服 |",
        "|  | #N 号 |",
    ]


def test_a_very_wide_table_names_every_value() -> None:
    names = [f"指标名称{n}" for n in range(40)]
    found = read(sheet_of([names, ["SF-3000", *range(39)], ["SF-9000", *range(100, 139)]]))
    assert "- 指标名称0：SF-9000\n  - 指标名称1：100\n" in found.text
    pieces = chunk(Document("d", "表", found.text), limit=200)
    last = next(piece for piece in pieces if "指标名称39：138" in piece.text)
    assert "指标名称0：SF-9000" in last.text


def test_what_is_hidden_is_left_out_and_reported() -> None:
    sheet = sheet_of([["码", "价", "底价"], ["甲", 3, 1], ["乙", 4, 2], ["丙", 5, 3]])
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    secret = sheet.parent.create_sheet("成本")
    secret.append(["绝密"])
    secret.sheet_state = "veryHidden"
    found = read(sheet)
    assert found.text == "## 价格\n\n| 码 | 价 |\n| --- | --- |\n| 甲 | 3 |\n| 丙 | 5 |\n"
    assert found.warnings == (
        "价目/价格表.xlsx 的工作表“价格”有 1 行、1 列被隐藏，未读入；如需收录请取消隐藏后重新导入。",
        "价目/价格表.xlsx 的隐藏工作表“成本”未读入；如需收录请取消隐藏后重新导入。",
    )


def test_formulas_give_their_saved_result_and_are_reported_without_one() -> None:
    sheet = sheet_of([["码", "价"], ["甲", "=1+1"], ["乙", "=2+2"], ["丙", "=1/0"]])
    data = edited(saved(sheet.parent), SHEET, "<f>1+1</f><v></v>", "<f>1+1</f><v>2</v>")
    data = edited(data, SHEET, '<c r="B4"><f>1/0</f><v></v>', '<c r="B4" t="e"><f>1/0</f><v>#DIV/0!</v>')
    found = read_xlsx(data, "x.xlsx")
    assert found.text.endswith("| 甲 | 2 |\n| 乙 |  |\n| 丙 | #DIV/0! |\n")
    assert ["（如 B3）" in found.warnings[0], "（如 B4）" in found.warnings[1], len(found.warnings)] == [True, True, 2]


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.05, "0%", "5%"), (0.125, "0.0%", "12.5%"), (0, "0", "0"), (0, "General", "0"), (7.0, "General", "7"),
        (1234567.891, "#,##0.00", "1,234,567.89"), (12, "00000", "00012"), (0.5, "#.00", ".50"), (5, "#.##", "5"),
        (8, '"¥"#,##0.00', "¥8.00"), (8.5, "[$¥-804]#,##0.0", "¥8.5"), (3, '0"元"', "3元"), (3, "0 件", "3 件"),
        (-1234, "#,##0;[Red]#,##0", "-1,234"), (-5, "0.00_);(0.00)", "(5.00)"), (-5, "0.0_ ;[Red]-0.0\\ ", "-5.0"),
        (0, '0;-0;"无"', "无"), (0, '0;-0;;@', ""), (3, ";;;", ""), (15000, '0!.0,"万"', "1.5万"),
        (123456, '[>=10000]0.0,"千";0', "123.5千"), (99, '[>=10000]0.0,"千";0', "99"), (2.5, "0", "3"), (-0.001, "0.0", "0.0"),
        (13800001111, "000-0000-0000", "138-0000-1111"), (12345.678, "0.00E+00", "1.23E+04"), (0.25, "# ?/?", "0.25"),
        (0.1 + 0.2, "General", "0.3"), (110101199001011234, "General", "110101199001011234"), (-3, "General", "-3"),
        (1e-7, "General", "0.0000001"), (12, "@", "12"), (1000000, "#,##0,", "1,000"), (1.5, "0.0_)", "1.5"),
        (float("inf"), "0", "inf"), (1, "", ""), (0.5, "General%", "0.5"),
    ],
)  # fmt: skip
def test_numbers_are_shown_under_their_format(value: float, code: str, text: str) -> None:
    assert number_text(value, code) == text


@pytest.mark.parametrize(
    ("moment", "code", "text"),
    [
        (datetime(2026, 3, 5), "yyyy-mm-dd", "2026-03-05"), (datetime(2026, 3, 5), 'yyyy"年"m"月"d"日";@', "2026年3月5日"),
        (datetime(2026, 3, 5, 14, 7), "yyyy/m/d h:mm", "2026/3/5 14:07"), (datetime(2026, 3, 5), "[$-F800]dddd, mmmm dd, yyyy", "2026年3月5日"),
        (time(14, 7), "上午/下午h:mm", "下午2:07"), (time(0, 7), "h:mm AM/PM", "12:07 AM"), (time(9, 7, 3), "mm:ss", "07:03"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"), (timedelta(minutes=-90), "[m]", "-90"), (date(2026, 3, 5), "aaaa", "星期四"),
        (datetime(2026, 3, 5), "d-mmm-yy", "5-Mar-26"), (datetime(2026, 3, 5, 1, 2, 3, 450000), "ss.00", "03.45"), (time(1, 2), "yyyy", "01:02:00"),
    ],
)  # fmt: skip
def test_dates_are_shown_under_their_format(moment: Moment, code: str, text: str) -> None:
    assert date_text(moment, code) == text


def test_dates_in_the_local_formats_of_chinese_excel() -> None:
    sheet = sheet_of([["日期", "值"], [46086, 0.5]])
    sheet["A2"].number_format = "yyyy-mm-dd"
    data = edited(saved(sheet.parent), "xl/styles.xml", 'xf numFmtId="164"', 'xf numFmtId="31"')
    assert "| 2026年3月5日 | 0.5 |" in read_xlsx(data, "x.xlsx").text


def test_a_size_that_the_file_claims_is_not_believed() -> None:
    sheet = sheet_of([["码", "价"], ["甲", 3]])
    data = edited(saved(sheet.parent), SHEET, 'ref="A1:B2"', 'ref="A1:XFD1048576"')
    assert read_xlsx(data, "x.xlsx").text == read_xlsx(saved(sheet.parent), "x.xlsx").text


def test_a_merge_over_everything_stays_small() -> None:
    data = saved(sheet_of([["码", "价"], ["甲", 3]], ["B2:C2"]).parent)
    assert read_xlsx(edited(data, SHEET, 'ref="B2:C2"', 'ref="B2:XFD1048576"'), "x.xlsx").text.endswith("| 甲 | 3 |\n")


def test_limits_are_kept() -> None:
    rows = [["码", "价"], *([f"E{n}", n] for n in range(50))]
    data = saved(sheet_of(rows).parent)
    assert read_xlsx(data, "x.xlsx", Limits(max_rows=51, max_cells=102)).text.count("\n| E") == 50
    for limits in (Limits(max_rows=50), Limits(max_cells=101)):
        with pytest.raises(ReadError) as caught:
            read_xlsx(data, "x.xlsx", limits)
        assert caught.value.reason_code == "too large"


def test_every_row_of_a_long_table_stands_under_its_header() -> None:
    rows = [["错误码", "处理"], *([f"E{n:04}", f"第 {n} 种处理，{'请稍后重试' * (n % 4)}"] for n in range(3000))]
    found = read(sheet_of(rows))
    assert found.text.count("\n| E") == 3000
    chunks = chunk(Document("d", "错误码", found.text))
    assert all("| 错误码 | 处理 |" in piece.text for piece in chunks)


def test_the_date_is_that_of_the_file_or_unknown() -> None:
    data = saved(sheet_of([["码", "价"]]).parent)
    stamped = zipfile.ZipFile(io.BytesIO(data)).read("docProps/core.xml").decode()
    modified = stamped.split("<dcterms:modified")[1].split(">")[1].split("<")[0]
    assert (
        read_xlsx(edited(data, "docProps/core.xml", modified, "2025-02-03T10:00:00Z"), "x.xlsx").updated == "2025-02-03"
    )
    assert read_xlsx(edited(data, "docProps/core.xml", modified, ""), "x.xlsx").updated is None


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("merged_zero.xlsx", "| 数码 | 充电器 | 15 | 0 |"),
        ("two_row_header.xlsx", "| 等级 | 每月券-运费券 | 每月券-满减券 | 生日礼-积分 | 生日礼-实物 |"),
    ],
)
def test_field_files_are_read(name: str, row: str) -> None:
    found = read_xlsx((FIELD / name).read_bytes(), name)
    assert row in found.text.split("\n")
    assert "None" not in found.text


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        (SHEET, "<sheetData>", "<sheetDatum>"),
        (SHEET, '<c r="A1"', '<c r="??"'),
        ("xl/workbook.xml", "<sheets>", "<sheet>"),
        ("[Content_Types].xml", "spreadsheetml.sheet.main", "something.else"),
    ],
)
def test_a_damaged_workbook_says_so(part: str, old: str, new: str) -> None:
    data = edited(saved(sheet_of([["码", "价"]]).parent), part, old, new)
    with pytest.raises(ReadError, match=r"^x\.xlsx 已损坏") as caught:
        read_xlsx(data, "x.xlsx")
    assert caught.value.reason_code == "damaged"


def test_an_empty_workbook_is_empty_text() -> None:
    assert read_xlsx(saved(Workbook()), "x.xlsx").text == ""
