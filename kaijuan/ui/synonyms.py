"""The synonyms editor on the admin page: the file, what an edit would change on the labelled questions, and saving it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import streamlit as st

from kaijuan.collection import Collection
from kaijuan.evaluation.preview import Preview
from kaijuan.evaluation.preview_run import PreviewRun, Subject
from kaijuan.evaluation.questions import load_questions
from kaijuan.evaluation.synonyms_file import load_saves, note_save, present_text, save_synonyms
from kaijuan.retrieval.synonyms import load_synonyms, parse_synonyms
from kaijuan.ui.access import closed_sentence, may_administer
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded, sentence_for, show_error
from kaijuan.ui.login import logged_in, login_is_on
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.synonyms_tables import changes_html, figures_html, saves_html
from kaijuan.wiring import Services

#: Seconds between two looks at a running preview, and saves that are shown.
EVERY, SAVES = 0.5, 5
_SAID = "synonyms.said"


def show_synonyms(services: Services, collection: Collection) -> None:
    """The editor for one collection; for administrators only."""
    if not may_administer():
        show_error(closed_sentence())
        return
    st.html(tag("h2", say("synonyms.title", name=collection.name), class_="kj-heading"))
    if said := st.session_state.pop(_SAID, ""):
        st.success(escape(said))
    st.html(tag("p", say("synonyms.lead"), class_="kj-detail"))
    with guarded():
        _edit(services, collection)
    if saves := load_saves(_notes(services), collection)[:SAVES]:
        st.html(saves_html(saves))


def _edit(services: Services, collection: Collection) -> None:
    """The text and what can be done with it; raises KaijuanError."""
    present = present_text(collection)
    seen = _seen(collection, present)
    text = _text(collection, seen)
    if present != seen:
        _offer_reload(collection)
        return
    if (loaded := load_synonyms(collection.synonyms_file)) and loaded.fault:
        show_error(loaded.fault)
    subject = _subject(services, collection, text, present)
    run: PreviewRun | None = st.session_state.get(_key("run", collection))
    running = run is not None and not run.finished
    if st.button(say("synonyms.preview"), key="synonyms.preview", disabled=running):
        with guarded():
            run = _start(services, collection, subject)
    if run is not None and not run.finished:
        _watch(run)
    if text == (present or ""):
        st.html(tag("p", say("synonyms.unchanged"), class_="kj-detail"))
    seen_of = run.result if run is not None and run.finished and run.subject == subject else None
    if run is not None and run.fault is not None and run.subject == subject:
        show_error(sentence_for(run.fault))
    ready = seen_of is not None and _show(collection, seen_of, text) and text != (present or "")
    if seen_of is None and text != (present or ""):
        st.html(tag("p", say("synonyms.preview_first"), class_="kj-detail"))
    if st.button(say("synonyms.save"), type="primary", key="synonyms.save", disabled=not ready) and ready and seen_of:
        _save(services, collection, text, seen, seen_of)


def _seen(collection: Collection, present: str | None) -> str | None:
    """The file as it was when this session began to edit it."""
    known: str | None = st.session_state.setdefault(_key("seen", collection), present)
    return known


def _text(collection: Collection, seen: str | None) -> str:
    """The text area; what was typed outlives a visit of another page."""
    draft = _key("draft", collection)
    typed: str = st.text_area(
        say("synonyms.text"),
        value=st.session_state.get(draft, seen or ""),
        height=240,
        placeholder=say("synonyms.example"),
        key=f"{_key('text', collection)}.{st.session_state.get(_key('loaded', collection), 0)}",
    )
    st.session_state[draft] = typed
    return typed


def _offer_reload(collection: Collection) -> None:
    st.warning(say("synonyms.changed_on_disk"))
    st.button(say("synonyms.reload"), key="synonyms.reload", on_click=_forget, args=(collection,))


def _forget(collection: Collection) -> None:
    """Begin anew with the file as it is, in a text area of its own."""
    for what in ("seen", "draft", "run"):
        st.session_state.pop(_key(what, collection), None)
    st.session_state[_key("loaded", collection)] = st.session_state.get(_key("loaded", collection), 0) + 1


def _subject(services: Services, collection: Collection, text: str, present: str | None) -> Subject:
    questions = load_questions(collection.questions_file) if collection.questions_file.is_file() else ()
    asked = tuple(question for question in questions if question.gold)
    versions = services.engine.versions(collection.name) if asked else []
    build = next((f"{version.name} {version.meta.created}" for version in versions if version.active), "")
    return Subject(collection.name, text, present, asked, build)


def _start(services: Services, collection: Collection, subject: Subject) -> PreviewRun:
    """Begin a preview; raises CorpusError when the text is no list of synonyms."""
    edited = parse_synonyms(subject.edited, collection.synonyms_file.name)
    run = PreviewRun(subject, services.stages, services.options(collection), edited)
    st.session_state[_key("run", collection)] = run
    return run


def _watch(run: PreviewRun) -> None:
    """Draw how far it is, again and again, and the whole page once it is over."""

    @st.fragment(run_every=EVERY)
    def look() -> None:
        if run.finished:
            st.rerun()
        st.progress(run.done / max(run.total, 1), say("synonyms.running", done=run.done, total=run.total))

    look()


def _show(collection: Collection, seen: Preview, text: str) -> bool:
    """What the preview found; whether the text may be saved."""
    if seen.before is None:
        st.warning(escape(say("synonyms.unlabelled", name=collection.name)))
        return _ticked("unmeasured", collection, text)
    counts = say("synonyms.counts", scored=seen.scored, touched=seen.touched, version=seen.version)
    st.html(tag("p", counts))
    st.html(figures_html(seen))
    if seen.changes:
        st.html(changes_html(seen.changes))
    else:
        st.html(tag("p", say("synonyms.no_changes"), class_="kj-detail"))
    if not seen.worse:
        st.html(tag("p", say("synonyms.is_fine"), class_="kj-state kj-state-done"))
        return True
    st.warning(say("synonyms.is_worse"))
    return _ticked("worse", collection, text)


def _ticked(why: str, collection: Collection, text: str) -> bool:
    # The text is part of the key: a tick counts for what was previewed.
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    return st.checkbox(say(f"synonyms.anyway_{why}"), key=f"{_key(why, collection)}.{digest}")


def _save(services: Services, collection: Collection, text: str, seen: str | None, measured: Preview) -> None:
    """Save, note it and draw the page anew; raises CorpusError when it was not saved."""
    written = save_synonyms(collection, text, seen)
    _forget(collection)
    synonyms = parse_synonyms(written)
    st.session_state[_SAID] = say("synonyms.saved", groups=synonyms.groups if synonyms else 0)
    by = logged_in().viewer.name if login_is_on() else ""
    note_save(_notes(services), collection, by, written, measured)
    st.rerun()


def _notes(services: Services) -> Path:
    return services.settings.data_dir / "synonyms"


def _key(what: str, collection: Collection) -> str:
    return f"synonyms.{what}.{collection.name}"
