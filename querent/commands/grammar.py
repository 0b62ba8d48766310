"""`querent grammar export`: the grammar of a schema as text, for servers that take grammars."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import querent

from ..console import output
from ..terminal import visible
from .options import Dialect, SchemaPlace

__all__ = ["EPILOG", "app"]

EPILOG = """
[bold]Examples[/]

querent grammar export my.sqlite --out my.lark

querent grammar export schema.sql --dialect postgres --format gbnf --out schema.gbnf

querent grammar export shop --format ebnf --aliases c,o,p

[dim]A context-free grammar holds a model to SQL with this schema's names, and to no more: not to columns of the tables
in FROM, not to types, and not to an end in time; the file's header says so. What it lets through is for
`querent validate` to judge, or use Querent's own constraint (querent.grammar), which keeps all that.[/]
"""

app = typer.Typer(
    name="grammar",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=EPILOG,
)


@app.command(epilog=EPILOG)
def export(
    schema: SchemaPlace,
    *,
    dialect: Dialect = None,
    format: Annotated[
        Literal["lark", "gbnf", "ebnf"],
        typer.Option("--format", help="lark for llguidance and vLLM, gbnf for llama.cpp, ebnf for XGrammar."),
    ] = "lark",
    aliases: Annotated[
        str | None,
        typer.Option(
            "--aliases",
            metavar="A,B,…",
            help="Names that tables and outputs may be given.",
            show_default="T1,…,T9, c1,…,c9, tables' initials, city_2",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where it goes.", show_default="standard output")
    ] = None,
) -> None:
    """Write the grammar of the queries on a schema."""
    opened, spoken = querent.open_schema(schema, dialect)
    grammar = querent.Grammar.for_schema(opened, dialect=spoken, wide=True)
    names = None if aliases is None else [name.strip() for name in aliases.split(",") if name.strip()]
    text = querent.export_grammar(grammar, format, aliases=names)
    if out is None:
        typer.echo(visible(text) if output().is_terminal else text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@app.callback()
def about() -> None:
    """Give the grammar to other people's servers."""
