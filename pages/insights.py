"""运营: the three ledgers over time, from the records of answers."""

from kaijuan.ui.access import closed_sentence, may_oversee
from kaijuan.ui.faults import guarded, show_error
from kaijuan.ui.insights import show_insights
from kaijuan.ui.shared import apply_style, current_viewer, shared_services

apply_style()
with guarded():
    if may_oversee():
        show_insights(shared_services(), current_viewer())
    else:
        show_error(closed_sentence())
