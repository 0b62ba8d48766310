"""`querent describe`, `connect-check` and `grammar export`: what a database is, to whoever asks or writes queries."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

from .. import rooms
from ..console import errors, finish, output, speaking, visible
from .options import AsJson, ConnectOptions, DatabasePlace, Dialect, SchemaPlace, with_options
from .shown import show_left_out

__all__ = ["CONNECT_CHECK_HELP", "DESCRIBE_HELP", "GRAMMAR_HELP", "connect_check", "describe", "grammar_app"]

DESCRIBE_HELP = """
[bold]Examples[/]

querent describe shop.sqlite

querent describe plant --table tag --table alarm

querent describe postgresql+psycopg://reader@host/db --access role.toml --json

querent describe shop.sqlite --write shop.toml   [dim]a file to mend: names, other names, kinds, keys, what is hidden[/]

[dim]Some hundred rows of each table tell of each column: what it is for (key, name, category, flag, amount, code, time,
text, or empty), how it is stored (ISO dates, D/M/Y, unix seconds, which cell says yes, numbers kept as text), its most
frequent cells, keys, and in yellow what is doubtful: look at that first. A key that is not declared is told where names
and cells speak for it. What was found is kept in the cache until the database changes; --rebuild looks again.[/]
"""

_CELLS, _WIDE = 3, 24


@with_options
def describe(
    database: DatabasePlace,
    *,
    tables: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME", help="Show this one; may be given several times.", show_default="all"),
    ] = None,
    connecting: Annotated[ConnectOptions, "access"],
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Look at the rows even if nothing seems changed.")] = False,
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FILE", help="Write a description file, TOML.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what the columns of a database hold: kinds, times, flags, numbers in text, keys, doubts."""
    role = connecting.role
    with errors().status("looking at the rows") as status:
        place = querent.database_place(database, status.update, role=role.role if role else "")
        schema, _ = querent.open_schema(place if role and role.role else database)
        schema = schema if role is None else role.narrowed(schema)
        shown = [schema.table(name) for name in tables] if tables else [*schema.tables]
        profile = querent.open_profile(place, schema, narrowed=role is not None, rebuild=rebuild)
    if write is not None:
        _write(write, rooms.description_text(schema, profile))
    with speaking(as_json) as console:
        show_left_out(schema, errors())
        if write is not None:
            console.print(f"{write}: {len(schema.tables)} tables; mend it", soft_wrap=True, highlight=False)
        elif not as_json:
            for table in shown:
                _show_table(table.name, [(c.name, c.type) for c in table.columns], profile, console)
    named = {table.name for table in shown}
    finish(_described(database, profile, named), as_json=as_json)


def _write(file: Path, text: str) -> None:
    """Write a new file: what a person has mended is not written over."""
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise querent.InputError("the file is there already", file=file, hint="give another name") from error


def _show_table(table: str, columns: list[tuple[str, str]], profile: rooms.DatabaseProfile, console: Console) -> None:
    """Print one table; what is doubtful stands in a line of its own below its column."""
    rows = profile.rows.get(table)
    title = Text.assemble((table, "bold"), "" if rows is None else f"  {rows} row{'s' * (rows != 1)}")
    shown = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for heading in ("column", "kind", "stored as", "examples", "key"):
        shown.add_column(heading, overflow="fold")
    for name, kind in columns:
        one = profile.column(table, name)
        if one is None:
            shown.add_row(Text(name), Text("not read", style="yellow"), Text(kind), "", "")
            continue
        keys = [rooms.key_words(key) for key in profile.keys_from(table) if name in key.columns]
        cells = ", ".join(_short(cell) for cell in one.examples[:_CELLS])
        shown.add_row(*map(Text, (name, one.kind, rooms.stored_as(one), cells, "; ".join(keys))))
        if one.doubt:
            shown.add_row("", "", Text(one.doubt, style="yellow"), "", "")
    console.print(shown)
    console.print()


def _short(cell: str) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= _WIDE else f"{line[: _WIDE - 1]}…"


def _described(database: str, profile: rooms.DatabaseProfile, named: set[str]) -> dict[str, Any]:
    """Return it for scripts: of each table its rows and columns, then the keys between those that are shown."""
    data = rooms.profile_to_json(profile)
    for table, several in data["columns"].items():
        for name, one in several.items():
            found = profile.column(table, name)
            one["stored_as"] = "" if found is None else rooms.stored_as(found)
    columns = {table: several for table, several in data["columns"].items() if table in named}
    rows = {table: count for table, count in data["rows"].items() if table in named}
    keys = [key for key in data["keys"] if key["table"] in named]
    return {"database": rooms.scrubbed(database), "rows": rows, "columns": columns, "keys": keys}


CONNECT_CHECK_HELP = """
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
        told = _rights(opened)
        for line in _rights_shown(told):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    finish(told, as_json=as_json)
    if told["beside"]:
        raise typer.Exit(1)


def _rights(opened: querent.Database) -> dict[str, Any]:
    rights = opened.rights
    return {
        "database": opened.name,
        "version": opened.version,
        "timeout": opened.timeout,
        "user": rights.user if rights else None,
        "beside": list(rights.beside) if rights else [],
        "grant": rights.grant if rights else None,
    }


def _rights_shown(told: dict[str, Any]) -> list[str]:
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


GRAMMAR_HELP = """
[bold]Examples[/]

querent grammar export my.sqlite --out my.lark

querent grammar export schema.sql --dialect postgres --format gbnf --out schema.gbnf

querent grammar export shop --format ebnf --aliases c,o,p

[dim]A context-free grammar holds a model to SQL with this schema's names, and to no more: not to columns of the tables
in FROM, not to types, and not to an end in time; the file's header says so. What it lets through is for
`querent validate` to judge, or use Querent's own constraint (querent.grammar), which keeps all that.[/]
"""

grammar_app = typer.Typer(
    name="grammar",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=GRAMMAR_HELP,
)


@grammar_app.command(epilog=GRAMMAR_HELP)
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
    grammar = rooms.Grammar.for_schema(opened, dialect=spoken, wide=True)
    names = None if aliases is None else [name.strip() for name in aliases.split(",") if name.strip()]
    text = rooms.export_grammar(grammar, format, aliases=names)
    if out is None:
        typer.echo(visible(text) if output().is_terminal else text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@grammar_app.callback()
def grammar() -> None:
    """Give the grammar to other people's servers."""
