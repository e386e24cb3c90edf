"""The tour of a demonstration: questions of all collections, each a button with one line on what to look at."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kaijuan.collection import Collection, Stop
from kaijuan.types import Viewer
from kaijuan.ui.conversation import start_over, turns, wait_for
from kaijuan.ui.elements import tag
from kaijuan.ui.login import login_settings
from kaijuan.ui.markdown import escape
from kaijuan.ui.messages import say
from kaijuan.ui.roles import demo_roles, take_role
from kaijuan.wiring import Services

#: Stops beside each other where there is room.
_BESIDE = 3


def show_tour(services: Services, begun: bool) -> None:
    """The card where this is a demonstration: open on the empty page, folded once a conversation has `begun`."""
    stops = stops_of(services.collections()) if login_settings().demo else []
    if not stops:
        return
    with st.expander(say("tour.title", count=len(stops)), expanded=not begun, icon=":material/tour:"):
        st.html(tag("p", say("tour.lead"), class_="kj-detail"))
        # Row by row: on a phone, where columns stand below each other, the order stays.
        for start in range(0, len(stops), _BESIDE):
            for place, number in zip(st.columns(_BESIDE), range(start, len(stops)), strict=False):
                with place:
                    _show_stop(number + 1, *stops[number])


def show_look(services: Services) -> None:
    """Below the conversation what to look at in its last answer, where that is one of the tour's.

    The page scrolls to its end with every answer, so that a line above it would not be seen.
    """
    said = turns()
    if not said or not login_settings().demo:
        return
    for _, stop in stops_of(services.collections()):
        if stop.question == said[-1].question:
            st.html(tag("p", tag("b", say("tour.look")), " ", stop.look, class_="kj-note"))


def stops_of(collections: Sequence[Collection]) -> list[tuple[Collection, Stop]]:
    """The stops of all collections by their steps; those of one step in the order of the collections."""
    stops = [(collection, stop) for collection in collections for stop in collection.tour]
    return sorted(stops, key=lambda found: found[1].step)


def _show_stop(number: int, collection: Collection, stop: Stop) -> None:
    roles = demo_roles()
    again = next((role for role in roles if stop.role and role.name == stop.role), None)
    # A question of two roles is asked first as the one that everybody begins with.
    first = roles[0] if again else None
    label = escape(say("tour.step", step=number, question=stop.question))
    st.button(label, key=f"tour.{number}", on_click=_ask, args=(collection, stop, first), width="stretch")
    st.html(tag("p", stop.look, class_="kj-detail kj-stop"))
    if again:
        words = escape(say("tour.as_role", role=again.name))
        st.button(words, key=f"tour.{number}.role", on_click=_ask, args=(collection, stop, again), width="stretch")


def _ask(collection: Collection, stop: Stop, role: Viewer | None) -> None:
    """Begin a conversation of its own with this question, so that nothing of the one before is taken into it."""
    if role is None:
        start_over()
    else:
        take_role(role)
    st.query_params.pop("q", None)
    st.query_params["c"] = collection.name
    wait_for(stop.question, alone=True)
