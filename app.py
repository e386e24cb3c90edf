"""The app: page config and page list; run by `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from kaijuan.ui.messages import say

# A file of our own: a material icon as page icon would be fetched from the internet.
_ICON = Path(__file__).parent / "kaijuan" / "ui" / "icon.svg"

st.set_page_config(page_title=say("product"), page_icon=_ICON, layout="wide")
st.navigation(
    [
        st.Page("pages/chat.py", title=say("page.chat"), icon=":material/chat:", default=True),
        st.Page("pages/source.py", title=say("page.source"), icon=":material/article:", url_path="source"),
    ]
).run()
