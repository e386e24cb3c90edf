"""评测: the frozen questions through every tier, what was won and lost, and the history of runs."""

from kaijuan.ui.chat import choose_collection
from kaijuan.ui.evaluation import show_evaluation
from kaijuan.ui.faults import guarded
from kaijuan.ui.shared import apply_style, shared_services

apply_style()
with guarded():
    services = shared_services()
    show_evaluation(services, choose_collection(services))
