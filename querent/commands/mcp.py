"""`querent mcp`: databases as tools of a language model, by the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

import querent

from ..console import errors
from .options import ConnectOptions, DatabasePlaces, with_options

__all__ = ["mcp"]

EPILOG = """
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
        server = querent.ToolServer(lambda: querent.DatabaseTools(databases, rows=rows, progress=status.update, **told))
    server.run(http)
