"""Roles: each has a token, the databases that it sees, and the parts of them that it may read."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import InputError, did_you_mean
from ..data.records import Record, read_toml

if TYPE_CHECKING:
    from ..grammar import Access


SHORTEST_TOKEN = 16
"""The fewest characters of a token, since shorter ones could be guessed."""

_FIELDS = ("token_sha256", "access", "feedback")
_SHA_256 = re.compile(r"[0-9a-fA-F]{64}")
_HINT = '[sales]\ntoken_sha256 = "…"\naccess = { shop = "sales.toml" }'


@dataclass(frozen=True)
class TokenRole:
    """The role of everybody with a token.

    Attributes:
        digest: the SHA-256 of the token; None for everybody.
        access: the access rights by database, to the databases that it sees; None for all of every database.
        feedback: the file of its verdicts on answers, None if there is none.
    """

    name: str
    digest: bytes | None = None
    access: Mapping[str, Access] | None = None
    feedback: Path | None = None

    def sees(self, database: str) -> bool:
        """Check whether it may ask a database at all."""
        return self.access is None or database in self.access

    def access_to(self, database: str) -> Access | None:
        """Return the access rights to a database that it sees, None if it may read all of it."""
        return None if self.access is None else self.access[database]


def guarded(roles: Iterable[TokenRole]) -> bool:
    """Does everybody need a token?"""
    return all(role.digest is not None for role in roles)


def role_of(roles: Sequence[TokenRole], token: str | None) -> TokenRole | None:
    """Return the role of a token, None for an unknown one; a role without a token is the only one.

    Every digest is compared in constant time, so that the time reveals nothing about a token.
    """
    if not guarded(roles):
        return roles[0]
    digest = b"" if token is None else token_digest(token)
    found = [role for role in roles if hmac.compare_digest(role.digest or b"", digest)]
    return found[0] if found else None


def token_digest(token: str) -> bytes:
    """Return the digest of a token, which is compared in its place."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def token_of(text: str, field: str) -> bytes:
    """Return the digest of a token that is long enough.

    Raises:
        InputError: it is too short.
    """
    if len(token := text.strip()) < SHORTEST_TOKEN:
        hint = 'python -c "import secrets; print(secrets.token_urlsafe())" makes one'
        raise InputError(f"a token of fewer than {SHORTEST_TOKEN} characters", field=field, hint=hint)
    return token_digest(token)


def read_roles(file: Path, databases: Iterable[str]) -> tuple[TokenRole, ...]:
    """Read a TOML file of roles, one in each section; its paths are relative to it.

        [sales]
        token_sha256 = "…"                  # printf %s "$TOKEN" | sha256sum
        access = { shop = "sales.toml" }    # the databases that it sees; without this line all of every one
        feedback = "sales.jsonl"            # what it says of answers; without this line nothing is kept; with access
                                            # its own alone

    Args:
        databases: the names of the served databases.

    Raises:
        InputError: it cannot be read, or is no file of roles.
    """
    data = read_toml(file)
    roles = [_role(Record(data, file).table(name, _HINT), name, file, tuple(databases)) for name in data]
    if not roles:
        raise InputError("no roles", file=file, hint=_HINT)
    if len({role.digest for role in roles}) < len(roles):
        raise InputError("two roles have the same token", file=file, field="token_sha256", hint="give each its own")
    users = Counter(role.feedback.resolve() for role in roles if role.feedback is not None)
    for role in roles:  # the answers of a limited role would reveal the questions of others
        if role.access is not None and role.feedback is not None and users[role.feedback.resolve()] > 1:
            problem = "a role with access limits learns from nobody else, and has its file with another role"
            raise InputError(problem, file=file, field=f"{role.name}.feedback", hint="give it a file of its own")
    return tuple(roles)


def _role(data: dict[str, Any], name: str, file: Path, databases: tuple[str, ...]) -> TokenRole:
    from ..grammar import Access

    entry = Record(data, file, name=name)
    entry.known(_FIELDS, _HINT)
    access, feedback = data.get("access"), data.get("feedback")
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
