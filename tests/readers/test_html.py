"""Web pages: what is text and what is furniture, lists, tables, code, encodings, titles and dates."""

import pytest

from kaijuan.chunking import chunk
from kaijuan.readers.front_matter import split_comment
from kaijuan.readers.html import page_text, read_html
from kaijuan.readers.limits import Limits
from kaijuan.readers.result import ReadError
from kaijuan.types import Document


def text_of(page: str) -> str:
    return read_html(page, "p.html").text


def test_paragraphs_breaks_and_entities() -> None:
    page = "<p>签收后&nbsp;7&nbsp;天 <b>内</b>可退<br>见 &lt;E4032&gt;，A&amp;B，&amp;lt;</p>散落<div>块</div>尾"
    assert text_of(page) == "签收后 7 天 内可退\n见 <E4032>，A&B，&lt;\n\n散落\n\n块\n\n尾"


def test_headings_and_what_only_looks_like_structure() -> None:
    page = "<h1>退货 <em>说明</em></h1><h3>三级</h3><div role=heading aria-level=4>四级</div><h2> </h2><p># 不是标题<br>- 不是列表"
    assert text_of(page) == "# 退货 说明\n\n### 三级\n\n#### 四级\n\n\\# 不是标题\n\\- 不是列表"


def test_lists_keep_their_numbers_and_nesting() -> None:
    page = (
        "<ol start=3><li>打开<ul><li>订单</li><li>售后</li></ul></li><li value=9><p>提交</p><p>等待</p></li><li>完成</ol>"
        "<ol reversed><li>三<li>二<li>一</ol><ul><li>甲<ul><li>乙</ul></ul>"
    )
    assert text_of(page) == (
        "3. 打开\n   - 订单\n   - 售后\n9. 提交\n\n   等待\n10. 完成\n\n3. 三\n2. 二\n1. 一\n\n- 甲\n  - 乙"
    )


def test_definitions() -> None:
    page = "<dl><dt>保价<dd>三十天<dt>退差<dt>补差<dd><p>原路退回</p><ul><li>三天</ul><dt>只有名</dl>"
    assert text_of(page) == "- 保价：三十天\n- 退差、补差：原路退回\n  - 三天\n- 只有名"


def test_tables_are_filled_and_keep_their_header() -> None:
    page = (
        "<table><caption>时限</caption><thead><tr><th rowspan=2>类目<th colspan=2>时限<tr><th>退<th>换</thead>"
        "<tr><td rowspan=2>手机<td>7|8<td>15<tr><td>9<td><ul><li>甲<li>乙</ul><tr><th>类目<th>退<th>换</table>"
    )
    assert text_of(page) == (
        "时限\n\n| 类目 | 时限-退 | 时限-换 |\n| --- | --- | --- |\n| 手机 | 7\\|8 | 15 |\n| 手机 | 9 | 甲；乙 |"
    )


def test_a_long_table_repeats_its_header_in_every_chunk() -> None:
    rows = "".join(f"<tr><td>型号{n}</td><td>{n} 元</td></tr>" for n in range(60))
    text = text_of(f"<table><tr><th>型号</th><th>价格</th></tr>{rows}</table>")
    pieces = chunk(Document("d", "d", text), 120, 0)
    assert len(pieces) > 3 and all("| 型号 | 价格 |" in piece.text for piece in pieces)


def test_tables_that_name_their_rows_and_tables_of_layout() -> None:
    assert text_of("<table><tr><th>重量<td>3 kg<tr><th>颜色<td>黑</table>") == "- 重量：3 kg\n- 颜色：黑"
    assert (
        text_of("<table><tr><td><h2>甲</h2><p>一<td><h2>乙</h2><tr><td>二<td>三</table>")
        == "## 甲\n\n一\n\n## 乙\n\n二\n\n三"
    )
    assert text_of("<table role=presentation><tr><td>甲<td>乙<tr><td>丙<td>丁</table>") == "甲\n\n乙\n\n丙\n\n丁"
    nested = "<table><tr><th>项<th>值<tr><td>尺寸<td><table><tr><td>长<td>3<tr><td>宽<td>2</table></table>"
    assert text_of(nested) == "| 项 | 值 |\n| --- | --- |\n| 尺寸 | 长 3；宽 2 |"


def test_a_span_cannot_fill_the_memory() -> None:
    with pytest.raises(ReadError, match="单元格") as raised:
        read_html(
            "<table>" + "<tr><td colspan=1000 rowspan=65534>x<td>y" * 2000 + "</table>",
            "p.html",
            Limits(max_cells=50_000),
        )
    assert raised.value.reason_code == "too large"


def test_code_stays_as_it_is() -> None:
    assert text_of("<pre><code>a  b\n  # c ```\n</code></pre>") == "````\na  b\n  # c ```\n````"


def test_figures_above_the_line_do_not_join_the_number() -> None:
    assert text_of("<p>10<sup>3</sup> 件，原价 <del>99</del> 79 元") == "10³ 件，原价 79 元"


def test_furniture_and_hidden_text_are_left_out_and_said() -> None:
    page = (
        "<header>站名<nav>首页</nav></header><nav>目录</nav><p>正文</p><script>var a='机密'</script><style>.a{}</style>"
        '<p style="color:red; display : none">暗一</p><p hidden>暗二</p><span aria-hidden=true>暗三</span>'
        "<template>模板</template><aside>广告</aside><footer>备案</footer><select><option>选项</select>"
    )
    converted = read_html(page, "p.html")
    assert converted.text == "正文"
    (said,) = converted.warnings
    assert all(part in said for part in ("页眉 4 字", "导航 2 字", "隐藏内容 6 字", "侧栏 2 字", "页脚 2 字", "p.html"))
    assert read_html("<p>正文", "p.html").warnings == ()
    assert read_html("<nav> </nav><p>正文", "p.html").warnings == ()


def test_the_content_proper_is_main_or_the_only_article() -> None:
    page = "<p>横幅</p><main><header><h1>退货</h1></header><aside>注意：开封不退</aside><p>正文<footer>2026 年</footer></main>"
    converted = read_html(page, "p.html")
    assert converted.text == "# 退货\n\n注意：开封不退\n\n正文\n\n2026 年"
    assert "正文区以外 2 字" in converted.warnings[0]
    assert text_of("<article>甲<article>评论</article></article>尾") == "甲\n\n评论"
    assert text_of("<article>甲</article><article>乙</article>尾") == "甲\n\n乙\n\n尾"
    assert text_of("<main> </main><p>正文") == "正文"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title> 退货 &amp;\n 换货 </title>", "退货 & 换货"),
        ("<title></title><meta property=og:title content=退货>", "退货"),
        ("", "大标题"),
    ],
)
def test_titles(head: str, title: str) -> None:
    assert read_html(f"<head>{head}</head><h1>大标题</h1><svg><title>图标</title></svg>", "p.html").title == title


@pytest.mark.parametrize(
    ("page", "day"),
    [
        ("<meta name=date content=2026-03-05>", "2026-03-05"),
        (
            "<meta name=date content=2026-01-01><meta property=article:modified_time content=2026-03-05T10:00:00+08:00>",
            "2026-03-05",
        ),
        ("<meta http-equiv=last-modified content=2026年3月5日>", "2026-03-05"),
        ("<meta name=date content=长期有效>", None),
        ("<p>更新于 <time datetime=2026-03-05>上周</time>", "2026-03-05"),
        ("<p><time datetime=2026-03-05>甲</time><time datetime=2026-03-06>乙</time>", None),
        (
            "<p><time datetime=2026-03-01>甲</time><time itemprop=dateModified datetime=2026-03-05>乙</time>",
            "2026-03-05",
        ),
        ("<p>2026-03-05", None),
    ],
)
def test_dates_only_where_they_are_clear(page: str, day: str | None) -> None:
    assert read_html(page, "p.html").updated == day


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("gb2312", "gb18030"), ("gbk", "gbk"), ("utf-8", "utf-8"), ("utf-8", "gb18030"), ("gb2312", "utf-8"), ("utf-16", "utf-8"),
     ("big5", "big5"), ("no-such", "gb18030"), ("utf-8", "utf-16"), ("gb2312", "utf-8-sig")],
)  # fmt: skip
def test_encodings(declared: str, encoding: str) -> None:
    page = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">\n<p>一般商品七天之內可以退貨</p>'
    assert page_text(page.encode(encoding)) == page


def test_front_matter_in_a_comment_at_the_head() -> None:
    matter, page = split_comment("<!doctype html>\n<!--\nid: s07\naudience: 客服, 财务\n可见: x\n-->\n<p>退货")
    assert (matter.id, matter.audience) == ("s07", ("客服", "财务"))
    assert text_of(page) == "退货"
    assert split_comment("<!-- 这是一句注释：没有元数据 --><p>退货")[0].id is None


def test_pages_nested_too_deep_are_refused_and_deep_ones_read() -> None:
    assert text_of("<div>" * 2500 + "深处") == "深处"
    assert "深处" in text_of("<ul><li>" * 1000 + "深处")
    with pytest.raises(ReadError, match="3001"):
        read_html("<div>" * 3001 + "深处", "p.html")
    assert len(text_of("<p><a href=x>链接" * 4000).split("\n\n")) == 4000
    code = "<script>" + "if (i<n && j<m) {}" * 3000 + "</script><!--" + "<div>" * 5000 + "-->"
    assert text_of(code + "<p>正文") == "正文"
