"""The settings of a server."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from glob import has_magic
from pathlib import Path

from ..data.errors import InputError
from ..parser.answering.asking import ConnectOptions, stated
from .roles import TokenRole, guarded

_NAMED = re.compile(r"([\w-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """The address and the limits of a server.

    Attributes:
        body: the most bytes of a request.
    """

    host: str = stated("127.0.0.1", "The address to listen on.", metavar="ADDRESS")
    port: int = stated(8000, "The port; 0 takes any free one.", least=0, most=65535)
    workers: int = stated(1, "The number of processes; each answers one question at a time.", least=1)
    seconds: float = stated(
        30.0, "Seconds that a request may take, including its wait.", flag="--timeout", metavar="SECONDS", least=0.1
    )
    query_seconds: float = stated(
        5.0, "Seconds that a query may take.", flag="--query-timeout", metavar="SECONDS", least=0.1
    )
    rows: int = stated(1000, "The most rows of an answer.", least=1)
    waiting: int = stated(8, "The most requests that may wait for a process.", least=0)
    log_questions: bool = stated(False, "Also log questions and queries.", flag="--log-questions")
    body: int = 1_000_000


@dataclass(frozen=True)
class ServingSettings(ServerOptions):
    """The settings of a server with its databases and roles.

    Attributes:
        databases: the places of the databases by name: SQLite files, URLs, names of shipped ones.
        roles: the roles; by default everybody may read everything.
        connecting: the options of the connections, except access, feedback and timeout.
    """

    databases: Mapping[str, str]
    roles: tuple[TokenRole, ...] = (TokenRole("everybody"),)
    connecting: ConnectOptions = field(default_factory=ConnectOptions)

    def __post_init__(self) -> None:
        if not self.loopback and not guarded(self.roles):
            problem = f"{self.host} can be reached from other machines, and nobody would need a token"
            raise InputError(problem, field="--host", hint="give --token-file or --roles, or leave --host out")

    @property
    def loopback(self) -> bool:
        """Is it reachable from this machine alone?"""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def databases_named(specs: Iterable[str]) -> dict[str, str]:
    """Return the places of databases by name, from specs ``PLACE`` or ``NAME=PLACE``.

    Raises:
        InputError: two have the same name, or a file does not exist.
    """
    from ..data.domains.schema_places import database_place
    from ..data.shipped import DATABASES

    found: dict[str, str] = {}
    for name, place in map(_named_place, specs):
        if name in found:
            raise InputError(f"two databases called {name!r}", field="database", hint=f"name one: other={place}")
        if "://" not in (path := database_place(place)) and not Path(path).is_file():
            raise InputError("no such database file", file=path, hint=f"shipped ones: {', '.join(DATABASES)}")
        found[name] = place
    return found


def _named_place(spec: str) -> tuple[str, str]:
    """Return the name and the place of a database.

    The default name is that of its file without the ending, of a pattern's folder, or the end of its URL.
    """
    if not Path(spec).exists() and (named := _NAMED.fullmatch(spec)):
        return named[1], named[2]
    path = Path(spec.partition("?")[0].rstrip("/"))
    return (path.parent.name if has_magic(path.name) else path.stem) or "database", spec
