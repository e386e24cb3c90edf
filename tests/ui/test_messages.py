"""The message table is complete: every key that the pages use exists, and every sentence can be filled in."""

import re
from pathlib import Path
from string import Formatter

import pytest

from kaijuan.ui.messages import LANGUAGES, MESSAGES, language, say, say_or, use_language

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_key_in_use_is_in_the_table() -> None:
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "kaijuan" / "ui").rglob("*.py")]
    used = {key for file in files for key in re.findall(r'\bsay\("([a-z_.]+)"', file.read_text(encoding="utf-8"))}
    assert used and used <= set(MESSAGES["zh"])


def test_say() -> None:
    assert "8f" in say("fault.unexpected", trace="8f")
    assert say_or("stage.later", "later") == "later"
    with pytest.raises(KeyError):
        say("no.such")


def test_languages_have_the_same_keys_and_values() -> None:
    shapes = {
        language: {
            key: sorted(name for _, name, _, _ in Formatter().parse(text) if name) for key, text in table.items()
        }
        for language, table in MESSAGES.items()
    }
    assert set(shapes) == set(LANGUAGES) and shapes["en"] == shapes["zh"]
    assert all(text.strip() for table in MESSAGES.values() for text in table.values())


def test_english_holds_no_chinese_and_chinese_is_chinese() -> None:
    chinese = re.compile("[\u4e00-\u9fff]")
    assert not [key for key, text in MESSAGES["en"].items() if chinese.search(text)]
    plain = {key for key, text in MESSAGES["zh"].items() if not chinese.search(text)}
    assert plain <= {key for key, text in MESSAGES["zh"].items() if re.fullmatch(r"[\W\d_]*(?:\{\w+\}[\W\d_]*)*", text)}


def test_the_language_is_the_readers_own_and_an_unknown_one_changes_nothing() -> None:
    before = language()
    try:
        use_language("en")
        assert say("page.chat") == "Ask"
        use_language("fr")
        assert language() == "en"
    finally:
        use_language(before)
