"""`python -m kaijuan.demo`: conversations for a demonstration, really asked and kept as anybody's are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from kaijuan.answering.types import Answer, Finished
from kaijuan.collection import Collection, Talk
from kaijuan.errors import KaijuanError, SettingsError
from kaijuan.records.conversations import conversations
from kaijuan.records.moments import new_id, utc_now
from kaijuan.records.record import ticket_of
from kaijuan.records.store import Records
from kaijuan.records.tickets import hand_over
from kaijuan.records.types import AnswerRecord, Said
from kaijuan.records.visitors import DEMO_TOKEN, parse_roles, visitor_name
from kaijuan.types import Viewer
from kaijuan.wiring import Services, load_services


def seed(services: Services) -> int:
    """Have the conversations of all collections for every role that has none yet; how many were had.

    Raises SettingsError where this is no demonstration, and what asking and keeping raise.
    """
    settings, records = services.settings, services.records
    if not settings.demo or records is None or records.days == 0:
        raise SettingsError(
            "演示对话只写进演示的记录，请用 scripts/demo 启动，并且不要把 KAIJUAN_RECORDS_DAYS 设为 0。"
        )
    had = 0
    for role in parse_roles(settings.demo_roles) or (Viewer(),):
        viewer = replace(role, name=visitor_name(role.name, DEMO_TOKEN))
        if not conversations(records, viewer.name):
            for collection in services.collections():
                for talk in collection.talks:
                    _have(talk, collection, services, records, viewer)
                    had += 1
    return had


def _have(talk: Talk, collection: Collection, services: Services, records: Records, viewer: Viewer) -> None:
    """Ask the questions of one conversation, keep the answers, and say what is thought of the last one."""
    id = new_id(utc_now())
    kept = [_keep(services, answer, viewer, id) for answer in _answers(talk, collection, services, viewer)]
    last = kept[-1]
    if talk.thumb is not None:
        records.rate(last.id, talk.thumb, talk.reason)
    if talk.handed_over:
        hand_over(records, ticket_of(last, talk.reason, [Said(record.question, record.text) for record in kept]))


def _answers(talk: Talk, collection: Collection, services: Services, viewer: Viewer) -> Iterator[Answer]:
    """The answers one after the other; each question may lean on those before it."""
    earlier: list[str] = []
    for question in talk.questions:
        for event in services.ask(question, collection.name, viewer, earlier):
            if isinstance(event, Finished):
                earlier.append(event.answer.completed or question)
                yield event.answer


def _keep(services: Services, answer: Answer, viewer: Viewer, conversation: str) -> AnswerRecord:
    record, notice = services.keep(answer, viewer, conversation)
    if notice is not None:
        print(notice.text, file=sys.stderr)
    return record


def main() -> int:
    """Run the command; exit status 1 with one sentence when the conversations could not be had."""
    try:
        had = seed(load_services())
    except KaijuanError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"demo：新写入 {had} 段演示对话" if had else "demo：演示对话已经有了")
    return 0


if __name__ == "__main__":
    sys.exit(main())
