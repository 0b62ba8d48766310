"""`querent connect-check`: what a database's user may do beside reading, and what would be enough."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

import querent

from ..console import finish, speaking
from .options import AsJson

__all__ = ["connect_check"]

EPILOG = """
[bold]Examples[/]

querent connect-check postgresql+psycopg://reader@host/shop

querent connect-check my.sqlite

[dim]Queries are sent to a server only where every part of them is known to only read, in a read-only session with time
limits. Whoever connects as a user who may nothing else needs to trust nobody with that. Exit code 1: this one may do
more.[/]
"""


def connect_check(
    database: Annotated[str, typer.Argument(metavar="URL", help="A server's URL, a SQLite file, or files of tables.")],
    timeout: Annotated[float, typer.Option(help="Seconds that a query may take.", min=0.1)] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Tell what a connection may do beside reading, its limits, and the grant that would be enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what they say of the user is said here
        opened = querent.Database.open(querent.database_place(database), timeout=timeout)
    with opened, speaking(as_json) as console:
        told = _told(opened)
        for line in _lines(told):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    finish(told, as_json=as_json)
    if told["beside"]:
        raise typer.Exit(1)


def _told(opened: querent.Database) -> dict[str, Any]:
    rights = opened.rights
    return {
        "database": opened.name,
        "version": opened.version,
        "timeout": opened.timeout,
        "user": rights.user if rights else None,
        "beside": list(rights.beside) if rights else [],
        "grant": rights.grant if rights else None,
    }


def _lines(told: dict[str, Any]) -> list[str]:
    lines = [
        f"{told['database']}: {told['version']}",
        f"a query is stopped after {told['timeout']:g} s, waits included",
    ]
    if told["user"] is None:
        return [*lines, "a file, opened for reading only"]
    if not told["beside"]:
        return [*lines, f"{told['user']} may read and nothing else"]
    lines += [f"{told['user']} may beside reading:", *(f"  {what}" for what in told["beside"])]
    return [*lines, "enough would be:", *(f"  {statement}" for statement in told["grant"].split("; "))]
