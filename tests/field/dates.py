"""`date.*`: dates as documents write them, parsed alone and in the front matter of ingested documents."""

from __future__ import annotations

from typing import Any

from kaijuan.readers import parse_date
from tests.field.cases import Case
from tests.field.outcome import Mismatch, compare, equal
from tests.field.staging import Staging, Workshop


def run(case: Case, workshop: Workshop) -> None:
    """Parse every text, and ingest one document for each with the text as its date."""
    case.only_inputs("texts")
    texts = [str(text) for text in case.input["texts"]]
    with workshop.staging() as staging:
        shown = _ingested(texts, staging)
    compare(
        case.exact,
        {
            "dates": lambda wanted: _same(wanted, {text: parse_date(text) for text in texts}),
            "shown": lambda wanted: _same(wanted, shown),
            "written": equal(len(shown)),
        },
    )


def _ingested(texts: list[str], staging: Staging) -> dict[str, str | None]:
    """The date that each text came to in the index."""
    for number, text in enumerate(texts):
        staging.write(f"d{number}.md", f"---\ntitle: 资料{number}\ndate: {text}\n---\n第{number}份资料的正文。\n")
    staging.ingest()
    return {text: c.updated for number, text in enumerate(texts) for c in staging.chunks(f"d{number}.md")}


def _same(wanted: dict[str, Any], got: dict[str, str | None]) -> None:
    for text, day in wanted.items():
        if text not in got or got[text] != day:
            raise Mismatch(f"“{text}”", day or "no date", got.get(text) or "no date")
