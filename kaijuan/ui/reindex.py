"""Reindexing on the admin page: the button, the job as it goes, and what the gate said; all from the job's state file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.indexing.jobs import Job, Line, Work, read_job, start_job
from kaijuan.ui.admin_tables import gate_text, refusal_text
from kaijuan.ui.confirm import confirmed
from kaijuan.ui.elements import tag
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say, say_or
from kaijuan.wiring import Services

#: Seconds between two looks at a running job.
EVERY = 1.0


def show_reindex(services: Services, collection: Collection, changed: Callable[[], None]) -> None:
    """The button and the last job; `changed` is called when a job has come to its end. Raises IngestError."""
    folder = services.settings.data_dir / "jobs"
    job = read_job(folder, collection.name)
    running = job is not None and job.state == "running"
    st.html(tag("p", say("admin.reindex_note"), class_="kj-detail"))
    wanted = st.button(say("admin.reindex"), type="primary", key="admin.reindex", disabled=running)
    refused = job if job is not None and job.state == "refused" else None
    if refused:
        st.error(escape(say("admin.refused", figures=refusal_text(refused.gate))))
        forced = confirmed(
            say("admin.force"), say("admin.force_sure"), f"admin.force.{collection.name}.{refused.started}"
        )
    else:
        forced = False
    if wanted or forced:
        start_job(folder, _work(services, collection), force=forced)
        st.rerun()
    if job is not None:
        _watch(folder, job, changed)


def _work(services: Services, collection: Collection) -> Work:
    name = collection.name
    reports = services.settings.data_dir / "reports"
    return Work(collection, services.ingesting(), reports, lambda steps: services.warm(name, steps))


def _watch(folder: Path, job: Job, changed: Callable[[], None]) -> None:
    """Draw the job, again and again while it is running, and the whole page once it is over."""

    @st.fragment(run_every=EVERY if job.state == "running" else None)
    def look() -> None:
        now = read_job(folder, job.collection) or job
        if job.state == "running" and now.state != "running":
            changed()
            st.rerun()
        _draw(now)

    look()


def _draw(job: Job) -> None:
    state = say(f"job.state_{job.state}")
    if job.state == "running":
        stage = say(f"job.stage_{job.stage}")
        share = job.done / job.total if job.total else 0.0
        text = say("job.progress", stage=stage, done=job.done, total=job.total) if job.total else stage
        st.progress(min(share, 1.0), escape(f"{state} · {text}"))
    else:
        st.html(tag("p", state, class_=f"kj-state kj-state-{job.state}"))
    lines = (tag("li", tag("time", line.at[11:19]), " ", _line(line)) for line in job.log)
    st.html(tag("ol", *lines, class_="kj-log", tabindex="0", aria_label=say("admin.log")))


def _line(line: Line) -> str:
    """A line as said; one that this version of the program has no sentence for is shown by its name."""
    if line.what == "gate":
        return say("job.gate", gate=gate_text(line.values))
    try:
        return say_or(f"job.{line.what}", line.what).format(**line.values)
    except (KeyError, IndexError):
        return line.what
