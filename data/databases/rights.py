"""What the user of a connection may do beside reading, and what of a catalogue could not be read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from .catalogue import Ask, catalogue

__all__ = ["LeftOut", "Rights", "rights_of"]

_Read = TypeVar("_Read")
_Key = TypeVar("_Key")
_One = TypeVar("_One")


@dataclass
class LeftOut:
    """What cannot be read, each with the reason, as `Schema.left_out` has it.

    Attributes:
        describe: returns what is wrong in one line.
    """

    describe: Callable[[Exception], str] = str
    reasons: list[str] = field(default_factory=list[str])

    def attempt(self, what: str, instead: _Read, read: Callable[..., _Read], *given: object) -> _Read:
        """Return what a read gives; where it raises anything, note it as the reason and return ``instead``."""
        try:
            return read(*given)
        except Exception as error:  # drivers and dialects raise what they like at what they do not know
            self.reasons.append(f"{what}: {self.describe(error) or type(error).__name__}")
            return instead

    def attempt_all(
        self, what: Mapping[_One, str], read: Callable[[list[_One]], Mapping[_Key, _Read]]
    ) -> dict[_Key, _Read]:
        """Return what one read gives of several things; where it raises anything, what a read of each gives.

        Args:
            what: the things, each with what it is called in a reason.
        """
        try:
            return {**read([*what])} if what else {}
        except Exception:  # of which of them, the single reads tell
            return {key: got for one, name in what.items() for key, got in self.attempt(name, {}, read, [one]).items()}


_GRAVE = {"rolsuper", "pg_read_server_files", "pg_write_server_files", "pg_execute_server_program", "FILE", "SUPER"}
"""What no refusal of a query should be all that stands before."""

_MYSQL_READS = {"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES", "PROCESS"}
_MYSQL_GRANT = re.compile(r"GRANT (.+?) ON (\S+) TO ")
_PLACES = re.compile(r" ?\([^)]*\)")  # the columns that a grant is for


@dataclass(frozen=True)
class Rights:
    """What a user may do.

    Attributes:
        user: as the server calls it.
        beside: what it may do beside reading, a phrase each.
        grave: those of `beside` that reach the server's files, its programs or everything.
        grant: the statements that would make a user who may read and nothing more.
    """

    user: str
    beside: tuple[str, ...]
    grave: tuple[str, ...]
    grant: str

    @classmethod
    def unknown(cls, problem: str) -> Rights:
        """Return those of a user of whom the server does not tell them."""
        told = (f"do what the server does not tell ({problem})",)
        return cls("the user", told, told, "ask whoever runs the server")

    def warn(self, name: str) -> None:
        """Say once in a process that a user may do grave things on a database of that name."""
        if self.grave and (name, self.user) not in _WARNED:
            _WARNED.add((name, self.user))
            problem = f"{name}: {self.user} may {', '.join(self.grave)}; only queries are sent that read, but safer is"
            warnings.warn(f"{problem} a user who may nothing else: {self.grant}", stacklevel=4)


_WARNED: set[tuple[str, str]] = set()


def rights_of(ask: Ask, dialect: str) -> Rights:
    """Ask a server what the user may do.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
    """
    return _postgres_rights(ask) if dialect == "postgres" else _mysql_rights(ask)


def _postgres_rights(ask: Ask) -> Rights:
    said: dict[str, str] = catalogue("postgres")["powers"]
    user, database, schema, *powers, makes, writes = ask(catalogue("postgres")["rights"])[0]
    held = [name for name, holds in zip(said, powers, strict=True) if holds]
    if "rolsuper" in held:
        held = ["rolsuper"]  # who may do anything is a member of every group
    beside = [said[name] for name in held]
    beside += ["make tables"] * bool(makes) + ["change rows"] * bool(writes)
    grant = (
        f"CREATE ROLE reader LOGIN PASSWORD '…'; GRANT CONNECT ON DATABASE {database} TO reader; "
        f"GRANT USAGE ON SCHEMA {schema or 'public'} TO reader; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema or 'public'} TO reader"
    )
    return Rights(str(user), tuple(beside), tuple(said[name] for name in held if name in _GRAVE), grant)


def _mysql_rights(ask: Ask) -> Rights:
    user, database = ask("SELECT CURRENT_USER(), DATABASE()")[0]
    beside: dict[str, None] = {}
    for line, *_ in ask("SHOW GRANTS"):
        if (found := _MYSQL_GRANT.match(str(line))) is None:
            continue
        everywhere = found[2] == "*.*"
        for name in _PLACES.sub("", found[1]).split(", "):
            if name == "ALL PRIVILEGES" and everywhere:
                beside["do anything, by ALL PRIVILEGES"] = None
            elif name not in _MYSQL_READS:
                beside[f"use {name} on {'everything' if everywhere else found[2]}"] = None
    grave = tuple(name for name in beside if name.startswith("do ") or name.split()[1] in _GRAVE)
    grant = f"CREATE USER reader IDENTIFIED BY '…'; GRANT SELECT ON `{database or '…'}`.* TO reader"
    return Rights(str(user), tuple(beside), grave, grant)
