"""问答: ask a collection and read the cited answer."""

from kaijuan.ui.chat import ask, choose_collection, new_question, show_turns, show_welcome
from kaijuan.ui.conversation import turns
from kaijuan.ui.faults import guarded
from kaijuan.ui.shared import apply_style, current_viewer, shared_services

apply_style()
with guarded():
    services = shared_services()
    collection = choose_collection(services)
    question = new_question(collection)
    if question is None and not turns():
        show_welcome(collection)
    show_turns(turns())
    if question is not None:
        ask(services, question, collection, current_viewer())
