"""`querent describe`, `connect-check` and `grammar export`: descriptions of a database."""

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
from ..console import errors, output, visible
from .options import ConnectOptions, Failed
from .printing import show_left_out

_CELLS, _WIDE = 3, 24


def describe(
    database: str,
    *,
    table: list[str] | None = None,
    connecting: Annotated[ConnectOptions, "access"],
    write: Path | None = None,
) -> dict[str, Any]:
    """Describe the columns of a database: semantic types, times, flags, numbers in text, keys, doubts.

        querent describe shop.sqlite
        querent describe plant --table t_rt_info --table t_rt_data
        querent describe postgresql+psycopg://reader@host/db --access role.toml --json
        querent describe shop.sqlite --write shop.toml   # a file to edit: names, types, keys, hidden columns

    From some hundred rows of each table, the command finds for each column its semantic type (key, name, category,
    flag, amount, code, time, text, or empty), its storage (ISO dates, D/M/Y, unix seconds, the cell that means yes,
    numbers kept as text), its most frequent cells, and its keys, also undeclared ones that names and cells suggest.
    Doubts are yellow: look at them first. The cache keeps the result until the database changes.

    Args:
        table (NAME): Show only this table; may be given several times. Default: all.
        write (FILE): Write a data dictionary, a TOML file to edit.
    """
    role = connecting.role
    with errors().status("looking at the rows") as status:
        place = querent.database_place(database, status.update, role=role.role if role else "")
        schema, _ = querent.open_schema(place if role and role.role else database)
        schema = schema if role is None else role.narrowed(schema)
        chosen = [schema.table(name) for name in table] if table else [*schema.tables]
        profile = querent.open_profile(place, schema, narrowed=role is not None)
    tables = [rooms.table_json(one, profile) for one in chosen]
    if write is not None:
        _write(write, rooms.description_text(schema, profile))
    show_left_out(schema, errors())
    if write is not None:
        output().print(f"{write}: {len(schema.tables)} tables; mend it", soft_wrap=True, highlight=False)
    for one in tables if write is None else ():
        _show_table(one, output())
    return {"database": rooms.scrubbed(database), "tables": tables}


def _write(file: Path, text: str) -> None:
    """Write a new file, so that no file with changes by people is overwritten."""
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise querent.InputError("the file is there already", file=file, hint="give another name") from error


def _show_table(table: dict[str, Any], console: Console) -> None:
    """Print a table, with each doubt in a line below its column."""
    rows = table["rows"]
    title = Text.assemble((table["name"], "bold"), "" if rows is None else f"  {rows} row{'s' * (rows != 1)}")
    grid = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for heading in ("column", "kind", "stored as", "examples", "key"):
        grid.add_column(heading, overflow="fold")
    for one in table["columns"]:
        if one["kind"] is None:
            grid.add_row(Text(one["name"]), Text("not read", style="yellow"), Text(one["type"]), "", "")
            continue
        cells = ", ".join(_short(cell) for cell in one["examples"][:_CELLS])
        grid.add_row(*map(Text, (one["name"], one["kind"], one["stored_as"], cells, "; ".join(one["keys"]))))
        if one["doubt"]:
            grid.add_row("", "", Text(one["doubt"], style="yellow"), "", "")
    console.print(grid)
    console.print()


def _short(cell: str) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= _WIDE else f"{line[: _WIDE - 1]}…"


def connect_check(database: str) -> dict[str, Any]:
    """Show what a connection may do beside reading, its limits, and the grant that would be enough.

        querent connect-check postgresql+psycopg://reader@host/shop
        querent connect-check my.sqlite

    Querent sends a query to a server only if every part of it is known to only read, in a read-only session with
    time limits. If the database user has no other rights, nobody needs to trust that. Exit code 1: this user may do
    more than read.

    Args:
        database (URL): A server's URL, a SQLite file, or files of tables.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the command itself reports their content
        opened = querent.Database.open(querent.database_place(database))
    with opened:
        rights = opened.rights
        data = {
            "database": opened.name,
            "version": opened.version,
            "timeout": opened.timeout,
            "user": rights.user if rights else None,
            "beside": list(rights.beside) if rights else [],
            "grant": rights.grant if rights else None,
        }
    lines = [f"{data['database']}: {data['version']}"]
    lines.append(f"a query is stopped after {data['timeout']:g} s, waits included")
    if rights is None:
        lines.append("a file, opened for reading only")
    elif not rights.beside:
        lines.append(f"{rights.user} may read and nothing else")
    else:
        lines += [f"{rights.user} may beside reading:", *(f"  {right}" for right in rights.beside)]
        lines += ["enough would be:", *(f"  {statement}" for statement in rights.grant.split("; "))]
    for line in lines:
        output().print(line, highlight=False, markup=False, soft_wrap=True)
    return Failed(data) if data["beside"] else data


def export(
    schema: str,
    *,
    dialect: str | None = None,
    format: Literal["lark", "gbnf", "ebnf"] = "lark",
    aliases: str | None = None,
    out: Path | None = None,
) -> None:
    """Write the grammar of the queries on a schema.

        querent grammar export my.sqlite --out my.lark
        querent grammar export schema.sql --dialect postgres --format gbnf --out schema.gbnf
        querent grammar export shop --format ebnf --aliases c,o,p

    A context-free grammar keeps a model to SQL with the names of this schema. It checks neither that columns belong
    to the tables in FROM, nor types, nor that the query ends in time; the header of the file says so. Check its
    output with `querent validate`, or use Querent's own constraint (querent.grammar), which keeps all of this.

    Args:
        format: lark for llguidance and vLLM, gbnf for llama.cpp, ebnf for XGrammar.
        aliases (A,B,…): Aliases for tables and outputs. Default: T1,…,T9, c1,…,c9, tables' initials, city_2.
        out (FILE): The file to write. Default: standard output.
    """
    opened, spoken = querent.open_schema(schema, dialect)
    grammar = rooms.Grammar.for_schema(opened, dialect=spoken, wide=True)
    names = None if aliases is None else [name.strip() for name in aliases.split(",") if name.strip()]
    text = rooms.export_grammar(grammar, format, aliases=names)
    if out is None:
        typer.echo(visible(text) if output().is_terminal else text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
