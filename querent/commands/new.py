"""`querent new`: the skeleton of a domain, from a live database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import querent

from ..console import finish, speaking
from .options import AsJson, ConnectOptions, option_of

__all__ = ["new"]

EPILOG = """
[bold]Examples[/]

querent new library --database library.sqlite

querent new klinik --database postgresql+psycopg://reader@host/clinic --language en

[dim]Then mend prototypes/start.toml, add your own, check, fill and train: docs/your-domain.md shows it step by step.[/]
"""


def new(
    domain: Annotated[Path, typer.Argument(metavar="DOMAIN", help="The folder to write.", show_default=False)],
    *,
    database: Annotated[
        str,
        typer.Option(
            "--database",
            metavar="FILE|URL",
            help="A SQLite file, CSV, Excel or Parquet files, or a SQLAlchemy URL; only read.",
            show_default=False,
        ),
    ],
    language: Annotated[Literal["en", "zh"], typer.Option("--language", help="Language of the questions.")] = "en",
    description: Annotated[Path | None, option_of(ConnectOptions, "description")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the domain.", show_default="the folder's")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the skeleton of a domain: schema, entities, and 30 to 50 prototypes made from the tables."""
    with speaking(as_json) as console:
        made = querent.write_skeleton(domain, database, language=language, name=name, description=description)
        console.print(f"{domain}: {made.tables} tables, {made.columns} columns, {made.prototypes} prototypes to start")
        types = ", ".join(f"{kind} {count}" for kind, count in made.types.items()) or "none found"
        console.print(f"entities by type: {types}", soft_wrap=True, highlight=False)
        console.print(f"next: edit {domain / 'prototypes' / 'start.toml'}, then querent check {domain}", soft_wrap=True)
    finish(
        {"folder": str(domain), "files": list(made.files), "entities": made.types, "prototypes": made.prototypes},
        as_json=as_json,
    )
