"""What a server is started with."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from glob import has_magic
from pathlib import Path

from ..data.errors import InputError
from ..parser.answering.asking import ConnectOptions, stated
from .roles import Roles, TokenRole

_NAMED = re.compile(r"([\w-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Where a server listens, and how much of it is given at once.

    Attributes:
        body: bytes of a request, at most.
    """

    host: str = stated("127.0.0.1", "Where to listen.", metavar="ADDRESS")
    port: int = stated(8000, "0 is any that is free.", least=0, most=65535)
    workers: int = stated(1, "Processes, each of which answers one by one.", least=1)
    seconds: float = stated(
        30.0, "That a request may take, waiting included.", flag="--timeout", metavar="SECONDS", least=0.1
    )
    query_seconds: float = stated(5.0, "That a query may take.", flag="--query-timeout", metavar="SECONDS", least=0.1)
    rows: int = stated(1000, "Of an answer, at most.", least=1)
    waiting: int = stated(8, "Requests that wait for a process, at most.", least=0)
    log_questions: bool = stated(False, "Log questions and queries, too.", flag="--log-questions")
    body: int = 1_000_000


@dataclass(frozen=True)
class ServingSettings(ServerOptions):
    """What is served to whom.

    Attributes:
        databases: where each is, by its name: SQLite files, URLs, names of shipped ones.
        roles: who may ask; by default everybody all.
        connecting: how the databases are opened; what each role may read, its feedback and the time of a query are
            told elsewhere here.
    """

    databases: Mapping[str, str]
    roles: Roles = field(default_factory=lambda: Roles([TokenRole("everybody")]))
    connecting: ConnectOptions = field(default_factory=ConnectOptions)

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
    from ..data.domains.schema_places import database_place
    from ..data.shipped import DATABASES

    found: dict[str, str] = {}
    for name, place in map(_named_place, told):
        if name in found:
            raise InputError(f"two databases called {name!r}", field="database", hint=f"name one: other={place}")
        if "://" not in (path := database_place(place)) and not Path(path).is_file():
            raise InputError("no such database file", file=path, hint=f"shipped ones: {', '.join(DATABASES)}")
        found[name] = place
    return found


def _named_place(told: str) -> tuple[str, str]:
    """Return what a database is called and where it is, from ``PLACE`` or ``NAME=PLACE``.

    Without a name it is called as its file without the ending, as a pattern's folder, or as the end of its URL.
    """
    if not Path(told).exists() and (named := _NAMED.fullmatch(told)):
        return named[1], named[2]
    path = Path(told.partition("?")[0].rstrip("/"))
    return (path.parent.name if has_magic(path.name) else path.stem) or "database", told
