"""Folders: order, ids, titles, what is left out and why."""

import os
from pathlib import Path

import pytest

from kaijuan.errors import CorpusError
from kaijuan.readers import Skipped, iter_folder, read_file, read_folder
from kaijuan.types import Document


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_come_in_order_with_ids_from_their_paths(tmp_path: Path) -> None:
    for name in ("b.md", "faq/退货.md", "a/退货.md", "a/z.txt"):
        write(tmp_path, name, "正文")
    assert [d.id for d in read_folder(tmp_path).documents] == ["a/z.txt", "a/退货.md", "b.md", "faq/退货.md"]
    assert read_folder(tmp_path) == read_folder(tmp_path)


def test_title_is_front_matter_then_first_heading_then_file_name(tmp_path: Path) -> None:
    write(tmp_path, "1.md", "---\ntitle: 换货\n---\n# 标题\n正文")
    write(tmp_path, "2.md", "```\n# 注释\n```\n\n前言\n\n## **退货** `指引`\n")
    write(tmp_path, "运费.md", "正文\n")
    write(tmp_path, "4.txt", "# 不是标题\n")
    assert [d.title for d in read_folder(tmp_path).documents] == ["换货", "退货 指引", "4", "运费"]


def test_text_is_the_body_as_written(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "---\nid: s07\ndate: 2026-03-05\n---\n\n# Ｅ4032\u200b\n  正文 \n")
    (document,) = read_file(path, tmp_path)
    assert document == Document("s07", "Ｅ4032\u200b", "\n# Ｅ4032\u200b\n  正文 \n", "a.md", "2026-03-05")


@pytest.mark.parametrize("text", ["", " \n\u3000\t\n", "\ufeff", "\u200b", "---\ntitle: 空\n---\n"])
def test_files_without_visible_text_are_reported_as_empty(tmp_path: Path, text: str) -> None:
    write(tmp_path, "a.md", text)
    write(tmp_path, "b.md", "正文")
    result = read_folder(tmp_path)
    assert [d.id for d in result.documents] == ["b.md"]
    assert [(s.path, s.reason_code) for s in result.skipped] == [("a.md", "empty")]
    assert "a.md" in result.skipped[0].message


def test_other_files(tmp_path: Path) -> None:
    for name in ("collection.toml", "questions.jsonl", "synonyms.txt", ".hidden.md", ".git/x.md", "图.png"):
        write(tmp_path, name, "x")
    (tmp_path / "noise.txt").write_bytes(bytes(range(128, 256)) * 9)
    skipped = read_folder(tmp_path).skipped
    assert [(s.path, s.reason_code) for s in skipped] == [("noise.txt", "unreadable"), ("图.png", "unknown type")]


def test_second_document_of_an_id_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\nid: s07\n---\n甲")
    write(tmp_path, "b.md", "---\nid: s07\n---\n乙")
    first, second = iter_folder(tmp_path)
    assert isinstance(first, Document) and first.text == "甲"
    assert isinstance(second, Skipped) and second.reason_code == "duplicate id"
    assert all(word in second.message for word in ("a.md", "b.md", "s07"))


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.md", "机密")
    write(tmp_path, "outside/c.md", "机密")
    root = tmp_path / "corpus"
    inner = write(root, "sub/a.md", "正文")
    (root / "link.md").symlink_to(secret)
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    (root / "same.md").symlink_to(inner)
    (root / "broken.md").symlink_to(root / "nothing.md")
    result = read_folder(root)
    assert [d.id for d in result.documents] == ["same.md", "sub/a.md"]
    reasons = {s.path: s.reason_code for s in result.skipped}
    assert reasons == {"link.md": "outside folder", "folder": "outside folder", "broken.md": "unreadable"}


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert [s.reason_code for s in read_folder(tmp_path).skipped] == ["unreadable"]


def test_file_names_that_are_no_utf8_can_be_shown_and_stored(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xcd\xcb.md")).write_text("正文", encoding="utf-8")
    (document,) = read_folder(tmp_path).documents
    document.id.encode("utf-8")
    document.path.encode("utf-8")
    document.title.encode("utf-8")


def test_warnings_name_the_file(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ndate: 长期有效\n---\n正文")
    (warning,) = read_folder(tmp_path).warnings
    assert "a.md" in warning and "长期有效" in warning


@pytest.mark.parametrize("name", ["none.md", "a.pdf", "../x.md"])
def test_read_file_raises_a_plain_sentence(tmp_path: Path, name: str) -> None:
    root = tmp_path / "corpus"
    write(root, "a.pdf", "x")
    write(tmp_path, "x.md", "x")
    with pytest.raises(CorpusError, match=name.rsplit("/", 1)[-1]):
        read_file(root / name, root)


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="不存在"):
        read_folder(tmp_path / "none")
