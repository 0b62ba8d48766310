"""`querent predict`: answers a file of questions with a file of records."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

import querent

from .. import rooms
from ..console import errors, output, progress_bar
from .options import AskOptions, ConnectOptions, Count, LlmOptions, connect_model, refuse_idle


def predict(
    context: typer.Context,
    questions: str,
    *,
    out: Path,
    database: str | None = None,
    explain: bool = False,
    fresh: bool = False,
    again: bool = False,
    jobs: Count = 1,
    asking: Annotated[AskOptions, "beam"],
    connecting: Annotated[
        ConnectOptions,
        *("parser", "language", "level", "now", "access", "description", "knowledge", "examples", "retriever"),
    ],
    llm: str | None = None,
    model: LlmOptions,
) -> dict[str, Any]:
    """Answer a file of questions with queries and rows, one record per question.

        querent predict questions.txt --database my.sqlite --out answers.jsonl
        querent predict questions.csv --parser runs/plant --out answers.jsonl --beam 5
        querent predict questions.txt --database my.sqlite --examples solved.jsonl --out answers.jsonl
        echo "which tags are in alarm?" | querent predict - --database plant --out answers.jsonl --explain
        querent predict questions.txt --database my.sqlite --llm http://localhost:11434/v1#qwen3 --out answers.jsonl

    A record has id, question, sql, columns, rows, confidence, status (ok, unsure, no_answer, error), reason,
    alternatives, seconds, like; from a language model also attempts, prompt_tokens, completion_tokens. Records are in
    input order. A bad question costs only its own record. The output file is the checkpoint: after a kill, the same
    command resumes. If a language model fails ten questions in a row, the command stops; --again retries failed
    records.

    Args:
        questions (QUESTIONS): A .txt file (one question per line), a .csv file (column question; optional: id,
            evidence, dialogue), a .jsonl file (the same fields), or - for standard input (one question per line).
            Neighbours with the same dialogue are turns of one conversation.
        out (FILE): The file of records, JSON lines.
        database (PATH|URL): The database to ask: a SQLite file, CSV, Excel or Parquet files, the URL of a server, or a
            shipped one. Default: that of the domain the parser was trained on; without one, queries are only written.
        explain: Add what was read from the question, and the refused words beside each word.
        fresh: Start over and overwrite --out.
        again: Retry the questions that the language model did not answer.
        jobs: Parallel requests to the server of a language model.
    """
    with ExitStack() as stack:
        refuse_idle(context, model=llm is not None, only={"again": "model", "jobs": "model", "explain": "parser"})
        if out.exists() and Path(questions).exists() and out.samefile(questions):
            problem = "the file of the questions itself"
            raise querent.InputError(problem, file=out, field="--out", hint="use another file")
        total = rooms.count_questions(questions)  # reads all lines, so that a wrong one ends the command here
        with errors().status("opening the database") as status:
            if llm is None:
                parser = connecting.parser
                where = database or (_database_of(Path(parser)) if isinstance(parser, Path) else None)
                connection = rooms.open_connection(where, replace(connecting, wait=True), status.update)
            elif database is None:
                raise querent.InputError("a language model needs a database", field="--database", hint="give one")
            else:
                connection = connect_model(context, database, llm, model, connecting, progress=status.update)
            stack.enter_context(connection)
        bar, steps = stack.enter_context(progress_bar("answering")), count(1)
        tally = querent.predict(
            connection,
            querent.read_questions(questions),
            out,
            beam=None if llm else asking.beam,
            explain=explain,
            fresh=fresh,
            again=again,
            jobs=jobs,
            progress=lambda: bar(next(steps), total),
        )
    before = f" ({tally.already} were there already)" if tally.already else ""
    unheard = f" ({tally.unheard} that --again asks anew)" if tally.unheard else ""
    line = f"{out}: {tally.questions} questions{before}: {tally.ok} ok, {tally.unsure} unsure, "
    line += f"{tally.no_answer} without an answer, {tally.error} in error{unheard}"
    output().print(line, soft_wrap=True, highlight=False)
    return {"out": str(out), **tally.to_json()}


def run_options(run: Path) -> querent.TrainConfig | None:
    """Return the options of a run, by its folder or that of its parser; None for other parsers."""
    for folder in (run, run.resolve().parent):
        if (folder / "config.yaml").exists():
            return querent.TrainConfig.load(folder / "config.yaml")
    return None


def _database_of(run: Path) -> str | None:
    """Return the database of the domain that a run was trained on, None if there was none.

    Raises:
        DomainError: the domain is gone.
    """
    options = run_options(run)
    if options is None or options.data.domain is None:
        return None
    return querent.load_domain(options.data.domain, language=options.data.language).database
