"""A small OpenID Connect provider on 127.0.0.1, where whoever logs in is chosen by a link; tokens are signed (RS256).

>>> with IdentityServer([Somebody("u1", "陈晨", {"groups": ["cs-team"]})]) as provider:
...     secrets = provider.secrets("http://127.0.0.1:8501")
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from types import TracebackType
from urllib.parse import parse_qsl, urlencode, urlsplit

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, CLIENT_SECRET = "kaijuan-test", "client-secret-of-the-tests"
START_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Somebody:
    """One account: its subject, the name on its link, and the claims of its token."""

    subject: str
    name: str
    claims: dict[str, object] = field(default_factory=dict)


class IdentityServer:
    """The provider; `token_issuer` and `token_age` let it say who issued its tokens and how many seconds ago."""

    def __init__(self, accounts: Sequence[Somebody]) -> None:
        self.accounts = {account.subject: account for account in accounts}
        self.token_issuer = ""
        self.token_age = 0
        self._key = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"})
        self._codes: dict[str, dict[str, str]] = {}
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(self._app(), log_level="warning", lifespan="off", ws="none"))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> IdentityServer:
        self._thread.start()
        end = time.monotonic() + START_SECONDS
        while not self._server.started:
            assert self._thread.is_alive() and time.monotonic() < end, "the identity server did not start"
            time.sleep(0.02)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(START_SECONDS)
        self._socket.close()

    @property
    def metadata_url(self) -> str:
        """Where the provider describes itself."""
        return f"{self.url}/.well-known/openid-configuration"

    def secrets(self, app: str, **changed: str) -> str:
        """The app's secrets.toml for this provider."""
        values = {
            "redirect_uri": f"{app}/oauth2callback",
            "cookie_secret": secrets.token_hex(32),
            "client_id": CLIENT,
            "client_secret": CLIENT_SECRET,
            "server_metadata_url": self.metadata_url,
            **changed,
        }
        return "[auth]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())

    def _app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._describe),
                Route("/authorize", self._authorize),
                Route("/choose", self._choose),
                Route("/token", self._token, methods=["POST"]),
                Route("/jwks", self._keys),
                Route("/end", self._end),
            ]
        )

    async def _describe(self, request: Request) -> Response:
        del request
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/jwks",
                "end_session_endpoint": f"{self.url}/end",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        """One link an account, and one to turn back."""
        asked = request.query_params
        if asked.get("client_id") != CLIENT or asked.get("response_type") != "code":
            return Response("unknown client", 400)
        links = [
            f'<li><a href="/choose?{escape(urlencode({**asked, "subject": account.subject}))}">{escape(account.name)}</a></li>'
            for account in self.accounts.values()
        ]
        back = _with(asked["redirect_uri"], {"error": "access_denied", "state": asked["state"]})
        return HTMLResponse(f'<title>登录</title><ul>{"".join(links)}</ul><a href="{escape(back)}">不登录</a>')

    async def _choose(self, request: Request) -> Response:
        asked = dict(request.query_params)
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return RedirectResponse(_with(asked["redirect_uri"], {"code": code, "state": asked["state"]}), 302)

    async def _token(self, request: Request) -> Response:
        """The token of a code, once, for the client that asked and holds the verifier of its challenge."""
        form = dict(parse_qsl((await request.body()).decode()))
        asked = self._codes.pop(form.get("code", ""), None)
        known = request.headers.get("authorization") == _basic(CLIENT, CLIENT_SECRET)
        if asked is None or not known or _challenge(form.get("code_verifier", "")) != asked.get("code_challenge"):
            return JSONResponse({"error": "invalid_grant"}, 400)
        account, now = self.accounts[asked["subject"]], int(time.time())
        claims = {
            "iss": self.token_issuer or self.url,
            "sub": account.subject,
            "aud": CLIENT,
            "iat": now - self.token_age,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **account.claims,
        }
        token = jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self._key)
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "expires_in": 300, "id_token": token})

    async def _keys(self, request: Request) -> Response:
        del request
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})

    async def _end(self, request: Request) -> Response:
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 302)


def _with(address: str, values: dict[str, str]) -> str:
    return f"{address}{'&' if urlsplit(address).query else '?'}{urlencode(values)}"


def _basic(name: str, word: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{word}".encode()).decode()


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
