"""What came of an answer that was stopped on its way, as an answer that says so: never one that looks whole."""

from __future__ import annotations

from kaijuan.answering.types import Answer, Piece, Retrieved, Source
from kaijuan.types import Notice, Trace

STOPPED = "已停止：以上只是停止前写出的部分，没有逐句核对；需要完整的回答请重新回答。"


class SoFar:
    """An answer as far as its events have come."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.text = ""
        self._trace: Trace | None = None
        self._last: Piece | None = None

    def take(self, event: Retrieved | Piece) -> None:
        """Go on by one event."""
        if isinstance(event, Retrieved):
            self._trace = event.trace
        else:
            self._last = event
            self.text += event.text

    def stopped(self, seconds: float) -> Answer | None:
        """The answer stopped here, `seconds` after its question; None where no word of it has come."""
        trace, last = self._trace, self._last
        if trace is None or last is None:
            return None
        numbered = trace.numbered()
        cited = [numbered[number] for number in last.cited if number in numbered]
        return Answer(
            question=self.question,
            text=self.text,
            sources=tuple(Source(shown, candidate) for shown, candidate in enumerate(cited, start=1)),
            trace=trace,
            notices=(Notice("answer", STOPPED),),
            answerer="openai" if last.model else "extractive",
            model=last.model,
            incomplete=True,
            completed=trace.question if trace.question != self.question else "",
            seconds=seconds,
        )
