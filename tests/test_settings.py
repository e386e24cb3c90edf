"""Settings, .env.example and the README's table say the same."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import SecretStr

from kaijuan.settings import ROOT, Settings


def _defaults() -> dict[str, tuple[str, str]]:
    """Default as written and description, by name of the environment variable."""
    rows = {}
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        if isinstance(default, Path):
            written = default.relative_to(ROOT).as_posix()
        elif default is None or isinstance(default, SecretStr):
            written = ""
        else:
            written = str(default)
        rows[f"KAIJUAN_{name.upper()}"] = (written, field.description or "")
    return rows


def _in_example() -> dict[str, tuple[str, str]]:
    rows = {}
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    for above, line in pairwise(lines):
        if match := re.fullmatch(r"# (KAIJUAN_\w+)=(.*)", line):
            rows[match[1]] = (match[2], above.removeprefix("# "))
    return rows


def _in_readme() -> dict[str, tuple[str, str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| *`(KAIJUAN_\w+)` *\|([^|]*)\|(.*)\| *$", text, re.MULTILINE)
    return {name: (default.strip().strip("`").strip(), about.strip()) for name, default, about in found}


def test_every_setting_has_a_description() -> None:
    assert not [name for name, (_, about) in _defaults().items() if not about]


def test_env_example_names_every_setting_with_its_default() -> None:
    assert _in_example() == _defaults()


def test_readme_names_every_setting_with_its_default() -> None:
    """Rows of the form: | `KAIJUAN_THREADS` | `2` | description |, an empty default being an empty cell."""
    assert _in_readme() == _defaults()


def test_env_example_taken_over_whole_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _defaults():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(ROOT)
    copy = tmp_path / "env"
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    copy.write_text(re.sub(r"^# (KAIJUAN_\w+=)", r"\1", example, flags=re.MULTILINE), encoding="utf-8")

    taken_over, untouched = Settings(_env_file=copy), Settings(_env_file=None)

    for name in Settings.model_fields:
        value, default = getattr(taken_over, name), getattr(untouched, name)
        assert (value.resolve() if isinstance(value, Path) else value) == default, name
