"""`querent validate`: checks SQL of any origin against a schema and the rules of the constraint."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

import querent

from .. import rooms
from ..console import errors, json_line, output

if TYPE_CHECKING:
    from ...validation.statements import Statement
    from ...validation.validation import Validation


_VERDICTS = {True: "run", False: "refused", None: "outside of the grammar", "time": "not decided in time"}


def validate(
    schema: str,
    file: Path | None = None,
    *,
    dialect: str | None = None,
    lines: bool = False,
    field: str | None = None,
    level: str = "runs",
    without: list[str] | None = None,
    timeout: float = 2.0,
    as_json: bool = False,
) -> None:
    """Check which queries would run on a database, and what is wrong with the others.

        querent validate my.sqlite answers.sql
        echo "SELECT nme FROM customers" | querent validate shop
        querent validate schema.sql queries.txt --dialect postgres --lines
        querent validate my.sqlite answers.jsonl --field sql --json

    Nothing is run. For each refused query it prints the word and its place, the broken rule, what could stand there,
    and the nearest query that would run, if one is a word away. A semicolon ends a query; of a text with code fences,
    only their content is read. A query outside of the grammar (WITH RECURSIVE, DISTINCT ON) may run; the command
    reports it separately, and its runs is null. The same holds if --timeout ends before a decision (rule: time). The
    rules are careful: a few of the queries that they refuse would run; --level and --without require less. With --json
    it prints a line per query: sql, runs, line, column (in the file; with --field, in the query), start, end, word,
    rule, problem, allowed, nearest. Exit code 1: one or more did not pass.

    Args:
        file (FILE): The queries. Default: standard input.
        lines: Each line is one query.
        field (NAME): The lines are JSON objects; the query is this field, null where there is none. Default: sql of a
            .jsonl file.
        without (RULE): A rule to switch off, such as grouping.
        timeout (SECONDS): The time for one query; after it the query counts as undecided.
        as_json: Print one JSON object per query, each on a line.
    """
    file = None if str(file) == "-" else file
    if file is not None and file.suffix == ".jsonl":
        field = field or "sql"
    console = errors() if as_json else output()
    with errors().status("reading the schema") as status:
        opened, spoken = querent.open_schema(schema, dialect, progress=status.update)
    statements = rooms.read_statements(_text(file), lines=lines, field=field, file=file)
    judge = querent.Validator(opened, dialect=spoken, level=level, without=without or (), timeout=timeout)
    counts: Counter[bool | str | None] = Counter()
    for statement in statements:
        if statement.sql is None:
            if as_json:
                print(json.dumps({**querent.Validation("", None).to_json(), "sql": None}))
            continue
        found = _placed(judge.validate(statement.sql), statement)
        counts["time" if found.rule == "time" else found.runs] += 1
        if as_json:
            print(json_line(found.to_json()), flush=True)
        elif not found.runs:
            _show(found, statement, str(file or "-"), console)
    tally = ", ".join(f"{counts[runs]} {name}" for runs, name in _VERDICTS.items() if counts[runs] or runs != "time")
    console.print(f"{counts.total()} {'query' if counts.total() == 1 else 'queries'}: {tally}", highlight=False)
    if counts.total() > counts[True]:
        raise typer.Exit(1)


def _text(file: Path | None) -> str:
    try:
        return sys.stdin.read() if file is None else file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise querent.InputError(f"not UTF-8: {error}", file=file, hint="save the file as UTF-8") from error


def _placed(found: Validation, statement: Statement) -> Validation:
    """Return a validation with its place in the file; a record has the place in the query."""
    if found.line is None or found.column is None or statement.record:
        return found
    column = found.column + (statement.column - 1 if found.line == 1 else 0)
    return replace(found, line=found.line + statement.line - 1, column=column)


def _show(found: Validation, statement: Statement, file: str, console: Console) -> None:
    """Print the problem of a query in the style of compilers."""
    record = f"{statement.line}: " if statement.record else ""
    place = f"{file}:{record}{found.line}:{found.column}"
    start = found.start or 0
    begun = found.sql.rfind("\n", 0, start) + 1
    line = found.sql[begun:].partition("\n")[0].rstrip().replace("\t", " ")
    head = Text.assemble((f"{place}: ", "bold"), (f"refused, {found.rule}: ", "red") if found.runs is False else "")
    console.print(head.append(found.problem or "", "" if found.runs is False else "yellow"), soft_wrap=True)
    width = max(cell_len((found.word or "").partition("\n")[0]), 1)
    console.print(Text(f"  {line}"), soft_wrap=True)
    console.print(Text("  " + " " * cell_len(line[: start - begun]) + "^" * width, style="red"), soft_wrap=True)
    if found.says:
        console.print(Text(f"  rule: {found.says}", style="dim"), soft_wrap=True)
    if found.allowed:
        kinds = (f"{kind} {', '.join(words)}" if kind != "end" else "the end" for kind, words in found.allowed.items())
        console.print(Text(f"  allowed: {'; '.join(kinds)}", style="dim"), soft_wrap=True)
    if found.nearest:
        indented = found.nearest.replace("\n", "\n           ")
        console.print(Text("  nearest: ").append(indented, "green"), soft_wrap=True)
    elif found.runs is False:
        console.print(Text("  nearest: none is a word away", style="dim"), soft_wrap=True)
