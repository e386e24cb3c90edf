"""A server with the security plugin: TLS by certificates of the tests' own, users with roles and passwords."""

from __future__ import annotations

import json
import secrets
import shutil
import ssl
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kaijuan.engines.opensearch.client import Server
from tests.opensearch.certificates import Authority
from tests.opensearch.running import OwnServer, own_server

ROLES = Path(__file__).parent / "roles"
_SETTINGS = (
    "plugins.security.ssl.transport.pemcert_filepath: node.pem",
    "plugins.security.ssl.transport.pemkey_filepath: node-key.pem",
    "plugins.security.ssl.transport.pemtrustedcas_filepath: authority.pem",
    "plugins.security.ssl.transport.enforce_hostname_verification: false",
    "plugins.security.ssl.http.enabled: true",
    "plugins.security.ssl.http.pemcert_filepath: node.pem",
    "plugins.security.ssl.http.pemkey_filepath: node-key.pem",
    "plugins.security.ssl.http.pemtrustedcas_filepath: authority.pem",
    "plugins.security.allow_default_init_securityindex: true",
    'plugins.security.authcz.admin_dn: ["CN=admin"]',
)
_NOBODY = '_meta:\n  type: "internalusers"\n  config_version: 2\n'


def new_password() -> str:
    """One that the plugin thinks strong enough."""
    return f"Aa1-{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class Role:
    """What a user may do; as the plugin's API takes it."""

    cluster: Sequence[str]
    index: Sequence[str]

    @classmethod
    def read(cls, name: str) -> Role:
        """One of the roles that are recommended (roles/)."""
        body = json.loads((ROLES / f"{name}.json").read_text(encoding="utf-8"))
        [on_indices] = body["index_permissions"]
        assert on_indices["index_patterns"] == ["kaijuan-*"]
        return cls(body["cluster_permissions"], on_indices["allowed_actions"])

    def without(self, permission: str) -> Role:
        """The same role with one permission less."""
        return Role([p for p in self.cluster if p != permission], [p for p in self.index if p != permission])

    @property
    def body(self) -> dict[str, Any]:
        """The role as JSON for the plugin."""
        on_indices = {"index_patterns": ["kaijuan-*"], "allowed_actions": list(self.index)}
        return {"cluster_permissions": list(self.cluster), "index_permissions": [on_indices]}


@dataclass(frozen=True, slots=True)
class SecuredServer:
    """The server, and what its administrator can do with a certificate."""

    running: OwnServer
    authority: Authority
    _direct: urllib.request.OpenerDirector = field(repr=False)

    def reached_by(self, user: str, password: str) -> Server:
        """How a user of the product reaches it."""
        return Server(self.running.url, user=user, password=password, ca_file=str(self.authority.own.file))

    def set_password(self, user: str, password: str) -> None:
        """Make a user, or give one another password."""
        self._ask("PUT", f"internalusers/{user}", {"password": password})

    def set_role(self, user: str, role: Role) -> None:
        """Let a user do what a role says, and nothing else."""
        self._ask("PUT", f"roles/of-{user}", role.body)
        self._ask("PUT", f"rolesmapping/of-{user}", {"users": [user]})

    def _ask(self, method: str, path: str, body: Any) -> None:
        request = urllib.request.Request(
            f"{self.running.url}/_plugins/_security/api/{path}",
            json.dumps(body).encode("utf-8"),
            {"content-type": "application/json"},
            method=method,
        )
        with self._direct.open(request, timeout=60) as answer:
            assert answer.status in (200, 201)


@contextmanager
def secured_server() -> Iterator[SecuredServer]:
    """Started, with no user at all; raises CannotStart where there is none to be had."""
    with own_server(_SETTINGS, ("security",), "https") as running:
        authority = Authority.made(running.config, "authority")
        authority.sign("node")
        admin = authority.sign("admin")
        for file in running.config.glob("*.pem"):
            file.chmod(0o644)  # the account that runs the server reads them
        [delivered] = running.config.parent.glob("plugins/opensearch-security/config")
        shutil.copytree(delivered, running.config / "opensearch-security")
        (running.config / "opensearch-security" / "internal_users.yml").write_text(_NOBODY, encoding="utf-8")
        running.start()
        trusting = ssl.create_default_context(cafile=authority.own.file)
        trusting.load_cert_chain(admin.file, admin.key)
        handlers = (urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting))
        yield SecuredServer(running, authority, urllib.request.build_opener(*handlers))
