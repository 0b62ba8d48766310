"""`querent serve` and `mcp`: databases over HTTP with a page, and as tools of language models."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

import querent

from .. import rooms
from ..console import errors, output, visible
from .options import ConnectOptions, DatabasePlaces, with_options

__all__ = ["MCP_HELP", "SERVE_HELP", "make_visible", "mcp", "serve"]

SERVE_HELP = """
[bold]Examples[/]

querent serve shop   [dim]then open http://127.0.0.1:8000/[/]

querent serve sales.csv   [dim]a file of your own[/]

querent serve sales=shop.sqlite plant --workers 2

querent serve shop --feedback feedback.jsonl   [dim]learns from what people say of answers[/]

querent serve shop --roles roles.toml --host 0.0.0.0   [dim]who has which token, and may read what[/]

[dim]Databases are opened for reading only. The page and the interface are told in docs/page.md. Without --host nobody
on another machine reaches it; with one, everybody needs a token, and tokens want HTTPS from a server before this one.
Conversations are kept in people's browsers: the server has none, and logs no questions.[/]
"""


@with_options
def serve(
    databases: DatabasePlaces,
    *,
    server: rooms.ServerOptions,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TEXT",
            envvar="QUERENT_TOKEN",
            help="Who has it may ask. Others on this machine can read a command line: use the variable or the file.",
            show_default="none is needed",
        ),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help="A file with the token.", show_default=False)
    ] = None,
    roles: Annotated[
        Path | None,
        typer.Option(
            "--roles",
            metavar="FILE",
            help="Several tokens, each with what it may read: a TOML file, see docs/page.md.",
            show_default=False,
        ),
    ] = None,
    connecting: Annotated[ConnectOptions, "parser", "language", "access", "description", "feedback", "knowledge"],
) -> None:
    """Answer questions over HTTP, with a page for browsers."""
    named = rooms.databases_named(databases)
    _refuse(len(named) > 1 and connecting.description is not None, "--description", "it is of one database of several")
    if roles is None:
        who = _everybody(list(named), _digest(token, token_file), connecting)
    else:
        given = {"--token": token, "--token-file": token_file}
        given |= {"--access": connecting.access, "--feedback": connecting.feedback}
        others = [name for name, value in given.items() if value is not None]
        _refuse(bool(others), "--roles", f"the file says it of each role; leave {', '.join(others)} out")
        who = rooms.read_roles(roles, list(named))
    settings = rooms.ServingSettings(named, who, connecting, **vars(server))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(make_visible)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    with errors().status("opening") as status:

        def ready(address: str) -> None:
            status.stop()
            output().print(f"{', '.join(named)} at {address}  (Ctrl-C ends)", soft_wrap=True, highlight=False)

        querent.serve(settings, ready)


def make_visible(record: logging.LogRecord) -> bool:
    """Let a terminal show what a log says and obey none of it: a database may have said it."""
    record.msg, record.args = visible(record.getMessage()), ()
    return True


def _everybody(databases: list[str], digest: bytes | None, told: ConnectOptions) -> rooms.Roles:
    """Return the one role of who has the token, or of all who reach the server."""
    _refuse(told.role is not None and len(databases) > 1, "--access", "of several databases --roles tells it")
    read = told.role and {databases[0]: told.role}
    return rooms.Roles(
        [rooms.TokenRole("everybody", digest, read, None if told.feedback is None else Path(told.feedback))]
    )


def _digest(token: str | None, file: Path | None) -> bytes | None:
    _refuse(None not in (token, file), "--token", "give it, or a file that has it")
    if file is None:
        return None if token is None else rooms.token_of(token, "--token")
    try:
        return rooms.token_of(file.read_text("utf-8"), "--token-file")
    except (OSError, UnicodeDecodeError) as error:
        raise querent.InputError(f"cannot be read: {error}", file=file, field="--token-file") from error


def _refuse(wrong: bool, field: str, problem: str) -> None:
    if wrong:
        raise querent.InputError(problem, field=field, hint="see querent serve --help")


MCP_HELP = """
[bold]Examples[/]

querent mcp shop

querent mcp sales.sqlite exports/orders.csv   [dim]two databases, sales and orders[/]

querent mcp shop --access role.toml --rows 20

querent mcp shop --http 8900   [dim]http://127.0.0.1:8900/mcp, for programs of this machine alone[/]

[dim]A client starts the command by itself and speaks with it over standard input and output: docs/mcp.md shows what to
write into its settings. The tools are ask, choose, validate and describe; no tool writes, opens a file or runs a query
of the model's own.[/]
"""


@with_options
def mcp(
    databases: DatabasePlaces,
    *,
    rows: Annotated[int, typer.Option("--rows", min=1, max=1000, help="Rows of an answer, at most.")] = 100,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="PORT",
            min=1,
            max=65535,
            help="Serve on a port of this machine alone, by streamable HTTP.",
            show_default="standard input and output",
        ),
    ] = None,
    connecting: Annotated[ConnectOptions, "access", "parser", "description", "examples", "knowledge"],
) -> None:
    """Let language models ask databases, by the Model Context Protocol."""
    with errors().status("opening the databases") as status:  # standard output is the protocol's
        told = vars(connecting)
        server = rooms.ToolServer(lambda: rooms.DatabaseTools(databases, rows=rows, progress=status.update, **told))
    server.run(http)
