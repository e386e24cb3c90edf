"""The connection to an OpenAI-compatible service: one client, its time-outs, and the repeating of calls.

The SDK's own repeating is off: it knows neither a bound on what a server asks to wait nor that an empty account stays
empty, and a call that has shown its first word must never be repeated.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, TypeVar, cast

import httpx2
import openai

from kaijuan.errors import ModelFailed, SettingsError
from kaijuan.models.base import broken_off
from kaijuan.models.endpoint import check_key, wrong_proxy
from kaijuan.models.openai_faults import VENDOR_ERRORS, explain, retry_after, said, status_of
from kaijuan.models.openai_service import CONNECT_SECONDS, Service

#: Seconds before the first repeat; each further one waits twice as long.
FIRST_WAIT = 0.5
#: A server that asks to wait longer than this is not waited for: a person sits there.
LONGEST_WAIT = 20.0
#: Sent where there is no key: the SDK insists on one, and servers that need none do not look at it.
_NO_KEY = "none"

Result = TypeVar("Result")


class Connection:
    """A client of one service, safe to share between threads. Nothing is connected before the first call."""

    def __init__(self, service: Service) -> None:
        """Raises SettingsError for an address or a key that no request can be made with."""
        self.service = service
        check_key(service.key, "KAIJUAN_OPENAI_API_KEY")
        key = service.key or _NO_KEY
        try:
            self.client = openai.OpenAI(
                api_key=key,
                base_url=service.base_url,
                max_retries=0,
                timeout=self.timeout(service.timeout),
                # Only what the settings say goes out, not what else an environment may hold for another program.
                default_headers=cast(
                    Any,
                    {
                        "Authorization": f"Bearer {key}",
                        "OpenAI-Organization": openai.omit,
                        "OpenAI-Project": openai.omit,
                    },
                ),
            )
        except httpx2.InvalidURL as error:
            raise SettingsError(
                f"设置 KAIJUAN_OPENAI_BASE_URL 的地址“{service.host}”不能用（{error}），请改正后重试。"
            ) from error
        except (ImportError, ValueError) as error:
            raise wrong_proxy() from error

    def timeout(self, seconds: float) -> openai.Timeout:
        """Time-outs for one call: short until the connection stands, then so many seconds of silence."""
        return openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))

    def repeat(self, call: Callable[[], Result], deadline: float | None = None) -> Result:
        """The call's result; repeated while the service is busy or cannot be reached, as often as the settings allow.

        Nothing is repeated past the deadline (time.monotonic). Raises ModelFailed.
        """
        for attempt in count():
            try:
                return call()
            except VENDOR_ERRORS as error:
                failed = explain(error, self.service)
                wait = self._wait(error, failed, attempt)
            # Raised out here, so that nothing of the request and its key hangs on to what may be logged.
            if wait is None or (deadline is not None and time.monotonic() + wait >= deadline):
                raise failed
            time.sleep(wait)
            if broken_off():
                raise failed
        raise AssertionError("counting does not end")

    def close(self) -> None:
        """Give up the connections that are kept open."""
        self.client.close()

    def _wait(self, error: BaseException, failed: ModelFailed, attempt: int) -> float | None:
        """Seconds until the call is worth repeating, None when it is not."""
        if broken_off() or failed.kind not in ("busy", "unreachable") or attempt >= self.service.retries:
            return None
        asked = retry_after(error) or 0.0
        if asked > LONGEST_WAIT:
            return None
        # Spread, so that many who were turned away together do not come back together.
        own = FIRST_WAIT * 2.0**attempt * random.uniform(1.0, 1.25)
        return max(asked, min(own, LONGEST_WAIT))


class Refusals:
    """Optional parameters that a server was seen to refuse; each costs one request, once.

    `known` gives for each parameter the words by which a refusal names it.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        self._seen: frozenset[str] = frozenset()

    def __contains__(self, parameter: str) -> bool:
        return parameter in self._seen

    def settle(self, call: Callable[[], Result], service: Service) -> Result:
        """The call's result, asked again without what the server refuses; the call looks at this object each time."""
        while True:
            try:
                return call()
            except openai.APIStatusError as error:
                if not self._learn(error, service):
                    raise

    def _learn(self, error: openai.APIStatusError, service: Service) -> bool:
        # An overflow may name max_tokens too, and sending less of something else would not help.
        if status_of(error) not in (400, 422) or explain(error, service).kind == "too_long":
            return False
        words = said(error).lower()
        new = next((name for name, sign in self._known.items() if name not in self._seen and sign in words), None)
        self._seen |= {new} if new else set()
        return new is not None
