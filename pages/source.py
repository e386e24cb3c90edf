"""资料: one document with the cited passage marked, from its address alone (`c` collection, `d` document, `k` chunk)."""

import streamlit as st

from kaijuan.ui.faults import guarded
from kaijuan.ui.shared import apply_style, current_viewer, shared_services
from kaijuan.ui.source import link_to_chat, show_source

apply_style()
link_to_chat(st.query_params.get("c"))
with guarded():
    show_source(shared_services(), current_viewer())
