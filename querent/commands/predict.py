"""`querent predict`: a file of questions in, a file of records out."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

import querent

from ..console import errors, finish, progress_bar, speaking
from ..saved_runs import database_of
from .options import AccessFile, AsJson, Beam, Language, Level, ParserPath

__all__ = ["predict"]

EPILOG = """
[bold]Examples[/]

querent predict questions.txt --database my.sqlite --out answers.jsonl

querent predict questions.csv --parser runs/plant --out answers.jsonl --beam 5

echo "which tags are in alarm?" | querent predict - --database plant --out answers.jsonl --explain

[dim]One record a question, in input order: id, question, sql, columns, rows, confidence, status (ok, unsure, no_answer,
error), reason, alternatives, seconds; a bad question costs its own record only. The output file is the checkpoint:
after a kill, give the same command again.[/]
"""


def predict(
    questions: Annotated[
        str,
        typer.Argument(
            metavar="QUESTIONS",
            help="A .txt file (a question a line), a .csv file (column question, and id if you like), a .jsonl file "
            "(field question, and id if you like), or - for standard input (a question a line).",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The file of records, JSON lines.", show_default=False)
    ],
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            metavar="PATH|URL",
            help="The database to ask.",
            show_default="that of the domain the parser was trained on; without one, queries are only written",
        ),
    ] = None,
    parser: ParserPath = None,
    language: Language = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add what was read, and what was refused beside each word.")
    ] = False,
    beam: Beam = 4,
    now: Annotated[
        str | None,
        typer.Option(
            "--now",
            metavar="TIME",
            help="What «yesterday» and «the last 8 hours» are seen from: 2024-03-31T08:00, or clock.",
            show_default="the now of the domain trained on",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over, forgetting what --out holds.")] = False,
    level: Level = None,
    access: AccessFile = None,
    as_json: AsJson = False,
) -> None:
    """Answer a file of questions with queries and rows, one record a question."""
    with speaking(as_json) as console, ExitStack() as stack:
        _refuse_same(questions, out)
        total = querent.count_questions(questions)  # reads all lines, so that a bad one stops us here
        where = database or (None if parser is None else database_of(parser))
        with errors().status("opening the database") as status:
            opened = querent.connect(
                where,
                parser=parser,
                language=language,
                level=level or "runs",
                now=_moment(now),
                access=None if access is None else querent.Access.read(access),
                progress=status.update,
            )
        connection = stack.enter_context(opened)
        bar = stack.enter_context(progress_bar("answering"))
        task = bar.add_task("", total=total)
        tally = querent.predict(
            connection,
            querent.read_questions(questions),
            out,
            beam=beam,
            explain=explain,
            fresh=fresh,
            progress=lambda: bar.advance(task, 1),
        )
        bar.stop()
        before = f" ({tally.already} were there already)" if tally.already else ""
        console.print(
            f"{out}: {tally.questions} questions{before}: {tally.ok} ok, {tally.unsure} unsure, "
            f"{tally.no_answer} without an answer, {tally.error} in error",
            soft_wrap=True,
            highlight=False,
        )
    finish({"out": str(out), **tally.to_json()}, as_json=as_json)


def _moment(now: str | None) -> datetime | None:
    if now is None:
        return None
    try:
        return datetime.now().replace(microsecond=0) if now == "clock" else datetime.fromisoformat(now)
    except ValueError as error:
        hint = "write 2024-03-31T08:00, or clock"
        raise querent.InputError(f"{now!r} is no moment", field="--now", hint=hint) from error


def _refuse_same(questions: str, out: Path) -> None:
    if out.exists() and Path(questions).exists() and out.samefile(questions):
        raise querent.InputError("the file of the questions itself", file=out, field="--out", hint="use another file")
