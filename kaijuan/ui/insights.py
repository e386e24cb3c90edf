"""The insights page: the three ledgers over time, the answers behind them, and what the documents lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import streamlit as st

from kaijuan.errors import KaijuanError
from kaijuan.evaluation.gaps import Gap, find_gaps
from kaijuan.records import insights, read
from kaijuan.records.csv_export import csv_export
from kaijuan.records.figures import Share
from kaijuan.records.insights import Day, Totals
from kaijuan.records.moments import utc_now
from kaijuan.records.store import Records
from kaijuan.records.types import AnswerRecord, Filter
from kaijuan.types import Viewer
from kaijuan.ui.charts import charts, column_chart
from kaijuan.ui.elements import Safe, tag
from kaijuan.ui.faults import show_error
from kaijuan.ui.messages import say, say_or
from kaijuan.wiring import Services

SPANS = (7, 30, 90)
#: Questions that the gap report looks at, and groups that it shows.
LOOKED_AT, SHOWN = 500, 20
_RATES = ("empty", "invented", "unsupported", "uncited", "refused", "handed_over", "thumbs_up")
_WHICH = ("all", "refused", "empty", "invented", "unsupported", "down", "handed")


def show_insights(services: Services, viewer: Viewer) -> None:
    """The whole page; what cannot be read is one sentence."""
    st.html(tag("p", say("insights.lead"), class_="kj-detail"))
    if services.records is None:
        st.info(say("insights.empty"))
        return
    try:
        _show(services, services.records, viewer)
    except KaijuanError as error:
        show_error(str(error))


def _show(services: Services, records: Records, viewer: Viewer) -> None:
    first, second = st.columns(2)
    days = first.selectbox(say("insights.span"), SPANS, 1, format_func=lambda d: say("insights.days", days=d))
    names: list[str | None] = [None, *services.collection_names()]
    name = second.selectbox(
        say("collection.choose"), names, format_func=lambda n: say("insights.all") if n is None else n
    )
    since = utc_now() - timedelta(days=days)
    zone = datetime.now().astimezone().tzinfo
    assert zone is not None
    series = insights.by_day(records, since, None, name, zone)
    if not series:
        st.info(say("insights.empty"))
        return
    st.html(charts(list(_charts(series))))
    st.html(_stages(insights.overall(records, since, None, name, zone)))
    _answers(records, Filter(since=since, collection=name))
    _gaps(services, records, Filter(since=since, collection=name), viewer)
    if name is not None:
        missing = read.never_cited(records, name, services.engine.source_ids(name, viewer), since)
        with st.expander(say("insights.never_cited", count=len(missing))):
            st.html(tag("p", "　".join(missing) or "—"))


def _charts(series: Sequence[Day]) -> Iterator[Safe]:
    labels = [f"{day.day:%m-%d}" for day in series]
    totals = [day.totals for day in series]

    def chart(key: str, values: Sequence[float | None], form: str = "{:.0f}") -> Safe:
        return column_chart(say(f"insights.{key}"), labels, values, lambda value: form.format(value))

    yield chart("answers", [t.answers for t in totals])
    yield chart("age", [t.freshness.ages.p50 for t in totals])
    for rate in _RATES:
        shares: list[Share] = [getattr(t.attribution, rate) for t in totals]
        yield chart("empty_rate" if rate == "empty" else rate, [share.value for share in shares], "{:.0%}")
    yield chart("tokens", [t.cost.input_tokens + t.cost.output_tokens for t in totals])
    yield chart("price", [t.cost.price for t in totals], "{:.4f}")
    yield chart("seconds", [None if t.cost.seconds.p50 is None else t.cost.seconds.p50 * 1000 for t in totals])


def _stages(totals: Totals) -> Safe:
    """Seconds of every stage, and what is known of nothing."""
    head = tag("tr", *(tag("th", say(f"insights.{key}")) for key in ("stage", "count", "p50", "p95")))
    rows = (
        tag(
            "tr",
            tag("td", say_or(f"stage.{stage}", stage)),
            tag("td", str(own.count)),
            tag("td", _ms(own.p50)),
            tag("td", _ms(own.p95)),
        )
        for stage, own in totals.cost.stages
    )
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    undated = say("insights.undated", count=totals.freshness.undated)
    money = say("insights.unknown") if totals.cost.price is None else f"{totals.cost.price:.4f}"
    facts = f"{undated} · {say('insights.price')}：{money}"
    return tag("div", tag("p", facts, class_="kj-detail"), tag("div", table, class_="kj-body"))


def _ms(seconds: float | None) -> str:
    return "—" if seconds is None else f"{seconds * 1000:.1f}"


def _answers(records: Records, meant: Filter) -> None:
    with st.expander(say("insights.open")):
        which = st.selectbox(say("insights.which"), _WHICH, format_func=lambda w: say(f"insights.which_{w}"))
        page = read.answers(records, _narrowed(meant, which))
        head = tag("tr", *(tag("th", say(f"insights.{key}")) for key in ("at", "question", "outcome")))
        table = tag("table", tag("thead", head), tag("tbody", *(_row(answer) for answer in page.items)))
        st.html(tag("div", table, class_="kj-body"))
        st.download_button(
            say("insights.export"),
            lambda: b"".join(csv_export(records, _narrowed(meant, which))),
            file_name="kaijuan-answers.csv",
            mime="text/csv",
        )


def _narrowed(meant: Filter, which: str) -> Filter:
    match which:
        case "refused":
            return replace(meant, refused=True)
        case "down":
            return replace(meant, thumb="down")
        case "handed":
            return replace(meant, handed_over=True)
        case "empty" | "invented" | "unsupported":
            return replace(meant, mark=which)
    return meant


def _row(answer: AnswerRecord) -> Safe:
    why = answer.refused
    outcome = say("insights.outcome_refused", why=why) if why else say("insights.outcome_answered", cited=answer.cited)
    at = f"{answer.at.astimezone():%Y-%m-%d %H:%M}"
    return tag("tr", tag("td", at), tag("td", answer.question), tag("td", outcome))


def _gaps(services: Services, records: Records, meant: Filter, viewer: Viewer) -> None:
    with st.expander(say("insights.gaps")):
        st.html(tag("p", say("insights.gaps_lead"), class_="kj-detail"))
        kinds = ("refused", "empty", "down")
        asked = {
            a.id: a for kind in kinds for a in read.answers(records, _narrowed(meant, kind), None, LOOKED_AT).items
        }
        by_collection: dict[str, list[str]] = {}
        for answer in sorted(asked.values(), key=lambda a: a.id):
            by_collection.setdefault(answer.collection, []).append(answer.asked or answer.question)
        shown = 0
        for name, questions in sorted(by_collection.items()):
            nearest = partial(_nearest, services, name, viewer)
            for gap in find_gaps(questions, services.stages.embedder, nearest)[: SHOWN - shown]:
                _gap(gap)
                shown += 1
        if not shown:
            st.html(tag("p", say("insights.gaps_none")))


def _nearest(services: Services, name: str, viewer: Viewer, question: str) -> list[str]:
    try:
        collection = services.collection(name)
        trace = services.trace(question, collection, viewer, services.options(collection))
    except KaijuanError:
        return []
    return list(dict.fromkeys(candidate.chunk.title for candidate in trace.candidates))


def _gap(gap: Gap) -> None:
    st.html(tag("div", say("insights.gap", count=gap.count, question=gap.questions[0]), class_="kj-label"))
    if gap.nearest:
        titles = "、".join(f"《{title}》" for title in gap.nearest)
        st.html(tag("p", say("insights.gap_nearest", titles=titles), class_="kj-detail"))
    st.code(gap.draft(), language="markdown", wrap_lines=True)
