"""Folding: one spelling for all ways to write the same text, the same for indexing and for questions.

>>> fold("ＳＦ－３０００　⼿机")
'sf-3000 手机'
>>> clean("退\\u200b货 7 天 内 无 理 由")
'退货 7 天内无理由'
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from opencc import OpenCC

#: Han ideographs, kana and hangul: scripts written without blanks between words.
CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"

# CJK Radicals Supplement characters beside the ordinary character of the same look; NFKC leaves all but two alone.
# Read off the names in the Unicode character database ("CJK RADICAL C-SIMPLIFIED LEAF" is 页).
_RADICAL_PAIRS = (
    "⺁厂 ⺃乚 ⺅亻 ⺆冂 ⺇几 ⺈刀 ⺉刂 ⺊卜 ⺋㔾 ⺌小 ⺍小 ⺎兀 ⺏尣 ⺐尢 ⺒巳 ⺓幺 ⺔彑 ⺕彐 ⺖忄 ⺗心 ⺘扌 ⺙攵 ⺜日 ⺝月 ⺞歺 ⺟母 ⺠民 "
    "⺡氵 ⺢氺 ⺣灬 ⺤爪 ⺥爪 ⺦丬 ⺧牛 ⺨犭 ⺩王 ⺪疋 ⺫目 ⺬示 ⺭礻 ⺮竹 ⺯糹 ⺰纟 ⺱网 ⺲罒 ⺳网 ⺴网 ⺵网 ⺶羊 ⺷羊 ⺸羊 ⺹耂 ⺺聿 ⺻聿 ⺼月 "
    "⺽臼 ⺾艹 ⺿艹 ⻀艹 ⻁虎 ⻂衤 ⻃西 ⻄西 ⻅见 ⻆角 ⻇角 ⻈讠 ⻉贝 ⻊足 ⻋车 ⻌辶 ⻍辶 ⻎辶 ⻏阝 ⻐钅 ⻑長 ⻒镸 ⻓长 ⻔门 ⻕阜 ⻖阝 ⻗雨 ⻘青 "
    "⻙韦 ⻚页 ⻛风 ⻜飞 ⻝食 ⻞食 ⻟飠 ⻠饣 ⻡首 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ⻪黾 ⻫斉 ⻬齐 ⻭歯 ⻮齿 ⻯竜 ⻰龙 ⻱龜 ⻲亀 ⻳龟"
)
_RADICALS = {pair[0]: pair[1] for pair in _RADICAL_PAIRS.split()}
_TO_ORDINARY = {ord(k): v for k, v in _RADICALS.items()} | {
    code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)
}
_RADICAL = re.compile("[\u2e80-\u2fd5]")
_DASH = re.compile("[‐‑‒–—−﹣－]")
# Text set apart character by character, Chinese marks between the characters included.
_SET = f"{CJK}，。、；：！？（）《》“”‘’…"
_SPACED = re.compile(rf"(?<![{CJK}])(?:[{_SET}][ \t\u00a0\u3000]+){{2,}}[{_SET}](?![{CJK}])")
_BLANKS = re.compile(r"[ \t\u00a0\u3000]+")
# Format characters (zero-width blanks and joiners, soft hyphen, byte-order mark, direction marks, variation selectors)
# control characters other than line ends and tabs, and lone halves of surrogate pairs, which no encoding takes.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"
)
_ONLY_ASCII = re.compile(r"[\x20-\x7e\n\t]*\Z")


@lru_cache(maxsize=1)
def _simplifier() -> OpenCC:
    return OpenCC("t2s")


def clean(text: str) -> str:
    """Remove what no reader sees: invisible characters out, radicals to characters, set-apart Chinese closed up.

    Case, width and script stay, so the result can still be shown or given to a language or embedding model.
    """
    if _ONLY_ASCII.match(text):
        return text
    text = _INVISIBLE.sub("", text)
    if _RADICAL.search(text):
        text = text.translate(_TO_ORDINARY)
    return _SPACED.sub(lambda m: _BLANKS.sub("", m.group()), text)


def fold(text: str) -> str:
    """Fold text for searching: `clean`, NFKC widths, one dash, traditional to simplified, lower case."""
    if _ONLY_ASCII.match(text):
        return text.lower()
    text = _DASH.sub("-", unicodedata.normalize("NFKC", clean(text))).lower()
    return str(_simplifier().convert(text))
