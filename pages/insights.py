"""运营: the three ledgers over time, from the records of answers."""

from kaijuan.ui.faults import guarded
from kaijuan.ui.insights import show_insights
from kaijuan.ui.shared import apply_style, current_viewer, shared_services

apply_style()
with guarded():
    show_insights(shared_services(), current_viewer())
