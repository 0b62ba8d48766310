"""`querent ask`: a question in plain words, its query, its rows, and how sure that is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

from ..console import errors
from .explained import show_explanation
from .options import AccessFile, Beam

__all__ = ["ask", "show"]

EPILOG = """
[bold]Examples[/]

querent ask shop.sqlite "which customers ordered nothing this year?"

querent ask plant "which tags have the unit kPa?" --alternatives

querent ask shop "how many orders are there?" --explain

querent ask shop "which customers live in Oslo?" --access role.toml

querent ask postgresql+psycopg://me@host/db   [dim]asks on until Ctrl-D[/]

[dim]The database is opened for reading only. The first question on a new database indexes its text values, which are
kept in the cache. Exit code 1: the question got no answer.[/]
"""

_SHOWN = 20  # rows of an answer
_COLOURS = {"ok": "green", "unsure": "yellow", "no_answer": "red", "error": "red"}


def ask(
    database: Annotated[
        str,
        typer.Argument(
            metavar="DATABASE",
            help="A SQLite file, the URL of a MySQL, MariaDB or PostgreSQL server, or a shipped one (plant, shop).",
            show_default=False,
        ),
    ],
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="In plain words; without one, a prompt asks on.", show_default=False),
    ] = None,
    *,
    alternatives: Annotated[bool, typer.Option("--alternatives", help="Show other queries, with how likely.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what was read, and each word of the query with what was refused.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a question, on a line each.")] = False,
    parser: Annotated[
        Path | None,
        typer.Option("--parser", metavar="RUN", help="A network of your own.", show_default="the shipped base"),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", metavar="en|zh", help="Language of the questions.", show_default="each question's own"
        ),
    ] = None,
    beam: Beam = 4,
    access: AccessFile = None,
) -> None:
    """Ask a database a question in plain words."""
    console = errors() if as_json else Console()
    with errors().status("opening the database") as status:  # silent where that is no terminal
        if question is not None and parser is None:
            language = language or querent.language_of(question)  # so that one network is loaded, and no other
        role = None if access is None else querent.Access.read(access)
        opened = querent.connect(database, parser=parser, language=language, access=role, progress=status.update)
    with opened as connection:
        questions = [question] if question is not None else _typed(console)
        answer = None
        for asked in questions:
            answer = connection.ask(asked, beam=beam)
            explanation = connection.explain(asked, beam=beam) if explain else None
            if as_json:
                told = answer.to_json() | ({"explain": explanation.to_json()} if explanation else {})
                told["rows"] = [[_finite(cell) for cell in row] for row in answer.rows]
                print(json.dumps(told, ensure_ascii=False, default=str, allow_nan=False), flush=True)
                continue
            show(answer, console, alternatives=alternatives)
            if explanation:
                show_explanation(explanation, console)
    if question is not None and answer is not None and answer.status in ("error", "no_answer"):
        raise typer.Exit(1)


def _typed(console: Console) -> Iterator[str]:
    """Yield the questions that somebody types, until Ctrl-D."""
    console.print("Ask a question; Ctrl-D ends.", style="dim")
    with suppress(EOFError):
        while True:
            console.print("? ", end="")  # not input's own prompt, which would stand among the lines of --json
            if line := input().strip():
                yield line


def show(answer: querent.Answer, console: Console, *, alternatives: bool = False, most: int = _SHOWN) -> None:
    """Print an answer: query, ``most`` rows, confidence, and reasons to doubt it."""
    if answer.sql is not None:
        console.print(Text(answer.sql, style="cyan"), soft_wrap=True)
    if answer.columns:
        console.print(_table(answer, most))
    line = Text.assemble((answer.status, _COLOURS[answer.status]), f"  confidence {answer.confidence:.2f}")
    line.append(f"  {answer.seconds:.2f} s", style="dim")
    if answer.reason:
        line.append(f"  {answer.reason}")
    console.print(line, soft_wrap=True)
    if alternatives:
        for other in answer.alternatives:
            console.print(Text(f"  {other.confidence:.2f}  {other.sql}", style="dim"), soft_wrap=True)


def _table(answer: querent.Answer, most: int) -> Table:
    table = Table(show_edge=False)
    for column in answer.columns:
        table.add_column(Text(column), overflow="fold")
    for row in answer.rows[:most]:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    hidden = len(answer.rows) - most
    if hidden > 0 or answer.truncated:
        table.caption = f"… {max(hidden, 0)}{'+' if answer.truncated else ''} more rows"
    return table


def _finite(cell: Any) -> Any:
    """Return a cell as JSON can have it: it knows no infinity."""
    return str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell


def _cell(cell: Any) -> str:
    return "NULL" if cell is None else str(cell)
