"""Chunks: what holds for every document, then one test for each way to cut."""

import random
from itertools import pairwise

import pytest

from kaijuan.chunking import CHUNKING, chunk, whole
from kaijuan.errors import CorpusError
from kaijuan.types import Chunk, Document
from tests.chunking.generated import markdown


def chunks(text: str, limit: int = 512, overlap: int = 0) -> list[Chunk]:
    return chunk(Document("s07", "售后政策", text), limit, overlap)


@pytest.mark.parametrize("seed", range(0, 1000, 20))
def test_laws_hold_for_generated_documents(seed: int) -> None:
    for number in range(seed, seed + 20):
        rng = random.Random(number)
        limit = rng.choice([20, 21, 30, 60, 120, 300, 512])
        overlap = rng.choice([0, 0, limit // 8, limit - 1])
        syntax = rng.choice(["markdown", "markdown", "plain"])
        document = Document("d", "t", markdown(number), syntax="plain" if syntax == "plain" else "markdown")
        made = chunk(document, limit, overlap)
        assert made == chunk(document, limit, overlap)
        check_laws(document.text, made, limit, overlap)


def check_laws(text: str, made: list[Chunk], limit: int, overlap: int) -> None:
    covered = bytearray(len(text))
    for position, passage in enumerate(made):
        assert (passage.id, passage.position) == (f"d#{position}", position)
        assert passage.text.strip()
        assert len(passage.text) <= limit
        assert text[passage.start : passage.end] in passage.text
        covered[passage.start : passage.end] = b"\1" * (passage.end - passage.start)
    lost = [text[max(0, n - 20) : n + 20] for n, c in enumerate(text) if not covered[n] and not c.isspace()]
    assert not lost
    for before, after in pairwise(made):
        assert before.start < after.start and before.end < after.end
        assert after.start >= before.end - overlap


def test_every_heading_begins_a_chunk_and_brings_its_path() -> None:
    made = chunks("前言。\n\n# 售后\n\n## **手机**\n\n屏幕不保。\n\n配件\n----\n\n保修一年。\n\n### 空\n\n# 尾")
    assert [c.headings for c in made] == [(), ("售后", "手机"), ("售后", "配件"), ("售后", "配件", "空"), ("尾",)]
    assert made[1].text == "# 售后\n\n## **手机**\n\n屏幕不保。"


def test_an_underlined_paragraph_is_no_heading() -> None:
    (only,) = chunks("第一行\n第二行\n---\n正文")
    assert only.headings == ()


def test_metadata_goes_along() -> None:
    document = Document("s07", "售后", "正文", "a.md", "2026-03", "客服部", "问答", ("客服",))
    (only,) = chunk(document)
    about = ("2026-03", "客服部", "问答", ("客服",))
    assert only == Chunk("s07#0", "s07", "售后", "正文", (), 0, 0, 2, *about, path="a.md")


def test_overlap_takes_whole_sentences_of_the_same_section() -> None:
    sentence = "签收后七天内可以申请退货，运费由买家承担。"
    made = chunks(f"# 一\n\n{sentence * 5}\n\n# 二\n\n{sentence}", limit=60, overlap=30)
    assert made[1].text == sentence * 2 and made[1].start < made[0].end
    assert made[-1].text == f"# 二\n\n{sentence}"


def test_rows_are_never_overlap() -> None:
    table = "| 码 | 因 |\n|---|---|\n" + "".join(f"| E{n} | 超时 |\n" for n in range(100, 140))
    made = chunks(table, limit=120, overlap=60)
    assert "\n".join(c.text for c in made).count("| E120 |") == 1
    assert all(c.text.startswith("| 码 | 因 |\n|---|---|\n| E") for c in made)


def test_a_row_that_is_too_long_is_cut_in_its_cell_and_keeps_columns() -> None:
    long = "".join(f"第{n}项核对数量，" for n in range(30))
    made = chunks(
        f"| 单据 | 内容 | 岗位 |\n|---|---|---|\n| 入库单 | {long} | 仓库岗 |\n| 出库单 | 略 | 复核岗 |\n", limit=120
    )
    for passage in made:
        header, _, *rows = passage.text.split("\n")
        assert header == "| 单据 | 内容 | 岗位 |"
        assert rows[0].startswith(("| 入库单 | ", "| 出库单 | ")) and rows[0].endswith(" |")
    assert (
        "".join(row.removesuffix(" |").split(" | ")[1] for c in made for row in c.text.split("\n")[2:] if "入库" in row)
        == long
    )


def test_fences_are_kept_whole_or_opened_and_closed_in_each_piece() -> None:
    code = "\n".join(f"apt-get install package-{n}  # 安装" for n in range(12))
    made = chunks(f"# 部署\n\n按下面的命令安装：\n\n```bash\n{code}\n```\n\n完成。", limit=150)
    assert len(made) > 2
    assert all(c.text.count("```bash") == 1 and c.text.count("```") == 2 for c in made)
    assert {c.headings for c in made} == {("部署",)}


def test_a_fence_that_fits_is_not_torn() -> None:
    made = chunks(f"{'七天内可退。' * 12}\n\n```\n{'x = 1' * 8}\n\n# 注释\n```\n\n{'七天内可退。' * 12}", limit=90)
    assert ["```" in c.text for c in made].count(True) == 1


def test_list_pieces_repeat_what_they_hang_on() -> None:
    items = "".join(f"- 情况{n}\n  - 细则甲{n}\n  - 细则乙{n}\n" for n in range(9))
    made = chunks(f"# 例外\n\n以下情况不予退货：\n\n{items}", limit=80)
    assert all("以下情况不予退货：" in c.text for c in made)
    for n in range(9):
        assert any(f"情况{n}\n  - 细则甲{n}\n  - 细则乙{n}" in c.text for c in made)


@pytest.mark.parametrize("indent", ["  ", "   ", "    "])
def test_a_nested_item_in_another_piece_sees_its_parent(indent: str) -> None:
    children = "".join(f"{indent}- 照片要求第{n}条，不超过五张\n" for n in range(9))
    made = chunks(f"1. 上传凭证\n{children}2. 等待审核\n", limit=80)
    assert all("1. 上传凭证" in c.text for c in made if "照片要求" in c.text)


def test_a_heading_is_not_left_alone() -> None:
    made = chunks("# 退货\n\n" + "签收后七天内可以申请退货。" * 8, limit=105)
    assert made[0].text.startswith("# 退货\n\n签收后")


def test_endless_runs_are_cut_without_tearing_numbers() -> None:
    made = chunks("退" * 297 + "12000元" + "货" * 100, limit=300)
    assert [c.text[:5] for c in made] == ["退退退退退", "12000"]


def test_plain_text_knows_no_markup() -> None:
    document = Document("a.txt", "a", "# 甲\n\n乙", syntax="plain")
    assert [(c.text, c.headings) for c in chunk(document)] == [("# 甲\n\n乙", ())]


@pytest.mark.parametrize("text", ["", " \n\u3000\n"])
def test_nothing_gives_nothing(text: str) -> None:
    assert chunks(text) == []


@pytest.mark.parametrize(
    ("limit", "overlap", "named"), [(0, 0, "0"), (19, 0, "19"), (200, 200, "200"), (100, -5, "-5")]
)
def test_settings_that_cannot_work_are_refused(limit: int, overlap: int, named: str) -> None:
    with pytest.raises(CorpusError, match=named):
        chunks("退货须知。" * 50, limit, overlap)


def test_a_data_set_passage_stays_whole_under_its_own_id() -> None:
    text = "  # 原文\n" + "长" * 2000
    passage = whole(Document("p-17", "题", text))
    assert (passage.id, passage.source_id, passage.position, passage.text) == ("p-17", "p-17", 0, text)
    assert (passage.start, passage.end, passage.headings) == (0, len(text), ())


def test_version_is_named() -> None:
    assert CHUNKING == "structure-2"


@pytest.mark.parametrize(
    "text",
    [
        "退" * 400_000,
        "退货，" * 130_000,
        "[a]: b\n" * 30_000,
        "> " * 40_000,
        "| a | b |\n|---|---|\n| x | " + "退货；" * 100_000,
    ],
    ids=["run", "commas", "definitions", "quotes", "row"],
)
def test_pathological_documents_end_soon(text: str) -> None:
    made = chunks(text, overlap=64)
    assert max(len(c.text) for c in made) <= 512
