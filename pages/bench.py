"""检索台: one question through every stage, under settings of this page alone."""

from kaijuan.ui.bench import show_bench
from kaijuan.ui.chat import choose_collection
from kaijuan.ui.faults import guarded
from kaijuan.ui.shared import apply_style, current_viewer, shared_services

apply_style()
with guarded():
    services = shared_services()
    show_bench(services, choose_collection(services), current_viewer())
