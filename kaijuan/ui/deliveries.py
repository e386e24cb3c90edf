"""What becomes of a ticket beyond this product: told to another system in the background, its state beside its number."""

from __future__ import annotations

import streamlit as st

from kaijuan.errors import SettingsError
from kaijuan.records.deliveries import Deliveries
from kaijuan.records.store import Records
from kaijuan.records.tickets import ticket
from kaijuan.records.types import Webhook
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import sentence_for, show_error
from kaijuan.ui.messages import say
from kaijuan.ui.shared import choose_language
from kaijuan.wiring import load_deliveries

#: Seconds between two looks at a ticket that waits.
EVERY = 2


@st.cache_resource(show_spinner=False)
def shared_deliveries() -> Deliveries | None:
    """What tells tickets in this process, started with its first use; None where nobody is told. Raises SettingsError."""
    deliveries = load_deliveries()
    if deliveries is not None:
        deliveries.start()
    return deliveries


def state_of_new() -> Webhook:
    """The state in which a ticket begins; it waits as well while the settings are wrong, which `tell_of_new` says."""
    try:
        return "none" if shared_deliveries() is None else "waiting"
    except SettingsError:
        return "waiting"


def tell_of_new() -> None:
    """Have the new ticket told; raises SettingsError, with which it waits until the settings are right."""
    deliveries = shared_deliveries()
    if deliveries is not None:
        deliveries.wake()


def show_state(records: Records, ticket_id: str) -> None:
    """Whether another system has the ticket, looked at again while it waits; nothing where nobody is told."""
    state = _state(records, ticket_id)
    if state == "none":
        return

    @st.fragment(run_every=EVERY if state == "waiting" else None)
    def look() -> None:
        choose_language()  # a run of the fragment alone has no page before it
        _draw(records, ticket_id)

    look()


def _state(records: Records, ticket_id: str) -> Webhook:
    found = ticket(records, ticket_id)
    return "none" if found is None else found.webhook


def _draw(records: Records, ticket_id: str) -> None:
    try:
        found = ticket(records, ticket_id)
    except Exception as error:  # a run of the fragment alone has nobody else to show it
        show_error(sentence_for(error))
        return
    if found is not None:
        words = say(f"handover.told_{found.webhook}", said=found.webhook_said)
        st.html(tag("p", words.strip(), class_="kj-detail", role="status"))
