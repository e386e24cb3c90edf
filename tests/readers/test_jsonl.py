"""JSON Lines and JSON arrays: records as documents, broken lines, ids used twice, audiences that cannot be read."""

import json

import pytest

from kaijuan.readers.jsonl import read_jsonl
from kaijuan.readers.limits import Limits
from kaijuan.readers.remarks import Remarks
from kaijuan.readers.result import ReadError, Skipped
from kaijuan.types import Document, Standing


def read(text: str, limits: Limits | None = None) -> tuple[list[Document], list[Skipped], list[str]]:
    said: list[str] = []
    found = read_jsonl(text, "d.jsonl", limits or Limits(), Remarks("d.jsonl", said.append))
    return (
        [one for one in found if isinstance(one, Document)],
        [one for one in found if isinstance(one, Skipped)],
        said,
    )


def test_a_record_says_everything_about_its_document() -> None:
    record = {
        "id": "a1", "title": "退货", "content": "七天内可退。", "date": "2026-01-02", "department": "客服部",
        "audience": ["客服", "财务"], "status": "废止", "supersedes": "a0", "valid_until": "2026-06",
    }  # fmt: skip
    (document,), skipped, said = read(json.dumps(record, ensure_ascii=False))
    assert document == Document(
        "a1", "退货", "# 退货\n\n七天内可退。", "d.jsonl", "2026-01-02", "客服部", audience=("客服", "财务"),
        supersedes=("a0",), standing=Standing("withdrawn", valid_until="2026-06"),
    )  # fmt: skip
    assert not skipped and not said


def test_broken_lines_cost_themselves_only() -> None:
    text = '\n{"id":"a","text":"甲"}\n{"id":"b","text":"乙\n\n[1]\n{"id":"c"}\n{"id":"a","text":"丙"}\n{"text":"丁"}'
    documents, skipped, _ = read(text)
    assert [(d.id, d.title) for d in documents] == [("a", "d 1"), ("d.jsonl/6", "d 6")]
    assert [(s.reason_code, s.line) for s in skipped] == [
        ("broken line", 3), ("broken line", 5), ("empty", 6), ("duplicate id", 7),
    ]  # fmt: skip
    assert all(f"第 {s.line} 行" in s.message and s.message.endswith("。") for s in skipped)


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": 1, "正文": "甲"}, {"id": 2, "正文": "乙"}]',
        '\n[\n  {\n    "id": 1,\n    "text": "甲"\n  },\n  {"id": 2, "text": "乙"}\n]\n',
        '{\n "data": [{"id": 1, "text": "甲"}, {"id": 2, "text": "乙"}]\n}',
        '{"id": 1, "text": "甲"}\r\n{"id": 2, "text": "乙"}'.replace("\r", ""),
    ],
)
def test_all_shapes_give_the_same_documents(text: str) -> None:
    documents, skipped, _ = read(text)
    assert [(d.id, d.text) for d in documents] == [("1", "甲"), ("2", "乙")] and not skipped


def test_a_broken_array_keeps_what_came_before() -> None:
    documents, skipped, _ = read('[\n{"id": "a", "text": "甲"},\n{"id": "b", "text": }\n]')
    assert [d.id for d in documents] == ["a"]
    assert [(s.reason_code, s.line) for s in skipped] == [("broken line", 3)]


@pytest.mark.parametrize("audience", ['{"group": "财务"}', "7", "[1]", "true"])
def test_a_record_whose_audience_is_unsure_is_not_read(audience: str) -> None:
    documents, skipped, _ = read(f'{{"text": "机密", "audience": {audience}}}')
    assert not documents and skipped[0].reason_code == "broken line"


def test_no_audience_is_open() -> None:
    documents, _, _ = read('{"text": "甲", "audience": null}\n{"text": "乙", "audience": []}')
    assert [d.audience for d in documents] == [(), ()]


def test_fields_without_use_are_said_once() -> None:
    _, _, said = read('{"text": "甲", "url": "x", "tags": ["a"]}\n{"text": "乙", "url": "y"}')
    assert len(said) == 1 and "url、tags" in said[0]


def test_deep_nesting_and_endless_numbers_are_broken_lines() -> None:
    text = '{"text": ' + "[" * 100_000 + "\n" + '{"text": ' + "9" * 5000 + "}\n" + '{"text": "好"}'
    documents, skipped, _ = read(text)
    assert [d.text for d in documents] == ["好"] and [s.line for s in skipped] == [1, 2]


def test_limits() -> None:
    lines = '{"text": "甲"}\n' * 3
    assert len(read(lines, Limits(max_rows=3))[0]) == 3
    with pytest.raises(ReadError, match="max_rows") as raised:
        read(lines, Limits(max_rows=2))
    assert raised.value.reason_code == "too large"


def test_an_empty_array_is_empty() -> None:
    with pytest.raises(ReadError) as raised:
        read("[]")
    assert raised.value.reason_code == "empty"


def test_a_text_with_a_heading_gives_the_title_that_the_record_lacks() -> None:
    documents, _, _ = read(
        json.dumps({"text": "前言\n\n## 退货\n正文"}) + "\n" + json.dumps({"text": "换货\n===\n正文"})
    )
    assert [d.title for d in documents] == ["退货", "换货"]
