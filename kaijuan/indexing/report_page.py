"""The page of a report: one HTML file without anything from outside; every word from a document is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

_STYLE = """
body{font:15px/1.6 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;max-width:64rem;
margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ddd;padding:.3rem .6rem;text-align:left;
vertical-align:top;overflow-wrap:anywhere}td.n,th.n{text-align:right;white-space:nowrap}
blockquote{margin:.2rem 0 .6rem;padding:.1rem .8rem;border-left:3px solid #bbb;color:#444}
.left{color:#a40000}.look{color:#8a5a00}.quiet{color:#666}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#181818}th,td{border-color:#444}blockquote{color:#bbb}
.left{color:#ff8a80}.look{color:#ffcc80}.quiet{color:#999}}
"""


def page(report: Mapping[str, Any]) -> str:
    """A report's plain data as a page."""
    title = f"集合 {report['collection']} 的建立索引报告"
    parts = [
        f"<h1>{escape(title)}</h1>",
        *_summary(report),
        *_section("数据体检", _health(report["health"])),
        *_section("注意", _list(report["warnings"])),
        *_section("未收录的段落", _list(f"{r['chunk_id']}：{r['reason']}" for r in report["rejected"])),
        *_section("文件", _files(report["files"])),
    ]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="zh-CN">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n"
    )


def _summary(report: Mapping[str, Any]) -> list[str]:
    state = "内容没有变化，沿用" if report["unchanged"] else "已切换到"
    said = (
        f"{report['made']}，{state}版本 {report['version']}：{report['documents']} 篇文档，{report['chunks']} 段，"
        f"新算向量 {report['embedded']} 个，{report['reused_files']} 个文件取自缓存，"
        f"{report['seconds']:.1f} 秒后可检索，体检用时 {report['health_seconds']:.1f} 秒。"
    )
    gate = f"质量门禁：{report['gate']['said']}。" if report["gate"] else ""
    return [f"<p>{escape(text)}</p>" for text in (said, gate) if text]


def _section(title: str, content: Sequence[str]) -> list[str]:
    return [f"<h2>{escape(title)}</h2>", *content] if content else []


def _list(said: Iterable[str]) -> list[str]:
    items = [f"<li>{escape(text)}</li>" for text in said]
    return ["<ul>", *items, "</ul>"] if items else []


def _health(health: Mapping[str, Any] | None) -> list[str]:
    if health is None:
        return []
    if not health["counts"]:
        return ["<p>没有发现问题。</p>"]
    shown = []
    for kind, count in health["counts"].items():
        findings = [finding for finding in health["findings"] if finding["kind"] == kind]
        more = f"，列出前 {len(findings)} 处" if count > len(findings) else ""
        shown.append(f"<h3>{escape(health['names'][kind])}：{count} 处{more}</h3>")
        for finding in findings:
            shown.append(f"<p>{escape(finding['said'])}</p>")
            shown += [_place(place) for place in finding["places"]]
    return shown


def _place(place: Mapping[str, Any]) -> str:
    where = f"{place['chunk_id']} · {place['title']} · {place['updated'] or '无日期'}"
    quote = f"{escape(place['quote'])}<br>" if place["quote"] else ""
    return f'<blockquote>{quote}<span class="quiet">{escape(where)}</span></blockquote>'


def _files(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """One row a file, those with something to say first."""
    ordered = sorted(files, key=lambda f: (not f["skipped"], not f["warnings"], f["path"]))
    rows = [_row(file) for file in ordered]
    head = '<tr><th>文件<th class="n">文档<th class="n">段落<th>说明</tr>'
    return ["<table>", head, *rows, "</table>"] if rows else []


def _row(file: Mapping[str, Any]) -> str:
    left = [f'<div class="left">跳过：{escape(skipped["message"])}</div>' for skipped in file["skipped"]]
    look = [f'<div class="look">注意：{escape(warning)}</div>' for warning in file["warnings"]]
    numbers = f'<td class="n">{file["documents"]}<td class="n">{file["chunks"]}'
    return f"<tr><td>{escape(file['path'])}{numbers}<td>{''.join((*left, *look))}</tr>"
