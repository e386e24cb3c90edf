"""The admin page: health, collections, one collection's versions, reindexing and its last report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.errors import KaijuanError
from kaijuan.evaluation.patients import patient_of
from kaijuan.indexing.doctor import Patient, examine
from kaijuan.indexing.report import LATEST
from kaijuan.indexing.versions import Version, rollback
from kaijuan.types import Finding
from kaijuan.ui.admin_tables import collections_html, findings_html, report_html, versions_html
from kaijuan.ui.confirm import confirmed
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.reindex import show_reindex
from kaijuan.wiring import Services

_HEALTH, _SAID = "admin.health.found", "admin.said"


def show_admin(services: Services, collection: Collection) -> None:
    """The whole page below the choice of the collection; each part stands although another fails."""
    if said := st.session_state.pop(_SAID, ""):
        st.success(escape(said))
    with guarded():
        _show_health(services)
    with guarded():
        _show_collections(services, collection)
    with guarded():
        _show_versions(services, collection)
    with guarded():
        _heading(say("admin.reindex"))
        show_reindex(services, collection, forget_health)
    with guarded():
        _show_report(services, collection)


def forget_health() -> None:
    """Look again at the next run: an index has changed."""
    st.session_state.pop(_HEALTH, None)


def _show_health(services: Services) -> None:
    _heading(say("admin.health"))
    if _HEALTH not in st.session_state:
        with st.spinner(say("admin.examining")):
            at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
            st.session_state[_HEALTH] = (at, _examined(services))
    at, found = st.session_state[_HEALTH]
    bad, warn = (sum(finding.level == level for finding in found) for level in ("bad", "warn"))
    st.html(tag("p", say("admin.sum", bad=bad, warn=warn, at=at) if bad or warn else say("admin.sum_good", at=at)))
    st.html(findings_html(found))
    st.button(say("admin.again"), key="admin.again", on_click=forget_health)


def _examined(services: Services) -> list[Finding]:
    """The doctor's findings on all collections, those that cannot be read among them."""
    unreadable: list[Finding] = []
    patients: list[Patient] = []
    for name in services.collection_names():
        try:
            collection = services.collection(name)
        except KaijuanError as error:
            unreadable.append(Finding.of_sentence("集合", error, name))
        else:
            patients.append(patient_of(collection, services.options(collection), unreadable))
    return [*examine(services.stages, patients, services.settings.embedder == "none"), *unreadable]


def _show_collections(services: Services, chosen: Collection) -> None:
    label = say("admin.collections", engine=services.engine.name)
    _heading(label)
    names = services.collection_names()
    rows = [(name, *_overview(services, name)) for name in names]
    st.html(collections_html(label, rows, names.index(chosen.name) if chosen.name in names else None))


def _overview(services: Services, name: str) -> tuple[str, Sequence[Version], str]:
    """Title and versions of a collection, and why they cannot be had."""
    title = ""
    try:
        title = services.collection(name).title
        return title, services.engine.versions(name), ""
    except KaijuanError as error:
        return title, (), str(error)


def _show_versions(services: Services, collection: Collection) -> None:
    label = say("admin.versions", name=collection.name)
    _heading(label)
    versions = services.engine.versions(collection.name)
    if not versions:
        st.info(escape(say("admin.no_versions", name=collection.name)))
        return
    st.html(versions_html(label, versions))
    idle = [version.name for version in reversed(versions) if not version.active]
    if not idle:
        st.html(tag("p", say("admin.one_version"), class_="kj-detail"))
        return
    _roll_back(services, collection, idle, next((v.name for v in versions if v.active), "—"))


def _roll_back(services: Services, collection: Collection, idle: Sequence[str], active: str) -> None:
    """Choose a version that does not answer and let it; what an ingest in between changed is said by the engine."""
    version = st.selectbox(say("admin.roll_back_to"), idle, key=f"admin.version.{collection.name}")
    sure = say("admin.roll_back_sure", version=version, name=collection.name, active=active)
    # The version is part of the key: a yes counts for what was asked about.
    if confirmed(say("admin.roll_back"), sure, f"admin.roll_back.{collection.name}.{version}"):
        rollback(collection.name, services.ingesting(), version)
        forget_health()
        st.session_state[_SAID] = say("admin.rolled_back", version=version)
        st.rerun()


def _show_report(services: Services, collection: Collection) -> None:
    _heading(say("admin.report"))
    folder = services.settings.data_dir / "reports" / collection.name
    try:
        report = json.loads((folder / f"{LATEST}.json").read_text(encoding="utf-8"))
        page = (folder / f"{LATEST}.html").read_text(encoding="utf-8")
        shown = report_html(report)
    except (OSError, ValueError, KeyError):  # none yet, or written by another program version
        st.html(tag("p", say("admin.no_report"), class_="kj-detail"))
        return
    st.html(shown)
    st.download_button(say("admin.download"), page, f"ingest-{collection.name}.html", "text/html", key="admin.download")


def _heading(text: str) -> None:
    st.html(tag("h2", text, class_="kj-heading"))
