"""How an OpenAI-compatible service is reached, and what is to be said of it when it fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kaijuan.models.endpoint import host_of

OFFICIAL = "https://api.openai.com/v1"
#: Seconds until a connection must stand; a server that is there takes much less.
CONNECT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Service:
    """One model of a service; `timeout` is seconds of silence, `retries` how often a call is repeated at most.

    An empty `key` is for servers that ask for none.
    """

    base_url: str
    model: str
    purpose: Literal["chat", "embedding"]
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    retries: int = 2

    @property
    def host(self) -> str:
        """Host and port, as it is shown."""
        return host_of(self.base_url)

    @property
    def model_setting(self) -> str:
        """Name of the setting that chose the model."""
        return f"KAIJUAN_OPENAI_{self.purpose.upper()}_MODEL"

    def hidden(self, text: str) -> str:
        """A text of the service without the key, which some send back in their errors."""
        return text.replace(self.key, "…") if self.key else text
