"""`querent predict`: a file of questions in, a file of records out."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

import querent

from ..console import finish, progress_bar, speaking
from ..saved_runs import database_of, load_parser
from .options import AsJson, Beam, DeviceName, Level, RunPath

__all__ = ["predict"]

EPILOG = """
[bold]Examples[/]

querent predict runs/plant questions.txt --out answers.jsonl

querent predict runs/plant questions.csv --out answers.jsonl --execute --beam 5

echo "which tags are in alarm?" | querent predict runs/plant - --out answers.jsonl --explain

[dim]One record a question, in input order: id, question, sql, score, status (ok, no_query, error), reason, seconds;
a bad question costs its own record only. The output file is the checkpoint: after a kill, give the same command
again.[/]
"""


def predict(
    run: RunPath,
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
    execute: Annotated[
        bool, typer.Option("--execute", help="Run each query, reading only, and add columns and rows.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add what each constraint allowed and refused at every step.")
    ] = False,
    beam: Beam = 1,
    batch_size: Annotated[int, typer.Option("--batch-size", min=1, help="Questions answered at once.")] = 32,
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            metavar="PATH|URL",
            help="Run the queries there; implies --execute.",
            show_default="the database of the domain trained on",
        ),
    ] = None,
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
    device: DeviceName = "auto",
    as_json: AsJson = False,
) -> None:
    """Answer a file of questions with queries, one record a question."""
    with speaking(as_json) as console, ExitStack() as stack:
        _refuse_same(questions, out)
        total = querent.count_questions(questions)  # reads all lines, so that a bad one stops us here
        opened = None
        if execute or database is not None:
            opened = stack.enter_context(querent.Database.open(database or database_of(run)))
        parser = load_parser(run, device=device, level=level)
        if now is not None:
            _set_now(parser, now)
        bar = stack.enter_context(progress_bar("answering"))
        task = bar.add_task("", total=total)
        tally = querent.predict(
            parser,
            querent.read_questions(questions),
            out,
            beam=beam,
            batch_size=batch_size,
            explain=explain,
            database=opened,
            fresh=fresh,
            progress=lambda n: bar.advance(task, n),
        )
        bar.stop()
        before = f" ({tally.already} were there already)" if tally.already else ""
        console.print(
            f"{out}: {tally.questions} questions{before}: {tally.ok} ok, {tally.no_query} without a query, "
            f"{tally.error} in error",
            soft_wrap=True,
            highlight=False,
        )
    finish({"out": str(out), **tally.to_json()}, as_json=as_json)


def _set_now(parser: querent.Parser, now: str) -> None:
    try:
        moment = datetime.now().replace(microsecond=0) if now == "clock" else datetime.fromisoformat(now)
    except ValueError as error:
        hint = "write 2024-03-31T08:00, or clock"
        raise querent.InputError(f"{now!r} is no moment", field="--now", hint=hint) from error
    if parser.finder is None:
        raise querent.InputError("this parser finds no values by itself, so it reads no times", field="--now")
    parser.finder.at(moment)


def _refuse_same(questions: str, out: Path) -> None:
    if out.exists() and Path(questions).exists() and out.samefile(questions):
        raise querent.InputError("the file of the questions itself", file=out, field="--out", hint="use another file")
