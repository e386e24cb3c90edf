"""The app: page config, entrance and page list; run by `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from kaijuan.ui.access import may_oversee, warn_if_open_to_others
from kaijuan.ui.login import entrance, show_entrance, show_person
from kaijuan.ui.messages import say
from kaijuan.ui.roles import role_switch
from kaijuan.ui.shared import apply_style, choose_language, language_switch

# A file of our own: a material icon as page icon would be fetched from the internet.
_ICON = Path(__file__).parent / "kaijuan" / "ui" / "icon.svg"

choose_language()
st.set_page_config(page_title=say("product"), page_icon=_ICON, layout="wide")
door = entrance()
# A page that is not listed still answers at its address, with a sentence of its own.
admins = "visible" if may_oversee() else "hidden"
page = st.navigation(
    [
        st.Page("pages/chat.py", title=say("page.chat"), icon=":material/chat:", default=True),
        st.Page("pages/source.py", title=say("page.source"), icon=":material/article:", url_path="source"),
        st.Page("pages/bench.py", title=say("page.bench"), icon=":material/science:", url_path="bench"),
        st.Page(
            "pages/evaluation.py",
            title=say("page.evaluation"),
            icon=":material/analytics:",
            url_path="evaluation",
            visibility=admins,
        ),
        st.Page(
            "pages/insights.py",
            title=say("page.insights"),
            icon=":material/monitoring:",
            url_path="insights",
            visibility=admins,
        ),
        st.Page(
            "pages/admin.py", title=say("page.admin"), icon=":material/database:", url_path="admin", visibility=admins
        ),
        st.Page("pages/diagnose.py", title=say("page.diagnose"), icon=":material/troubleshoot:", url_path="diagnose"),
    ],
    # Known before anybody is let in, so that the wanted address stays as it is.
    position="sidebar" if door.is_open else "hidden",
)
if door.is_open:
    warn_if_open_to_others()
    show_person()
    role_switch()
    language_switch()
    page.run()
else:
    apply_style()
    show_entrance(door)
