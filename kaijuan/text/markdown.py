"""Markdown as a stream of events (CommonMark with tables), and what a heading says.

Parsed by pulldown-cmark through pyromark, in time that grows with the text alone, however deep it is nested.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyromark import Markdown, Options
from pyromark.event import Range

__all__ = ["Event", "Range", "events", "events_with_places", "heading_level", "heading_text", "utf8"]

#: An event: a name, or a table of one name and what belongs to it; see pyromark.event.
Event = Any

_parser = Markdown(options=Options.ENABLE_TABLES)


def events(text: str) -> Iterator[Event]:
    """Events of a Markdown text in order."""
    return _parser.events(_encodable(text))


def events_with_places(text: str) -> Iterator[tuple[Event, Range]]:
    """Events with their `start` and `end` in `utf8(text)`, in bytes, half open."""
    return _parser.events_with_range(_encodable(text))


def utf8(text: str) -> bytes:
    """The text as it is parsed, where lone halves of surrogate pairs are question marks."""
    return text.encode("utf-8", "replace")


def heading_level(event: Event) -> int:
    """Level (from 1) of the heading that begins with this event; 0 when none does."""
    start = event.get("Start") if isinstance(event, dict) else None
    return int(start["Heading"]["level"][1:]) if isinstance(start, dict) and "Heading" in start else 0


def heading_text(following: Iterable[Event]) -> str:
    """What a heading says without its inline markup, from the events behind its start; a line end stays one."""
    said: list[str] = []
    for event in following:
        if isinstance(event, str):
            said.append("\n")  # SoftBreak or HardBreak
        elif "End" in event and isinstance(event["End"], dict) and "Heading" in event["End"]:
            break
        else:
            said.append(event.get("Text") or event.get("Code") or "")
    return "".join(said).strip()


def _encodable(text: str) -> str:
    return utf8(text).decode("utf-8")
