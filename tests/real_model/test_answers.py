"""What holds of every honest model: no invented number survives, every count adds up, the stream is the stored text.

Run by scripts/test-llm; the model's words are never asserted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

from kaijuan.answering.attribution import Attribution
from kaijuan.answering.citations import strip_citations
from kaijuan.answering.types import REFUSAL, Answer, Finished, Piece
from kaijuan.settings import Settings
from kaijuan.types import Viewer
from kaijuan.wiring import Services, load_services

QUESTIONS = [
    ("shop", "E4032 是什么意思，可以让买家重试吗"),
    ("shop", "邮费什么时候可以免掉"),
    ("shop", "SF-3000 整机保修多久"),
    ("yunti", "单个文件最大能上传多大？"),
    ("yunti", "主备切换要找谁审批？"),
    ("yunti", "删掉的文件在回收站里保留多少天？"),
]


@pytest.fixture(scope="module")
def services(request: pytest.FixtureRequest) -> Iterator[Services]:
    url = os.environ.get("KAIJUAN_TEST_LLM_URL", "")
    if not url or not request.config.getoption("--real-model"):
        pytest.skip("run scripts/test-llm")
    settings = Settings().model_copy(
        update={
            "answerer": "openai",
            "openai_base_url": url,
            "openai_api_key": SecretStr("local"),
            "openai_chat_model": os.environ.get("KAIJUAN_TEST_LLM_MODEL", "local"),
            "openai_timeout": 300.0,
            "model_context_tokens": 4096,
            "answer_tokens": 300,
            "context_chunks": 3,
        }
    )
    yield replace(load_services(settings), records=None)


@pytest.fixture(scope="module")
def answers(services: Services) -> list[tuple[str, Answer]]:
    """Each question once: the streamed text and the finished answer."""
    given = []
    for collection, question in QUESTIONS:
        events = list(services.ask(question, collection, Viewer("test")))
        last = events[-1]
        assert isinstance(last, Finished)
        given.append(("".join(e.text for e in events if isinstance(e, Piece)), last.answer))
        print(
            f"\n{question}\n{last.answer.text}\n去掉 {last.answer.removed}；{last.answer.checked and last.answer.checked.counts}"
        )
    return given


def test_no_number_without_a_source_is_shown(answers: list[tuple[str, Answer]]) -> None:
    for streamed, answer in answers:
        known = {source.number for source in answer.sources}
        assert {int(n) for n in re.findall(r"\[(\d+)\]", answer.text)} == known
        assert {int(n) for n in re.findall(r"\[(\d+)\]", streamed)} <= known


def test_the_stream_is_the_stored_text_but_for_citations_that_the_check_added(
    answers: list[tuple[str, Answer]],
) -> None:
    for streamed, answer in answers:
        assert strip_citations(streamed) == strip_citations(answer.text)
        if answer.checked is None or answer.checked.counts.added == 0:
            assert streamed == answer.text


def test_every_count_adds_up(answers: list[tuple[str, Answer]]) -> None:
    ledger = Attribution()
    for _, answer in answers:
        ledger = ledger.add([source.number for source in answer.sources], answer.removed)
        if answer.refused:
            assert (answer.text, answer.sources) == (REFUSAL, ())
            continue
        assert answer.checked is not None
        counts = answer.checked.counts
        assert counts.stated + counts.exempt == len(answer.checked.sentences)
        assert counts.wrong == sum(len(sentence.wrong) for sentence in answer.checked.sentences)
    assert ledger.answers == len(answers)
    assert ledger.invented == sum(bool(answer.removed) for _, answer in answers)


def test_the_record_names_model_prompt_and_tokens(services: Services, answers: list[tuple[str, Answer]]) -> None:
    worded = [answer for _, answer in answers if answer.model]
    assert worded, "the model was never asked"
    for answer in worded:
        assert answer.usage is not None and (answer.usage.output_tokens or 0) > 0
        record, _ = services.keep(answer, Viewer("test"), None)
        assert record.prompt == answer.prompt != "" and record.input_tokens == answer.usage.input_tokens
