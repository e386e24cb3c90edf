"""索引: health, versions, reindexing and roll back, for administrators."""

import streamlit as st

from kaijuan.ui.access import sits_at_the_server
from kaijuan.ui.admin import show_admin
from kaijuan.ui.chat import choose_collection
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded, show_error
from kaijuan.ui.messages import say
from kaijuan.ui.shared import apply_style, shared_services

apply_style()
if sits_at_the_server():
    st.html(tag("p", say("admin.local"), class_="kj-detail"))
    with guarded():
        services = shared_services()
        show_admin(services, choose_collection(services))
else:
    show_error(say("admin.only_admins"))
