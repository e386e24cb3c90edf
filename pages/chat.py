"""问答: ask a collection and read the cited answer."""

from kaijuan.ui.chat import ask, choose_collection, new_question, show_turns, show_welcome
from kaijuan.ui.conversation import finish, turns
from kaijuan.ui.conversations import show_conversations, take_up_linked
from kaijuan.ui.faults import guarded
from kaijuan.ui.handover import show_handover
from kaijuan.ui.shared import apply_style, current_viewer, shared_services
from kaijuan.ui.tour import show_look, show_tour
from kaijuan.ui.visitor import known_visitor
from kaijuan.ui.waiting import show_waiting

apply_style()
with guarded():
    services = shared_services()
    collection = choose_collection(services)
    viewer = known_visitor(current_viewer())
    with guarded():
        take_up_linked(services.records, viewer)
    finish()
    question = new_question(collection)
    show_tour(services, begun=question is not None or bool(turns()))
    if question is None and not turns():
        show_welcome(collection)
    show_turns(services, question)
    if question is None:
        show_waiting(services, collection.name)
    else:
        ask(services, question, collection, viewer)
    show_look(services)
    show_handover(services.records, collection.name, viewer)
    show_conversations(services.records, viewer)
