"""评测: the frozen questions through every tier, what was won and lost, and the history of runs."""

from kaijuan.ui.access import closed_sentence, may_oversee
from kaijuan.ui.chat import choose_collection
from kaijuan.ui.evaluation import show_evaluation
from kaijuan.ui.faults import guarded, show_error
from kaijuan.ui.shared import apply_style, shared_services

apply_style()
with guarded():
    if may_oversee():
        services = shared_services()
        show_evaluation(services, choose_collection(services))
    else:
        show_error(closed_sentence())
