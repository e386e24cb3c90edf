"""The message table is complete: every key that the pages use exists, and every sentence can be filled in."""

import re
from pathlib import Path
from string import Formatter

import pytest

from kaijuan.ui.messages import MESSAGES, say, say_or

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_key_in_use_is_in_the_table() -> None:
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "kaijuan" / "ui").glob("*.py")]
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
    assert all(shape == shapes["zh"] for shape in shapes.values())
