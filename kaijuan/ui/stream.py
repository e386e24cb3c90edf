"""An answer on its way: one line of progress, the text so far, and in the end its turn of the conversation."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from streamlit.delta_generator import DeltaGenerator

from kaijuan.answering.aside import Aside
from kaijuan.answering.broken_off import SoFar
from kaijuan.answering.types import Answer, Event, Finished, Piece, Retrieved
from kaijuan.types import Notice, Viewer
from kaijuan.ui.answer import answer_html, text_html
from kaijuan.ui.conversation import Opened, Turn
from kaijuan.ui.elements import join, tag
from kaijuan.ui.faults import sentence_for
from kaijuan.ui.ledger import ledger_html, stages_line
from kaijuan.ui.messages import say
from kaijuan.wiring import Services

# Text that comes faster than this is drawn together: the browser needs as long for one character as for a paragraph.
_REDRAW_SECONDS = 0.05
# Streamlit ends a run only while it draws: as often as this it gets the chance while nothing comes.
_PATIENCE = 0.25
#: Seconds from which on the time that it takes is shown.
_LONG = 2


class Stream:
    """One answer that is followed; whatever becomes of it, `settle` writes it down and lets its model go.

    `slot` is where it is drawn; `notice` says what could not be kept.
    """

    def __init__(self, services: Services, viewer: Viewer, opened: Opened, slot: DeltaGenerator) -> None:
        self._services = services
        self._viewer = viewer
        self._opened = opened
        self._slot = slot
        self._so_far = SoFar(opened.turn.question)
        self._aside: Aside | None = None
        self._answer: Answer | None = None
        self._error: str | None = None
        self._progress = say("chat.searching")
        self._began = self._shown_at = time.monotonic()
        self._lock = threading.Lock()
        self._turn: Turn | None = None
        self.notice: Notice | None = None

    def follow(self, earlier: Sequence[str]) -> None:
        """Show events as they come; raises what `Services.ask` raises."""
        turn = self._opened.turn
        self._show()
        self._aside = Aside(lambda: self._services.ask(turn.question, turn.collection, self._viewer, earlier))
        for event in self._aside.events(_PATIENCE):
            if event is None:
                self._show()
            else:
                self._take(event)

    def fail(self, sentence: str) -> None:
        """End with an error's sentence."""
        self._error = sentence

    def done(self) -> Turn:
        """What is to be shown of the answer now, not written down yet."""
        answer = self._answer
        if answer is None and self._error is None:
            answer = self._so_far.stopped(time.monotonic() - self._began)
        drawn = None if answer is None else join([answer_html(answer), ledger_html(answer)])
        partial = "" if drawn else self._so_far.text
        return replace(self._opened.turn, answer=answer, drawn=drawn, error=self._error, partial=partial)

    def settle(self) -> Turn:
        """See Going.settle: an answer that neither ended nor failed was stopped; an answer is kept in the records."""
        with self._lock:
            if self._turn is None:
                if self._aside is not None:
                    self._aside.break_off()
                self._turn = self._kept(self.done())
                self._opened.write(self._turn)
            return self._turn

    def _kept(self, turn: Turn) -> Turn:
        if turn.answer is None:
            return turn
        services = self._services
        try:
            record, self.notice = services.keep(turn.answer, self._viewer, self._opened.conversation, turn.replaces)
        except Exception as error:  # a reader never loses an answer because its record is lost
            self.notice = Notice("records", sentence_for(error))
            return turn
        kept = self.notice is None and services.records is not None and services.records.days > 0
        return replace(turn, record=record, kept=kept)

    def _take(self, event: Event) -> None:
        if isinstance(event, Finished):
            self._answer = event.answer
            return
        first = not self._so_far.text
        self._so_far.take(event)
        if isinstance(event, Retrieved):
            self._progress = say("chat.stages", stages=stages_line(event.trace))
        elif isinstance(event, Piece) and not first and time.monotonic() - self._shown_at < _REDRAW_SECONDS:
            return
        self._show()

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        seconds = int(self._shown_at - self._began)
        # Beside the status, which a screen reader would read out anew every second.
        waited = [tag("span", say("chat.seconds", seconds=seconds), aria_hidden="true")] if seconds >= _LONG else []
        progress = tag("div", tag("span", self._progress, role="status"), *waited, class_="kj-progress")
        text = self._so_far.text
        self._slot.html(join([progress, text_html(text)]) if text else progress)
