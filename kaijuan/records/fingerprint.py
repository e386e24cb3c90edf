"""The settings that change results, as one hash: equal hashes mean answers that can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

_SECRET = ("key", "password", "secret", "credential")


def settings_hash(options: Mapping[str, object]) -> str:
    """SHA-256 of plain options by name, their order not counting.

    Raises ValueError for a name that sounds like a secret's and TypeError for a value that is not plain (a SecretStr).

    >>> settings_hash({"leg_size": 50, "rrf_k": 60}) == settings_hash({"rrf_k": 60, "leg_size": 50})
    True
    """
    secret = [name for name in options if name.lower().endswith(_SECRET)]
    if secret:
        raise ValueError(f"secrets do not belong into the hash of the settings: {', '.join(secret)}")
    text = json.dumps(options, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
