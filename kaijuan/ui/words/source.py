"""What the source page says beside the document: key → (Chinese, English)."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "source.download": ("下载原文件", "Download the file"),
    "source.download_failed": ("没有下载：{sentence}", "Not downloaded: {sentence}"),
    "source.heir": ("现行版本：《{title}》", "In its place now: {title}"),
    "source.same_figures": ("其他资料里的同一数字", "The same figures elsewhere"),
    "source.same_figure": ("《{title}》（{day}）也说到 {figures}", "{title} ({day}) also says {figures}"),
    "source.no_day": ("无日期", "no date"),
}
