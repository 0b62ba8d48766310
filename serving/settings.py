"""What a server is started with."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..data.databases.schema_places import database_place
from ..data.domains.shipped import DATABASES
from ..data.errors import InputError
from .roles import Roles, TokenRole

__all__ = ["ServingSettings", "databases_named"]

_NAMED = re.compile(r"([\w-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True)
class ServingSettings:
    """What is served to whom, and how much of it at once.

    Attributes:
        databases: where each is, by its name: SQLite files, URLs, names of shipped ones.
        roles: who may ask; by default everybody all.
        host, port: where it listens; 0 is any port that is free.
        workers: processes that answer.
        seconds: that a request may take, its waiting included.
        query_seconds: that a query may take.
        rows: of an answer, at most.
        waiting: requests that may wait in a process; more are refused.
        body: bytes of a request, at most.
        log_questions: whether questions and queries are logged.
        told: further arguments of `querent.connect`.
    """

    databases: Mapping[str, str]
    roles: Roles = field(default_factory=lambda: Roles([TokenRole("everybody")]))
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    seconds: float = 30.0
    query_seconds: float = 5.0
    rows: int = 1000
    waiting: int = 8
    body: int = 1_000_000
    log_questions: bool = False
    told: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        if not self.loopback and not self.roles.guarded:
            problem = f"{self.host} can be reached from other machines, and nobody would need a token"
            raise InputError(problem, field="--host", hint="give --token-file or --roles, or leave --host out")

    @property
    def loopback(self) -> bool:
        """Can nobody reach it from another machine?"""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def databases_named(told: Iterable[str]) -> dict[str, str]:
    """Return where databases are by the names that they are served under: ``PLACE`` or ``NAME=PLACE``.

    Raises:
        InputError: two have one name, or a file is not there.
    """
    found: dict[str, str] = {}
    for one in told:
        named = None if Path(one).exists() else _NAMED.fullmatch(one)
        name, place = (named[1], named[2]) if named else (_name_of(one), one)
        if name in found:
            raise InputError(f"two databases called {name!r}", field="database", hint=f"name one: other={place}")
        if "://" not in (path := database_place(place)) and not Path(path).is_file():
            raise InputError("no such database file", file=path, hint=f"shipped ones: {', '.join(DATABASES)}")
        found[name] = place
    return found


def _name_of(place: str) -> str:
    """Return the last part of a path or URL without its ending."""
    return Path(place.partition("?")[0].rstrip("/")).stem or "database"
