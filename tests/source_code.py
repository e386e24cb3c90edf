"""The product's own source as the architecture tests see it: modules, what each imports, and calls that open files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: What is shipped: two packages, the pages and the entries.
SHIPPED = ("kaijuan", "ingest", "pages", "app.py", "asgi.py")
_OPENERS = frozenset({"open", "read_text", "write_text"})
#: Modules whose `open` opens no text file.
_OTHER_OPEN = frozenset({"os", "webbrowser", "tarfile", "zipfile", "io", "mmap"})


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its dotted name, its path below the root, and its syntax tree."""

    name: str
    path: str
    lines: int
    tree: ast.Module


def read_modules(root: Path, parts: tuple[str, ...] = SHIPPED) -> list[Module]:
    """All modules below the given parts of a source tree, sorted by path."""
    files = [file for part in parts for file in _files(root / part)]
    return [_module(root, file) for file in sorted(files)]


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else list(place.rglob("*.py"))


def _module(root: Path, file: Path) -> Module:
    path = file.relative_to(root)
    source = file.read_text(encoding="utf-8")
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    return Module(name, path.as_posix(), source.count("\n"), ast.parse(source, filename=str(path)))


def imports(module: Module, known: frozenset[str]) -> list[str]:
    """Dotted names of everything a module imports, inside functions too; a submodule taken from a package by its own name."""
    found: list[str] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module.path}:{node.lineno}: relative import"
            base = node.module or ""
            found += [f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names]
    return list(dict.fromkeys(found))


def without_encoding(module: Module) -> Iterator[str]:
    """Places where a text file is opened without saying its encoding, as path:line."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and _opens_text(node) and not any(k.arg == "encoding" for k in node.keywords):
            yield f"{module.path}:{node.lineno}"


def _opens_text(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "open" and not _is_binary(call, 1)
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _OPENERS:
        return False
    owner = call.func.value
    if isinstance(owner, ast.Name) and owner.id in _OTHER_OPEN:
        return False
    # Classes of our own have an open() too, and an address opener is known by its time limit.
    other = isinstance(owner, ast.Name) and owner.id[:1].isupper() and owner.id != "Path"
    other = other or any(keyword.arg == "timeout" for keyword in call.keywords)
    return not other and not (call.func.attr == "open" and _is_binary(call, 0))


def _is_binary(call: ast.Call, place: int) -> bool:
    modes = [k.value for k in call.keywords if k.arg == "mode"] + call.args[place : place + 1]
    return any(isinstance(mode, ast.Constant) and "b" in str(mode.value) for mode in modes)
