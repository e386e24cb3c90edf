"""The app: page config and page list; run by `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from kaijuan.ui.messages import say
from kaijuan.ui.roles import role_switch
from kaijuan.ui.shared import choose_language, language_switch

# A file of our own: a material icon as page icon would be fetched from the internet.
_ICON = Path(__file__).parent / "kaijuan" / "ui" / "icon.svg"

choose_language()
st.set_page_config(page_title=say("product"), page_icon=_ICON, layout="wide")
page = st.navigation(
    [
        st.Page("pages/chat.py", title=say("page.chat"), icon=":material/chat:", default=True),
        st.Page("pages/source.py", title=say("page.source"), icon=":material/article:", url_path="source"),
        st.Page("pages/bench.py", title=say("page.bench"), icon=":material/science:", url_path="bench"),
        st.Page(
            "pages/evaluation.py", title=say("page.evaluation"), icon=":material/analytics:", url_path="evaluation"
        ),
        st.Page("pages/insights.py", title=say("page.insights"), icon=":material/monitoring:", url_path="insights"),
        st.Page("pages/admin.py", title=say("page.admin"), icon=":material/database:", url_path="admin"),
        st.Page("pages/diagnose.py", title=say("page.diagnose"), icon=":material/troubleshoot:", url_path="diagnose"),
    ]
)
role_switch()
language_switch()
page.run()
