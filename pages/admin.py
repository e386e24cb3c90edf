"""索引: health, versions, reindexing and roll back, for administrators."""

import streamlit as st

from kaijuan.ui.access import closed_sentence, may_administer
from kaijuan.ui.admin import show_admin
from kaijuan.ui.chat import choose_collection
from kaijuan.ui.elements import tag
from kaijuan.ui.faults import guarded, show_error
from kaijuan.ui.login import login_is_on
from kaijuan.ui.messages import say
from kaijuan.ui.shared import apply_style, shared_services
from kaijuan.ui.synonyms import show_synonyms

apply_style()
with guarded():
    if may_administer():
        if not login_is_on():
            st.html(tag("p", say("admin.local"), class_="kj-detail"))
        services = shared_services()
        collection = choose_collection(services)
        show_admin(services, collection)
        show_synonyms(services, collection)
    else:
        show_error(closed_sentence())
