"""CSV files: separators, encodings, quoted cells, rows as documents, tables, and what is wrong with rows."""

import pytest

from kaijuan.readers.csv import read_csv, read_table
from kaijuan.readers.csv_rows import delimiter_of, rows_of
from kaijuan.readers.limits import Limits
from kaijuan.readers.remarks import Remarks
from kaijuan.readers.result import ReadError, Skipped
from kaijuan.types import Document, Standing


def read(
    text: str, limits: Limits | None = None, groups: tuple[str, ...] = ()
) -> tuple[list[Document | Skipped], list[str]]:
    said: list[str] = []
    return read_csv(text, "faq.csv", limits or Limits(), Remarks("faq.csv", said.append, groups)), said


def documents(text: str) -> list[Document]:
    return [one for one in read(text)[0] if isinstance(one, Document)]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("问题,答案\n邮费;运费,十元\n", ","),
        ("问题;答案\n多少钱;1,5 元\n哪里;a,b,c\n", ";"),
        ("型号\t价格\nA,B\t5\n", "\t"),
        ("问题，答案\n怎么退，申请\n", "，"),
        ("问题,答案\n怎么退，怎么换,先申请，再寄回\n", ","),
        ("sep=|\na|b\n", "|"),
        ("一列\n甲\n", ","),
        ("", ","),
        # The tie is decided by the order of the list: both give two columns everywhere.
        ("a,b;c\n1,2;3\n", ","),
    ],
)
def test_separators(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


def test_lines_are_those_of_the_file() -> None:
    text = '问题,答案\n\n怎么开票,"1. 打开\n2. 点击"\n怎么退票,"说""退票"""\n'
    assert [(row.line, row.cells) for row in rows_of(text, ",")][1:] == [
        (3, ("怎么开票", "1. 打开\n2. 点击")),
        (5, ("怎么退票", '说"退票"')),
    ]


def test_a_quote_that_is_not_closed_costs_its_own_line_only() -> None:
    found, said = read('问题,答案\n"甲,一\n乙,二\n丙,"三"\n')
    assert [d.title for d in found if isinstance(d, Document)] == ["甲", "乙", "丙"]
    assert len(said) == 1 and "第 2 行" in said[0]


def test_a_file_of_broken_quotes_is_refused() -> None:
    with pytest.raises(ReadError, match="引号"):
        read("问题,答案\n" + '"甲,一\n' * 300)


def test_questions_become_documents() -> None:
    (first, second) = documents(
        "编号,问题,答案,渠道,更新日期,部门,可见范围,状态,有效期至,取代\n"
        "q1,怎么开票,签收后申请,APP；网页,2026年3月5日,客服部,客服;财务,现行,2026-12-31,q0\n"
        "q2,怎么退票,,,,,,,,\n".replace("q2,怎么退票,,", "q2,怎么退票,联系客服,")
    )
    assert first == Document(
        "q1", "怎么开票", "# 怎么开票\n\n签收后申请\n\n- 渠道：APP；网页", "faq.csv", "2026-03-05", "客服部",
        audience=("客服", "财务"), supersedes=("q0",), standing=Standing(valid_until="2026-12-31"),
    )  # fmt: skip
    assert (second.id, second.text, second.updated, second.audience) == ("q2", "# 怎么退票\n\n联系客服", None, ())


@pytest.mark.parametrize(
    "header", ["标题,正文", "问题,答案", "Question,Answer", "title,content", "id,text", "标准问,回复"]
)
def test_headers_of_lists_of_documents(header: str) -> None:
    assert len(documents(f"{header}\n甲,一\n乙,二\n")) == 2


def test_ids_do_not_move_with_the_lines() -> None:
    short, long = documents("问题,答案\n甲,一\n乙,二\n"), documents('问题,答案\n甲,"一\n\n一"\n乙,二\n')
    assert [d.id for d in short] == [d.id for d in long] == ["faq.csv/1", "faq.csv/2"]


def test_another_table_is_one_document() -> None:
    (document,) = documents('2026 年价目,,\n型号,价格,备注\nA,5,x|y\nB,6,"一\n二"\n')
    assert document.title == "faq"
    assert document.text == (
        "# faq\n\n2026 年价目\n\n| 型号 | 价格 | 备注 |\n| --- | --- | --- |\n| A | 5 | x\\|y |\n| B | 6 | 一；二 |"
    )


def test_a_table_without_header_loses_no_row() -> None:
    assert read_table("A,5\nB,6\n", "p.csv").header == ("列1", "列2")
    assert len(read_table("A,5\nB,6\n", "p.csv").rows) == 2


def test_ragged_rows_are_said_with_their_lines() -> None:
    found, said = read("型号,价格,备注\nA,5,好\nB,6\nC,7,坏,多\nD,8,,,\n")
    assert len(said) == 1 and "第 3、4 行" in said[0] and "3 列" in said[0]
    (document,) = found
    assert isinstance(document, Document) and "| C | 7 | 坏，多 |" in document.text


def test_a_row_whose_audience_is_unsure_is_not_read() -> None:
    found, _ = read("问题,答案,可见范围\n甲,一,财务\n乙,二,三,财务\n丙,四\n丁,五,\n")
    assert [d.title for d in found if isinstance(d, Document)] == ["甲", "丁"]
    assert [(s.reason_code, s.line) for s in found if isinstance(s, Skipped)] == [
        ("broken line", 3),
        ("broken line", 4),
    ]


def test_rows_without_answer_and_ids_used_twice_are_said() -> None:
    found, _ = read("id,问题,答案\na,甲,一\nb,乙,\na,丙,三\n")
    assert [(s.reason_code, s.line, f"第 {s.line} 行" in s.message) for s in found if isinstance(s, Skipped)] == [
        ("empty", 3, True),
        ("duplicate id", 4, True),
    ]


def test_what_a_date_or_group_does_not_mean_is_said_and_kept() -> None:
    found, said = read("问题,答案,更新日期,可见范围\n甲,一,长期有效,法务\n", groups=("客服",))
    (document,) = found
    assert isinstance(document, Document)
    assert (document.updated, document.audience) == (None, ("法务",)) and "- 更新日期：长期有效" in document.text
    assert len(said) == 2 and all("第 2 行" in one for one in said) and "法务" in said[1]


@pytest.mark.parametrize("text", ["问题,答案\n", "问题,答案\n,\n , \n"])
def test_only_a_header_is_empty(text: str) -> None:
    with pytest.raises(ReadError) as raised:
        read(text)
    assert raised.value.reason_code == "empty"


@pytest.mark.parametrize(("limits", "value"), [(Limits(max_rows=2), "2 行"), (Limits(max_cells=5), "5 个")])
def test_limits(limits: Limits, value: str) -> None:
    with pytest.raises(ReadError, match=value) as raised:
        read("a,b\n1,2\n3,4\n5,6\n", limits)
    assert raised.value.reason_code == "too large"
    assert read("a,b\n1,2\n3,4\n", Limits(max_rows=2, max_cells=6))[0]
