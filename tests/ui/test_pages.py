"""The pages over a stand-in for the services: everything an Answer can say is shown, and nothing else."""

import logging
import re
from collections.abc import Iterator
from html import unescape

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import kaijuan.ui.shared
from kaijuan.ui.messages import say
from tests.ui.opened import html, opened, served, words
from tests.ui.stand_in import StandIn


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    stand_in = StandIn()
    with served(stand_in, monkeypatch):
        yield stand_in


def asked(app: AppTest, question: str) -> AppTest:
    return app.chat_input[0].set_value(question).run()


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def test_the_empty_page_offers_examples(services: StandIn) -> None:
    app = opened()
    assert "客服 $1 库 $2" in words(app) and "一家<b>店</b>" in words(app)
    app.button[1].click().run()
    assert services.asked == [("能退吗 ~1~ $2 $3？", "shop")]
    assert labels(app) == [say("again.edit")], "the examples are gone once something was asked"


def test_a_cited_answer(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    page = html(app)
    assert page.count('href="/source?c=shop&amp;d=s07&amp;k=s07%230"') >= 2
    assert 'target="_blank"' in page and "<strong>注意：</strong>" in page
    said = words(app)
    for shown in (
        "七天内可退，运费 $5~$9",
        "2026-03-05 · 客服部",
        "2025-01 · 产品部",
        "期限",
        "<img src=x onerror=alert(1)>",
    ):
        assert shown in said
    assert "<img" not in page
    assert say("answer.weak") not in said and say("answer.conflict") not in said
    assert f"<summary>{say('ledger.title')}</summary>" in page


def test_the_rank_ledger(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    rows = re.findall("<tr.*?</tr>", html(app).split('class="kj-scroll"')[1], re.DOTALL)[1:]
    said = [" ".join(unescape(re.sub("<[^>]+>", " ", row)).split()) for row in rows]
    assert len(said) == 3
    for shown in (
        "s07#0",
        "进入，引用为 [1]",
        "重排第 1 名",
        "1 / 3.25",
        "1 / 0.712",
        "0.01639 + 0.01639",
        "0.900",
        "退货 2.25",
    ):
        assert shown in said[0]
    assert "进入，引用为 [2]" in said[1]
    assert "第 3 名，只取前 2 段" in said[2] and "—（0.50）" in said[2]
    facts = words(app)
    for shown in ("向量化 12.3 ms", "两路检索 2.1 ms", "作答 35.6 ms", "cl100k_base", "shop / v0003", "0.575"):
        assert shown in facts


def test_everything_doubtful_is_said(services: StandIn) -> None:
    app = asked(opened(), "疑问")
    said = words(app)
    for shown in (
        say("answer.weak"),
        "E9999",
        "已去掉 2 处不存在的引用：[9][12]",
        say("answer.conflict"),
        "15 天",
        "7 天",
    ):
        assert shown in said
    assert said.count("没有可用的嵌入模型") == 1, "the same notice is said once"
    conflict = html(app).split('class="kj-conflict"')[1].split("</section>")[0]
    assert conflict.index("2025-01") < conflict.index("2026-03-05")
    assert conflict.count(say("answer.newer")) == 1 and conflict.index(say("answer.newer")) > conflict.index("7 天")
    assert conflict.count("/source?") == 2


def test_a_refusal_has_no_sources(services: StandIn) -> None:
    app = asked(opened(), "天气")
    said, page = words(app), html(app)
    assert "资料中没有找到能支撑回答的内容。" in said and "问题与这个集合的资料不相关。" in said
    assert "相近主题（不是依据）" in said and "旧规" in said
    assert "kj-sources" not in page and "kj-cite" not in page
    assert page.count('<details class="kj-ledger">') == 1, "the ledger is shown for a refusal too"


def test_history_stays_and_nothing_is_asked_twice(services: StandIn) -> None:
    app = asked(asked(opened(), "能退吗"), "天气")
    app.run()
    assert [message.name for message in app.chat_message] == ["user", "assistant"] * 2
    assert [question for question, _ in services.asked] == ["能退吗", "天气"]


def test_a_completed_question_is_shown_and_can_be_undone(services: StandIn) -> None:
    app = asked(asked(opened(), "能退吗"), "运费退呢")
    assert services.earlier == [(), ("能退吗",)]
    assert say("answer.completed") in words(app) and "能退吗+运费退呢" in words(app)
    [button] = [button for button in app.button if button.label == say("chat.ask_alone")]
    button.click().run()
    assert services.asked[-1][0] == "运费退呢" and services.earlier[-1] == ()
    assert words(app).count("能退吗+运费退呢") == 1, "asked alone it is searched as it stands"
    asked(app, "怎么退呢")
    assert services.earlier[-1] == ("能退吗", "能退吗+运费退呢", "运费退呢")


def test_every_finished_answer_is_recorded_once_in_its_conversation(services: StandIn) -> None:
    app = asked(asked(opened(), "能退吗"), "退满")
    app.run()
    assert [question for question, _ in services.kept] == ["能退吗", "退满"]
    assert len({conversation for _, conversation in services.kept}) == 1 and services.kept[0][1]
    assert asked(opened(), "退满").warning[0].value.startswith("磁盘已满")
    assert services.kept[-1][1] != services.kept[0][1], "another session is another conversation"


def test_a_deep_link_is_asked_once(services: StandIn) -> None:
    app = opened(q="能退吗", c="yunti")
    app.run()
    assert services.asked == [("能退吗", "yunti")]
    assert "正在使用备用模型" in app.warning[0].value
    asked(app, "天气")
    assert services.asked[1:] == [("天气", "yunti")]
    assert "q" not in app.query_params


def test_the_collection_is_chosen_in_the_sidebar(services: StandIn) -> None:
    app = opened()
    app.selectbox[0].set_value("yunti").run()
    asked(app, "能退吗")
    assert services.asked == [("能退吗", "yunti")]
    assert app.query_params["c"] == "yunti"


def test_an_unknown_collection_is_one_sentence(services: StandIn) -> None:
    app = opened(c="../etc", q="能退吗")
    assert len(app.error) == 1 and "没有名为" in app.error[0].value
    assert services.asked == []


def test_no_collection_at_all(services: StandIn) -> None:
    services.listed = ()
    app = opened()
    assert len(app.error) == 1 and not app.chat_input


@pytest.mark.parametrize(
    "question", ["   ", "😀😀", "<script>alert(1)</script>", "长" * 10_000, "$$a$$ ~b~ [x](javascript:1)"]
)
def test_odd_questions_are_harmless(services: StandIn, question: str) -> None:
    app = opened(q=question)
    page = html(app)
    assert "<script" not in page and 'href="javascript' not in page
    assert question in unescape(page)
    assert len(app.error) == (0 if question.strip() else 1)


def test_a_known_error_is_its_own_sentence(services: StandIn) -> None:
    assert opened(q=" ").error[0].value == "问题是空的，请输入问题。"


def test_an_unexpected_error_is_an_apology_with_a_trace_id(services: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "kaijuan.ui"):
        app = asked(opened(), "坏")
    sentence = app.error[0].value
    trace_id = re.search("编号 ([0-9a-f]{8}) ", sentence)
    assert trace_id and trace_id[1] in caplog.text and "ZeroDivisionError" in caplog.text
    assert "secret" not in sentence and "Zero" not in sentence and not app.exception


def test_what_was_said_before_a_fault_is_kept(services: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    app = asked(opened(), "退断")
    app.run()
    assert "七天内可退" in words(app) and len(app.error) == 1
    assert "kj-sources" not in html(app)


def test_services_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> StandIn:
        raise RuntimeError("no")

    monkeypatch.setattr(kaijuan.ui.shared, "load_services", fail)
    st.cache_resource.clear()
    for path in ("", "pages/source.py"):
        app = opened(path, c="shop", d="s07")
        assert len(app.error) == 1 and "编号" in app.error[0].value and not app.exception


def source(**params: str) -> AppTest:
    return opened("pages/source.py", **params)


def test_the_source_page_from_its_address(services: StandIn) -> None:
    app = source(c="shop", d="s07", k="s07#1")
    said, page = words(app), html(app)
    for shown in ("<img src=x onerror=alert(1)>", "2026-03-05", "客服部", "s07", "第 2 段，共 2 段：换货", "未注明"):
        assert shown in said
    assert page.count('id="cited"') == 1 and page.count("<h2>") == 2 and "<td>15</td>" in page
    assert '<mark class="kj-cited" id="cited">换货' in page
    assert 'href="/source?c=shop&amp;d=s07&amp;k=s07%231"' in page
    assert {link.proto.label for link in app.get("page_link")} == {say("source.to_chat"), say("source.previous")}


def test_the_source_page_tells_the_page_of_a_passage(services: StandIn) -> None:
    assert "第 1 段，共 1 段 · 第 3 页" in words(source(c="shop", d="s08", k="s08#0"))


def test_the_source_page_names_the_same_figures_elsewhere(services: StandIn) -> None:
    app = source(c="shop", d="s07", k="s07#0")
    assert "《旧规》（2025-01）也说到 七天" in words(app) and "<b>七天</b>内可退" in words(app)
    assert 'href="/source?c=shop&amp;d=s08&amp;k=s08%230"' in html(app)
    assert not source(c="shop", d="s07", k="s07#1").expander


def test_the_file_is_fetched_when_it_is_asked_for(services: StandIn) -> None:
    app = source(c="shop", d="s07")
    assert not app.get("download_button")
    app.button(key="source.fetch").click().run()
    assert [button.proto.label for button in app.get("download_button")] == ["s07"] and not app.exception
    closed = source(c="shop", d="s08")
    closed.button(key="source.fetch").click().run()
    assert "不对你开放" in closed.warning[0].value and not closed.get("download_button")


def test_the_source_page_without_any_choice(services: StandIn) -> None:
    app = source()
    assert [info.value for info in app.info] == [say("source.nothing_chosen")] and not app.error


def test_a_document_without_a_passage(services: StandIn) -> None:
    app = source(c="shop", d="s07")
    assert "kj-cited" not in html(app)
    missing = source(c="shop", d="s07", k="s07#99")
    assert "s07" in missing.warning[0].value and "七天内可退" in words(missing)


@pytest.mark.parametrize(
    "params",
    [
        {"c": "shop"},
        {"d": "s07"},
        {"c": "nope", "d": "s07"},
        {"c": "shop", "d": "../../etc/passwd"},
        {"c": "shop", "d": "\x00"},
        {"c": "shop", "d": "x" * 5000},
        {"c": "../..", "d": "s07", "k": "<script>"},
    ],
)
def test_bad_addresses_are_one_sentence(services: StandIn, params: dict[str, str]) -> None:
    app = source(**params)
    assert not app.exception and len(app.error) == 1 and app.error[0].value.endswith("。")
    assert "kj-document" not in html(app)
