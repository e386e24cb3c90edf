"""A collection in editions: every passage says of which one it is, so that an answer shows where it came from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kaijuan.answering.types import Answer
from tests.field.staging import Staging

_MARK = re.compile(r"第(\d+)版")
_FILLER = "第{edition}版还规定，客服在处理时先核对订单，再登记工单，并把结果告知买家。"


def write_edition(staging: Staging, edition: int, documents: int, sentences: int = 2) -> None:
    """Replace the documents by those of this edition; `sentences` makes them longer."""
    filler = _FILLER.format(edition=edition) * sentences
    for number in range(documents):
        body = f"第{edition}版规定，编号 N{number} 的商品在签收后 {edition + 7} 天内可以退货。{filler}"
        staging.write(f"d{number}.md", f"---\ntitle: 第{edition}版退货规则 N{number}\n---\n\n{body}\n")


def staging_environment(staging: Staging) -> dict[str, str]:
    """What makes the commands and the app work on this collection, by the keyword leg alone."""
    return {
        "KAIJUAN_CORPUS_DIR": str(staging.settings.corpus_dir),
        "KAIJUAN_DATA_DIR": str(staging.settings.data_dir),
        "KAIJUAN_EMBEDDER": "none",
        "KAIJUAN_ENGINE": "opensearch",
        "KAIJUAN_OPENSEARCH_URL": staging.store.url,
        "KAIJUAN_OPENSEARCH_PREFIX": staging.store.prefix,
    }


def question(number: int) -> str:
    """A question that document `number` answers in every edition."""
    return f"编号 N{number} 的商品几天内可以退货？"


def editions(texts: Iterable[str]) -> set[int]:
    """Editions that these texts are of; a text without a mark is an error."""
    return {int(match[1]) for text in texts for match in [_MARK.search(text)] if match or _unmarked(text)}


def _unmarked(text: str) -> bool:
    raise AssertionError(f"a text of no edition: {text[:80]}")


def edition_of(answer: Answer) -> int:
    """The one edition that everything in an answer is of; raises AssertionError for an empty or a mixed one."""
    assert answer.refusal is None and answer.sources and answer.text, f"empty: {answer.text} {answer.refusal}"
    trace = answer.trace
    found = [hit.chunk for leg in (trace.keyword, trace.vector) for hit in leg]
    texts = [answer.text, *(c.text for c in found), *(c.chunk.text for c in trace.candidates)]
    assert found and trace.candidates
    [edition] = editions(texts)
    return edition
