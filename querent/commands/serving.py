"""`querent serve` and `mcp`: serve databases over HTTP with a page, and as tools of language models."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import querent

from .. import rooms
from ..console import errors, output, visible
from .options import ConnectOptions, NumberBounds

_TOKEN = "QUERENT_TOKEN"


def serve(
    databases: list[str],
    *,
    server: rooms.ServerOptions,
    token_file: Path | None = None,
    roles: Path | None = None,
    connecting: Annotated[ConnectOptions, "parser", "language", "access", "description", "feedback", "knowledge"],
) -> None:
    """Answer questions over HTTP, with a page for browsers.

        querent serve shop   # then open http://127.0.0.1:8000/
        querent serve sales.csv   # a file of your own
        querent serve sales=shop.sqlite plant --workers 2
        querent serve shop --feedback feedback.jsonl   # learns from verdicts
        querent serve shop --roles roles.toml --host 0.0.0.0   # tokens and access rights

    Databases are opened for reading only. docs/page.md describes the page and the interface. Without --host, other
    machines cannot reach it. With --host, every request needs a token, and a proxy in front should add HTTPS. The
    browser keeps conversations; the server keeps none, and logs no questions.

    Args:
        token_file (FILE): A file with the token that requests must carry. Default: the variable QUERENT_TOKEN; without
            either, no token is needed.
        roles (FILE): A TOML file of tokens with their access rights, see docs/page.md.
    """
    named = rooms.databases_named(databases)
    _refuse(len(named) > 1 and connecting.description is not None, "--description", "it is of one database of several")
    if roles is None:
        who = _everybody(list(named), _digest(token_file), connecting)
    else:
        given = {"--token-file": token_file, _TOKEN: os.environ.get(_TOKEN)}
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
    """Make control characters of a log record visible, since they may come from a database."""
    record.msg, record.args = visible(record.getMessage()), ()
    return True


def _everybody(databases: list[str], digest: bytes | None, connecting: ConnectOptions) -> tuple[rooms.TokenRole]:
    """Return a single role, for everybody with the token or everybody who reaches the server."""
    _refuse(connecting.role is not None and len(databases) > 1, "--access", "of several databases --roles tells it")
    access = connecting.role and {databases[0]: connecting.role}
    feedback = None if connecting.feedback is None else Path(connecting.feedback)
    return (rooms.TokenRole("everybody", digest, access, feedback),)


def _digest(file: Path | None) -> bytes | None:
    if file is None:
        token = os.environ.get(_TOKEN)
        return None if token is None else rooms.token_of(token, _TOKEN)
    try:
        return rooms.token_of(file.read_text("utf-8"), "--token-file")
    except (OSError, UnicodeDecodeError) as error:
        raise querent.InputError(f"cannot be read: {error}", file=file, field="--token-file") from error


def _refuse(wrong: bool, field: str, problem: str) -> None:
    if wrong:
        raise querent.InputError(problem, field=field, hint="see querent serve --help")


def mcp(
    databases: list[str],
    *,
    rows: Annotated[int, NumberBounds(1, 1000)] = 100,
    http: Annotated[int, NumberBounds(1, 65535)] | None = None,
    connecting: Annotated[ConnectOptions, "access", "parser", "description", "examples", "knowledge"],
) -> None:
    """Let language models query databases, by the Model Context Protocol.

        querent mcp shop
        querent mcp sales.sqlite exports/orders.csv   # two databases, sales and orders
        querent mcp shop --access role.toml --rows 20
        querent mcp shop --http 8900   # http://127.0.0.1:8900/mcp, for programs of this machine alone

    A client starts the command itself and talks to it over standard input and output; docs/mcp.md shows its settings.
    The tools are ask, choose, validate and describe. No tool writes, opens a file, or runs a query that the model
    wrote.

    Args:
        rows: The most rows of an answer.
        http (PORT): Serve on a port of this machine alone, by streamable HTTP. Default: standard input and output.
    """
    with errors().status("opening the databases") as status:  # standard output is for the protocol
        server = rooms.ToolServer(databases, rows=rows, progress=status.update, **vars(connecting))
    server.run(http)
