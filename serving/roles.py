"""Who may ask what: roles, each with a token, the databases it sees and what it may read of them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import InputError, did_you_mean
from ..data.records import Record, read_toml

if TYPE_CHECKING:
    from ..grammar import Access


SHORTEST_TOKEN = 16
"""Characters of a token: shorter ones could be guessed."""

_FIELDS = ("token_sha256", "access", "feedback")
_SHA_256 = re.compile(r"[0-9a-fA-F]{64}")
_HINT = '[sales]\ntoken_sha256 = "…"\naccess = { shop = "sales.toml" }'


@dataclass(frozen=True)
class TokenRole:
    """Whoever has a token.

    Attributes:
        digest: SHA-256 of the token; None lets everybody in.
        access: what may be read, by database: it sees no others. None reads all of every database.
        feedback: the file of what it says of answers; None keeps nothing.
    """

    name: str
    digest: bytes | None = None
    access: Mapping[str, Access] | None = None
    feedback: Path | None = None

    def sees(self, database: str) -> bool:
        """Say whether it may ask a database at all."""
        return self.access is None or database in self.access

    def access_to(self, database: str) -> Access | None:
        """Return what the role may read of a database that it sees; None means all of it."""
        return None if self.access is None else self.access[database]


class Roles:
    """All roles of a server.

    Args:
        roles: one without a token stands alone.
    """

    def __init__(self, roles: Iterable[TokenRole]) -> None:
        self.all = tuple(roles)

    @property
    def guarded(self) -> bool:
        """Does nobody get in without a token?"""
        return all(role.digest is not None for role in self.all)

    def of(self, token: str | None) -> TokenRole | None:
        """Return the role that has a token, None if it is nobody's.

        Every digest is compared, in constant time, so that how long it takes tells nothing of a token.
        """
        if not self.guarded:
            return self.all[0]
        told = b"" if token is None else token_digest(token)
        found = [role for role in self.all if hmac.compare_digest(role.digest or b"", told)]
        return found[0] if found else None


def token_digest(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def token_of(text: str, field: str) -> bytes:
    """Return the digest of a token that somebody gave.

    Raises:
        InputError: it is too short.
    """
    if len(token := text.strip()) < SHORTEST_TOKEN:
        hint = 'python -c "import secrets; print(secrets.token_urlsafe())" makes one'
        raise InputError(f"a token of fewer than {SHORTEST_TOKEN} characters", field=field, hint=hint)
    return token_digest(token)


def read_roles(file: Path, databases: Iterable[str]) -> Roles:
    """Read a TOML file of roles, one a section; the files that it names lie beside it.

        [sales]
        token_sha256 = "…"                  # printf %s "$TOKEN" | sha256sum
        access = { shop = "sales.toml" }    # the databases that it sees; without this line all of every one
        feedback = "sales.jsonl"            # what it says of answers; without this line nothing is kept; with access
                                            # its own alone

    Args:
        databases: names of those that are served.

    Raises:
        InputError: it cannot be read, or says something else.
    """
    data = read_toml(file)
    roles = [_role(Record(data, file).table(name, _HINT), name, file, tuple(databases)) for name in data]
    if not roles:
        raise InputError("no roles", file=file, hint=_HINT)
    if len({role.digest for role in roles}) < len(roles):
        raise InputError("two roles have the same token", file=file, field="token_sha256", hint="give each its own")
    _check_feedback(roles, file)
    return Roles(roles)


def _check_feedback(roles: Iterable[TokenRole], file: Path) -> None:
    """Refuse a file of feedback that a role with limits has with another one: its answers would tell what others asked.

    Raises:
        InputError: there is one.
    """
    having: dict[Path, list[TokenRole]] = {}
    for role in roles:
        if role.feedback is not None:
            having.setdefault(role.feedback.resolve(), []).append(role)
    for some in having.values():
        limited = next((role for role in some if role.access is not None), None)
        if limited is not None and len(some) > 1:
            problem = "a role with access limits learns from nobody else, and has its file with another role"
            raise InputError(problem, file=file, field=f"{limited.name}.feedback", hint="give it a file of its own")


def _role(told: dict[str, Any], name: str, file: Path, databases: tuple[str, ...]) -> TokenRole:
    from ..grammar import Access

    entry = Record(told, file, name=name)
    entry.known(_FIELDS, _HINT)
    access, feedback = told.get("access"), told.get("feedback")
    if not (access is None or (isinstance(access, dict) and access)) or not isinstance(feedback, str | None):
        raise entry.error("access is a table of files, feedback a file", "access", _HINT)
    if unknown := next((one for one in access or () if one not in databases), None):
        hint = did_you_mean(unknown, databases) or f"served: {', '.join(databases)}"
        raise entry.error(f"no database {unknown!r} is served", "access", hint)
    digest = entry.text("token_sha256")
    if not _SHA_256.fullmatch(digest):
        hint = 'printf %s "$TOKEN" | sha256sum'
        raise entry.error("no SHA-256 of its token, 64 hex digits", "token_sha256", hint)
    read = None if access is None else {one: Access.read(file.parent / str(path)) for one, path in access.items()}
    return TokenRole(name, bytes.fromhex(digest), read, None if feedback is None else file.parent / feedback)
