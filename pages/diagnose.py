"""诊断: which of the five stages lost the passage that should have answered."""

from kaijuan.ui.chat import choose_collection
from kaijuan.ui.diagnose import show_diagnose
from kaijuan.ui.faults import guarded
from kaijuan.ui.shared import apply_style, current_viewer, shared_services

apply_style()
with guarded():
    services = shared_services()
    show_diagnose(services, choose_collection(services), current_viewer())
