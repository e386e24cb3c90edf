"""What an identity provider says of a person, and who that is here: a viewer with groups, staff or administrator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from kaijuan.errors import ViewError
from kaijuan.settings import Settings
from kaijuan.types import Viewer

Claims = Mapping[str, object]

#: Claims that name a person where the chosen one does not; the last one is always there.
_NAMES = ("email", "sub")
#: Characters of a name that are shown and kept, and hex digits that tell people of one name apart.
_NAME_CHARS, _DIGITS = 60, 20
_ENTRIES = re.compile("[;；]")
_ENTRY = re.compile(r"(.*\S)\s*[:：]([^:：]*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Person:
    """Who is logged in: the name to show, the viewer of the records and the collections, and what is open to him."""

    shown: str
    viewer: Viewer
    staff: bool
    admin: bool


def person_of(claims: Claims, settings: Settings) -> Person:
    """The person of these claims; raises ViewError when they do not say who it is.

    The viewer's name goes with issuer and subject: two people of one name are two viewers, and nobody can take another's
    by calling himself so.
    """
    issuer, subject = claims.get("iss"), claims.get("sub")
    if not (isinstance(subject, str) and subject and isinstance(issuer, str)):
        raise ViewError("登录服务没有说明你是谁（缺少 iss 或 sub），请联系管理员检查登录服务的配置。")
    shown = next(_names(claims, settings.login_name_claim))
    viewer = _in_groups(_own_name(shown, issuer, subject), groups_claimed(claims, settings), settings.login_groups)
    admin = not viewer.groups.isdisjoint(_listed(settings.admin_groups))
    staff = admin or not settings.staff_groups.strip() or not viewer.groups.isdisjoint(_listed(settings.staff_groups))
    return Person(shown, viewer, staff, admin)


def groups_claimed(claims: Claims, settings: Settings) -> tuple[str, ...]:
    """The values of the claim of groups: those of a list, a string as one of them, none where it is missing or odd."""
    value = _claim(claims, settings.login_groups_claim)
    values = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return tuple(group for one in values if isinstance(one, str) and (group := one.strip()))


def is_fresh(claims: Claims, hours: float, now: datetime) -> bool:
    """Whether the login is not older than this; claims that do not say when they were made count as old."""
    issued = claims.get("iat")
    if isinstance(issued, bool) or not isinstance(issued, int | float):
        return False
    return now.timestamp() - issued < hours * 3600


def login_key(claims: Claims) -> str:
    """What tells one login from every other one, of the same person too."""
    return sha256(repr([claims.get(name) for name in ("iss", "sub", "iat", "nonce")]).encode()).hexdigest()


def group_map(written: str) -> dict[str, str]:
    """The setting `login_groups`: groups as written by value of the claim; a value named twice has both.

    >>> group_map("cs-team: 客服; urn:x:boss: *")
    {'cs-team': '客服', 'urn:x:boss': '*'}
    """
    mapped: dict[str, str] = {}
    for part in _ENTRIES.split(written):
        if entry := _ENTRY.match(part.strip()):
            value, groups = entry.groups()
            mapped[value] = f"{mapped[value]},{groups}" if value in mapped else groups.strip()
    return mapped


def _in_groups(name: str, values: tuple[str, ...], written: str) -> Viewer:
    if not written.strip():
        # As they are: a provider's * is a name, only the settings open everything.
        return Viewer(name, frozenset(values))
    mapped = group_map(written)
    return Viewer.in_groups(name, ",".join(mapped[value] for value in values if value in mapped))


def _listed(written: str) -> frozenset[str]:
    return Viewer.in_groups("", written).groups


def _names(claims: Claims, chosen: str) -> Iterator[str]:
    for claim in (chosen, *_NAMES):
        value = _claim(claims, claim)
        if isinstance(value, str) and (name := " ".join(value.split())):
            yield name[:_NAME_CHARS]
    yield "—"


def _own_name(shown: str, issuer: str, subject: str) -> str:
    own = sha256("\n".join((issuer, subject)).encode()).hexdigest()
    return f"{shown} {own[:_DIGITS]}"


def _claim(claims: Claims, path: str) -> object:
    """A claim by its whole name, which may hold dots, else by the way that the dots lead; None where there is none."""
    if path in claims:
        return claims[path]
    value: object = claims
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
