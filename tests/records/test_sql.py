"""Statements are constants: nothing that anybody says is ever put into one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from kaijuan.settings import ROOT
from tests.source_code import Module, read_modules

_EXECUTES = frozenset({"execute", "executemany", "executescript"})
#: Places that hand on a constant under another name: steps of the schema, `begin`, statements of one changed row.
_HANDED_ON = {
    "kaijuan/records/schema.py": {"statement"},
    "kaijuan/records/database.py": {"begin"},
    "kaijuan/records/conversations.py": {"statement"},
    "kaijuan/records/tickets.py": {"statement"},
}


def unsafe(module: Module) -> Iterator[str]:
    """Calls whose statement is neither a constant nor made of constants at the top of a module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _EXECUTES:
            statement = node.args[0]
            known = isinstance(statement, ast.Constant) or _is_constant_name(statement)
            handed = isinstance(statement, ast.Name) and statement.id in _HANDED_ON.get(module.path, ())
            if not (known or handed):
                yield f"{module.path}:{node.lineno}"
        if isinstance(node, ast.JoinedStr) and "SELECT" in ast.unparse(node).upper():
            put_in = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
            if not all(map(_is_constant_name, put_in)):
                yield f"{module.path}:{node.lineno}"


def _is_constant_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.isupper()


def test_the_records_bind_all_their_values() -> None:
    modules = read_modules(ROOT, ("kaijuan/records",))
    assert len(modules) > 10 and [place for module in modules for place in unsafe(module)] == []


@pytest.mark.parametrize(
    "source",
    [
        "db.execute(f'SELECT * FROM answers WHERE id = {answer_id}')",
        "db.execute('DELETE FROM answers WHERE id = ' + answer_id)",
        "db.execute('DELETE FROM answers WHERE id = %s' % answer_id)",
        "db.executescript(text)",
        "sql = f'select {column} from answers'",
    ],
)
def test_a_statement_put_together_from_values_is_seen(source: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(source, encoding="utf-8")
    assert list(unsafe(read_modules(tmp_path)[0])) != []
