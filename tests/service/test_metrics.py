"""/metrics: the text format holds, counters rise with what is asked, and what the records hold is told as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.records.meters import BOUNDS, Histogram
from kaijuan.records.record import ticket_about
from kaijuan.records.tickets import close, hand_over, tickets
from kaijuan.service.exposition import Family, HistogramFamily, text_of
from kaijuan.types import Viewer
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME
from tests.service.serving import asked, made_services, serving
from tests.service.text_format import Metrics, parsed


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return made_services(tmp_path)


def outcomes(metrics: Metrics) -> list[float]:
    return [
        metrics.value("kaijuan_answers_total", collection=NAME, outcome=outcome)
        for outcome in ("answered", "refused", "failed")
    ]


def test_the_format_holds_and_counters_rise(services: Services) -> None:
    with serving(services) as client:
        reply = client.get("/metrics")
        assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        before = parsed(reply.text)
        assert outcomes(before) == [0, 0, 0], "they stand there before the first answer"
        answered = asked(client, "退货运费由谁承担").json()
        asked(client, "SF-9000 怎么连接")
        asked(client, "？！")
        asked(client, "退货", collection="nowhere")
        after = parsed(client.get("/metrics").text)
    assert outcomes(after) == [1, 1, 0], "a bad question is no failure"
    assert all(name.startswith("kaijuan_") for name in after.types) and set(after.types) == set(after.helps)
    assert "nowhere" not in reply.text
    assert after.value("kaijuan_refusals_total", collection=NAME, reason="missing_code") == 1
    assert after.value("kaijuan_citations_total", collection=NAME) == len(answered["sources"])
    for name in ("citations_invented", "answers_empty", "answers_incomplete", "sentences_unsupported"):
        assert after.value(f"kaijuan_{name}_total", collection=NAME) == 0
    for stage in ("embed", "search", "fuse", "rerank", "context", "answer"):
        assert after.value("kaijuan_stage_seconds_count", stage=stage) == 2
        assert after.value("kaijuan_stage_seconds_bucket", stage=stage, le="+Inf") == 2
    taken = answered["seconds"]["search"]
    assert after.value("kaijuan_stage_seconds_sum", stage="search") >= taken > 0


def test_buckets_hold_those_before_them() -> None:
    histogram = Histogram()
    for seconds in (0.001, BOUNDS[0], 0.3, 100.0):
        histogram = histogram.with_value(seconds)
    found = parsed(text_of([HistogramFamily("h", "Seconds.", ("stage",), {("x",): histogram})]))
    buckets = [found.value("h_bucket", stage="x", le=str(bound)) for bound in BOUNDS]
    assert buckets == sorted(buckets) and buckets[0] == 2 and buckets[-1] == 3
    assert found.value("h_bucket", stage="x", le="+Inf") == found.value("h_count", stage="x") == 4
    assert found.value("h_sum", stage="x") == pytest.approx(100.301 + BOUNDS[0])


@pytest.mark.parametrize("label", ['a"b', "a\\b", "a\nb", "a\\nb", '\\"', "中文", 'a{b="c"} 1', ""])
def test_labels_are_escaped(label: str) -> None:
    found = parsed(text_of([Family("f", 'Says "x"\\\nthat.', ("name",), {(label,): 3})]))
    assert found.value("f", name=label) == 3 and len(found.samples) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a 1\n",
        "# TYPE a counter\na 1\n",
        "# HELP a x\n# TYPE a counter\na 1",
        '# HELP a x\n# TYPE a counter\na{b="c} 1\n',
        "# HELP a x\n# TYPE a counter\na 1\na 2\n",
        "# HELP a x\n# TYPE a sum\na 1\n",
        "# HELP a x\n# TYPE a counter\na one\n",
    ],
)
def test_the_reader_of_these_tests_sees_mistakes(text: str) -> None:
    with pytest.raises(ValueError):
        parsed(text)


def test_what_the_records_hold_is_told(services: Services) -> None:
    assert services.records is not None
    with serving(services) as client:
        first, second = (asked(client, "退货运费由谁承担").json()["id"] for _ in range(2))
        services.records.rate(first, "down", "x")
        services.records.rate(second, "up")
        for question in ("一", "二"):
            hand_over(services.records, ticket_about(question, "", Viewer(), NAME))
        close(services.records, tickets(services.records).items[0].id)
        found = parsed(client.get("/metrics").text)
        assert found.value("kaijuan_records_answers", collection=NAME, outcome="answered") == 2
        assert [found.value("kaijuan_thumbs", kind=kind) for kind in ("up", "down")] == [1, 1]
        assert [found.value("kaijuan_tickets", status=status) for status in ("open", "closed")] == [1, 1]
        services.records.unrate(first)
        services.records.change(lambda db: db.execute("DELETE FROM answers"))
        later = parsed(client.get("/metrics").text)
    assert later.types["kaijuan_thumbs"] == "gauge" and later.value("kaijuan_thumbs", kind="down") == 0
    # What is deleted must not let a counter fall: that would be taken for a restart.
    assert outcomes(later) == [2, 0, 0]
    assert ("kaijuan_records_answers", frozenset({("collection", NAME), ("outcome", "answered")})) not in later.samples
