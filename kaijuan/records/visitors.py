"""Visitors: the roles that a demonstration offers, and the names under which the records know browsers."""

from __future__ import annotations

import re
from hashlib import sha256

from kaijuan.types import Viewer

#: The token of every browser in a demonstration, so that its conversations are there whoever opens the page.
DEMO_TOKEN = "kaijuan-demonstrations"
#: Hex digits of the hash that make a name: too many to find another token with the same.
_DIGITS = 20
_NAME = re.compile("[:：]")
_ROLES_END = re.compile("[;；]")


def parse_roles(written: str) -> tuple[Viewer, ...]:
    """The roles of the setting `demo_roles` in its order; of two with one name the first counts.

    >>> [(role.name, sorted(role.groups)) for role in parse_roles("访客: ; 客服: 客服, 仓储")]
    [('访客', []), ('客服', ['仓储', '客服'])]
    """
    roles: dict[str, Viewer] = {}
    for part in _ROLES_END.split(written):
        name, *groups = _NAME.split(part, maxsplit=1)
        if name := name.strip():
            roles.setdefault(name, Viewer.in_groups(name, "".join(groups)))
    return tuple(roles.values())


def visitor_name(role: str, token: str) -> str:
    """The name of a browser in a role: the token itself is in no record, and another role is another name."""
    return f"{role} {sha256(token.encode()).hexdigest()[:_DIGITS]}"
