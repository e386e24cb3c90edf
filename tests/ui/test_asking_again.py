"""The last question once more, or edited: its turn is replaced on the page and after a reload, its record never."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from kaijuan.records.conversations import conversations
from kaijuan.records.read import answers
from kaijuan.records.store import Records
from kaijuan.records.tickets import tickets
from kaijuan.records.types import AnswerRecord, Filter
from kaijuan.ui.messages import say
from tests.ui.opened import served
from tests.ui.stand_in import StandIn
from tests.ui.test_conversations import address, press, press_form
from tests.ui.test_pages import asked, labels, opened


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "records.sqlite", days=30)


@pytest.fixture
def services(records: Records, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    stand_in = StandIn(records=records)
    with served(stand_in, monkeypatch):
        yield stand_in


def kept(records: Records) -> list[AnswerRecord]:
    """All answers kept, oldest first."""
    return list(reversed(answers(records, Filter()).items))


def questions(app: AppTest) -> list[str]:
    """The questions of the conversation as they are shown."""
    shown = [message for message in app.chat_message if message.name == "user"]
    return [message.get("html")[0].proto.body.split(">")[1].split("<")[0] for message in shown]


def edited(app: AppTest, question: str) -> AppTest:
    press(app, "again.edit")
    [box] = [box for box in app.text_area if box.key and box.key.startswith("again.text")]
    box.set_value(question)
    return press_form(app, say("again.ask"))


def test_quoted_from_the_same_index_there_is_nothing_to_be_had_again(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    assert say("again.same") not in labels(app) and say("again.edit") in labels(app)


@pytest.mark.parametrize("why", ["model", "index", "error"])
def test_asked_again_where_it_may_come_out_otherwise(services: StandIn, records: Records, why: str) -> None:
    app = asked(opened(), "坏" if why == "error" else "能退吗")
    services.chat = object() if why == "model" else None
    services.active = "v0004" if why == "index" else services.active
    app.run()
    press(app, "again.same")
    assert len(services.asked) == 2 and len(questions(app)) == 1
    assert [record.replaces for record in kept(records)] == ([] if why == "error" else [None, kept(records)[0].id])


def test_feedback_stays_with_the_answer_that_it_was_about(services: StandIn, records: Records) -> None:
    services.chat = object()
    app = asked(opened(), "能退吗")
    app.feedback[0].set_value(0).run()
    press(app, "again.same")
    first, second = kept(records)
    assert first.feedback is not None and second.feedback is None and second.replaces == first.id
    assert app.feedback[0].value is None
    assert opened(**address(app)).feedback[0].value is None, "the new answer is shown after a reload"


def test_an_edited_question_takes_the_place_of_the_last_turn(services: StandIn, records: Records) -> None:
    app = asked(asked(opened(), "能退吗"), "天气")
    edited(app, "  怎么退呢 ")
    assert questions(app) == ["能退吗", "怎么退呢"] and services.earlier[-1] == ("能退吗",)
    assert [record.question for record in kept(records)] == ["能退吗", "天气", "怎么退呢"]
    assert kept(records)[2].replaces == kept(records)[1].id
    again = opened(**address(app))
    assert questions(again) == ["能退吗", "怎么退呢"]
    [conversation] = conversations(records, kept(records)[0].viewer)
    assert conversation.turns == 2
    press_form(again, say("handover.send"))
    [ticket] = tickets(records).items
    assert [said.question for said in ticket.transcript] == ["能退吗", "怎么退呢"]


def test_editing_twice_replaces_what_is_shown_and_renames_the_conversation(services: StandIn, records: Records) -> None:
    app = edited(edited(asked(opened(), "能退吗"), "能退么"), "怎么退")
    first, second, third = kept(records)
    assert (second.replaces, third.replaces) == (first.id, second.id)
    assert questions(opened(**address(app))) == ["怎么退"]
    assert [c.title for c in conversations(records, first.viewer)] == ["怎么退"]


def test_an_edit_can_be_given_up_and_a_blank_one_asks_nothing(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    edited(app, "   ")
    assert app.error[0].value == say("again.blank") and len(services.asked) == 1
    press_form(app, say("again.cancel"))
    assert questions(app) == ["能退吗"] and len(services.asked) == 1 and not app.error


def test_a_failed_repetition_still_replaces_the_answer_once_it_goes_well(services: StandIn, records: Records) -> None:
    app = edited(asked(opened(), "能退吗"), "坏")
    assert questions(app) == ["坏"] and len(app.error) == 1
    assert questions(opened(**address(app))) == ["能退吗"], "what was kept is there as long as nothing replaces it"
    edited(app, "怎么退")
    assert kept(records)[1].replaces == kept(records)[0].id
    assert questions(opened(**address(app))) == ["怎么退"]


def test_another_question_leaves_an_edit_alone(services: StandIn) -> None:
    app = asked(opened(), "能退吗")
    press(app, "again.edit")
    asked(app, "天气")
    assert questions(app) == ["能退吗", "天气"]
    assert not [box for box in app.text_area if box.key and box.key.startswith("again.text")]


def test_a_question_asked_again_stays_with_its_collection(services: StandIn) -> None:
    services.chat = object()
    app = asked(opened(c="yunti"), "能退吗")
    app.selectbox[0].set_value("shop").run()
    press(app, "again.same")
    assert services.asked == [("能退吗", "yunti"), ("能退吗", "yunti")]


def test_the_edited_question_can_be_handed_over_although_the_first_one_was(services: StandIn, records: Records) -> None:
    app = asked(opened(), "能退吗")
    press_form(app, say("handover.send"))
    edited(app, "怎么退")
    press_form(app, say("handover.send"))
    assert [ticket.question for ticket in tickets(records).items] == ["怎么退", "能退吗"]
