"""The chat page over real records: conversations come back after a reload, thumbs and tickets are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from kaijuan.records.conversations import conversations
from kaijuan.records.read import answers
from kaijuan.records.store import Records
from kaijuan.records.tickets import tickets
from kaijuan.records.types import Filter, Said
from kaijuan.ui.messages import say
from tests.ui.opened import served
from tests.ui.stand_in import StandIn
from tests.ui.test_pages import asked, html, opened, words

TOKEN = "a" * 22


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "records.sqlite", days=30)


@pytest.fixture
def services(records: Records, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    stand_in = StandIn(records=records)
    with served(stand_in, monkeypatch):
        yield stand_in


def address(app: AppTest) -> dict[str, str]:
    given = {key: app.query_params[key] for key in ("s", "t", "c") if key in app.query_params}
    return {key: value if isinstance(value, str) else value[0] for key, value in given.items()}


def press(app: AppTest, key: str) -> AppTest:
    [button] = [button for button in app.button if button.key and button.key.startswith(key)]
    return button.click().run()


def listed(app: AppTest) -> list[str]:
    return [button.label for button in app.button if button.key and button.key.startswith("talks.open.")]


def press_form(app: AppTest, label: str) -> AppTest:
    [button] = [button for button in app.button if button.label == label]
    return button.click().run()


def test_a_reload_shows_the_conversation_and_goes_on_with_it(services: StandIn, records: Records) -> None:
    app = asked(opened(), "能退吗")
    where = address(app)
    assert len(where["s"]) == 22 and where["c"] == "shop" and "q" not in app.query_params
    again = opened(**where)
    said, page = words(again), html(again)
    assert "七天内可退，运费 $5~$9" in said and "2026-03-05" in said and "能退吗" in said
    assert 'href="/source?c=shop&amp;d=s07&amp;k=s07%230"' in page and "<img" not in page
    assert [question for question, _ in services.asked] == ["能退吗"], "nothing is asked again"
    asked(again, "怎么退呢")
    assert services.earlier[-1] == ("能退吗",)
    [conversation] = conversations(records, answers(records, Filter()).items[0].viewer)
    assert conversation.turns == 2


def test_a_linked_question_is_not_asked_again_by_a_reload(services: StandIn) -> None:
    app = opened(q="能退吗", c="shop")
    assert "q" not in app.query_params
    opened(**address(app))
    assert len(services.asked) == 1


def test_what_a_person_must_be_told_comes_back_too(services: StandIn) -> None:
    doubtful, refused = (words(opened(**address(asked(opened(), question)))) for question in ("疑问", "天气"))
    for shown in (say("answer.weak"), "E9999", say("answer.conflict"), "没有可用的嵌入模型"):
        assert shown in doubtful
    assert "问题与这个集合的资料不相关。" in refused and say("answer.sources") not in refused


def test_another_token_reaches_nothing(services: StandIn, records: Records) -> None:
    where = address(asked(opened(), "能退吗"))
    stranger = opened(**{**where, "s": TOKEN})
    assert len(stranger.error) == 1 and "不是你的" in stranger.error[0].value
    assert "七天内" not in words(stranger) and listed(stranger) == [] and "t" not in stranger.query_params
    [kept] = answers(records, Filter()).items
    assert where["s"] not in kept.viewer and kept.viewer != "visitor"


@pytest.mark.parametrize("token", ["", "short", "../../etc/passwd", "x" * 400, "<script>alert(1)</script>"])
def test_an_odd_token_is_replaced(services: StandIn, token: str) -> None:
    app = opened(s=token, t="<b>")
    assert len(address(app)["s"]) == 22 and address(app)["s"] != token
    assert len(app.error) == 1 and app.error[0].value.endswith("。") and not app.exception


def test_conversations_are_listed_opened_renamed_and_deleted(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    assert listed(app) == ["能退吗"]
    press(app, "talks.new")
    assert "七天内" not in words(app) and "t" not in app.query_params
    asked(app, "天气")
    assert listed(app) == ["天气", "能退吗"]
    [button] = [button for button in app.button if button.label == "能退吗"]
    button.click().run()
    assert "七天内" in words(app) and "天气" not in words(app)
    app.text_input[0].set_value("退货 $1")
    press(app, "talks.rename")
    assert listed(app) == ["天气", r"退货 \$1"]
    press(app, "talks.delete")
    assert listed(app) == ["天气", r"退货 \$1"], "it asks first"
    press_form(app, say("confirm.yes"))
    assert listed(app) == ["天气"] and "七天内" not in words(app)
    assert listed(opened(**address(app))) == ["天气"]


def test_a_name_that_is_blank_is_one_sentence(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    app.text_input[0].set_value("  ")
    press(app, "talks.rename")
    assert len(app.error) == 1 and "名称是空的" in app.error[0].value and listed(app) == ["能退吗"]


def test_thumbs_with_a_reason_are_kept_and_taken_back(services: StandIn, records: Records) -> None:
    app = asked(opened(), "能退吗")
    app.feedback[0].set_value(0).run()
    assert (kept := answers(records, Filter()).items[0].feedback) and (kept.value, kept.reason) == ("down", "")
    app.button_group[0].set_value(["citation", "outdated"])
    [more] = [box for box in app.text_input if box.key and box.key.startswith("why.more")]
    more.set_value("去年的价目")
    press_form(app, say("thumbs.send"))
    assert (kept := answers(records, Filter()).items[0].feedback) and kept.reason == "引用不对；内容过时；去年的价目"
    assert opened(**address(app)).feedback[0].value == 0, "it is shown after a reload"
    app.feedback[0].set_value(None).run()
    assert answers(records, Filter()).items[0].feedback is None
    assert [question for question, _ in services.asked] == ["能退吗"]


def test_a_thumb_that_cannot_be_kept_is_not_shown_as_given(services: StandIn, records: Records) -> None:
    app = asked(opened(), "能退吗")
    records.change(lambda db: db.execute("DELETE FROM answers"))
    app.feedback[0].set_value(1).run()
    assert len(app.error) == 1 and "没有存下" in app.error[0].value and app.feedback[0].value is None


def test_an_answer_that_is_not_kept_has_no_thumbs(services: StandIn) -> None:
    app = asked(opened(), "退满")
    assert not app.feedback and "t" not in app.query_params
    assert say("copy.cited") in words(app)


def test_copying_with_and_without_citations(services: StandIn) -> None:
    cited, bare = (block.value for block in asked(opened(), "能退吗").code)
    assert "运费 $5~$9[1]" in cited and cited.endswith("[2] 旧规 · 2025-01")
    assert "[1] 退货<img src=x onerror=alert(1)> · 2026-03-05" in cited
    assert bare == "七天内可退，运费 $5~$9。\n\n- **注意：**旧规是十五天"


def test_handing_the_last_question_over(services: StandIn, records: Records) -> None:
    app = asked(asked(opened(), "能退吗"), "运费退呢")
    app.text_area[0].set_value("要改地址")
    press_form(app, say("handover.send"))
    [ticket] = tickets(records).items
    assert (ticket.question, ticket.asked, ticket.reason) == ("运费退呢", "能退吗+运费退呢", "要改地址")
    first, second = ticket.transcript
    assert (first.question, second.question) == ("能退吗", "运费退呢") and "七天内" in first.text
    assert [(chunk.chunk_id, chunk.final_rank) for chunk in ticket.chunks] == [("s07#0", 1), ("s08#0", 2)]
    assert ticket.answer_id == answers(records, Filter()).items[0].id
    assert ticket.id in app.success[0].value and not app.text_area
    assert asked(app, "天气").text_area, "the next question can be handed over too"


def test_handing_over_before_anything_was_asked(services: StandIn, records: Records) -> None:
    app = opened()
    press_form(app, say("handover.send"))
    assert len(app.error) == 1 and tickets(records).items == ()
    app.text_area[0].set_value("我要找人")
    app.text_area[1].set_value("急")
    press_form(app, say("handover.send"))
    [ticket] = tickets(records).items
    assert (ticket.question, ticket.reason, ticket.collection) == ("我要找人", "急", "shop")
    assert ticket.chunks == () and ticket.transcript == () and ticket.answer_id is None


def test_handing_over_a_question_that_failed(services: StandIn, records: Records) -> None:
    press_form(asked(opened(), "坏"), say("handover.send"))
    [ticket] = tickets(records).items
    [said] = ticket.transcript
    assert isinstance(said, Said) and said.question == "坏" and "编号" in said.text


def test_where_nothing_is_kept_nothing_is_listed(services: StandIn, tmp_path: Path) -> None:
    services.records = Records(tmp_path / "none.sqlite", days=0)
    app = asked(opened(), "能退吗")
    assert not app.feedback and "t" not in app.query_params and listed(app) == []
    press_form(app, say("handover.send"))
    assert len(tickets(services.records).items) == 1, "a ticket is kept all the same"


def test_a_ticket_waits_where_it_cannot_be_signed(
    services: StandIn, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAIJUAN_WEBHOOK_URL", "https://tickets.example/")
    app = asked(opened(), "能退吗")
    press_form(app, say("handover.send"))
    assert "签名的密钥" in app.warning[0].value and app.success
    [ticket] = tickets(records).items
    assert ticket.webhook == "waiting" and say("handover.told_waiting", said="").strip() in words(app)
