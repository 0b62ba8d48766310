"""`querent ask`: a question in plain words, its query, its rows, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

import querent

from ..console import errors, fail, output
from .asking_options import AskingOptions, with_asking_options
from .explained import show_explanation
from .options import AccessFile, Beam, DatabasePlace, DescriptionFile, FeedbackFile, ParserPath, QuestionLanguage
from .prompt import Prompt, typed
from .shown import print_json, show, show_attempts, show_left_out

__all__ = ["ask", "show"]

EPILOG = """
[bold]Examples[/]

querent ask sales.csv "what is the total amount of each month?"   [dim]so do Excel, Parquet, folders[/]

querent ask shop.sqlite "which customers ordered nothing this year?"

querent ask plant "which tags have the unit kPa?" --alternatives

querent ask shop "how many orders are there?" --explain

querent ask shop "which customers live in Oslo?" --access role.toml

querent ask library "which books are about bridges?" --examples library   [dim]follows solved questions[/]

querent ask shop "what is the average order value of each customer?" --knowledge retail   [dim]knows formulas[/]

querent ask shop --feedback feedback.jsonl   [dim]learns from what you say of its answers[/]

querent ask shop "how many bulk items are there?" --evidence "bulk items refers to qty > 5"

querent ask warehouse.sqlite "how many returns came last week?" --tables returns,shops

querent ask postgresql+psycopg://me@host/db   [dim]asks on until Ctrl-D[/]

querent ask shop "how many orders are there?" --llm smollm2 --explain

querent ask warehouse.sqlite "how many returns came last week?" --llm smollm2 --most-tables 3

querent ask plant "which tags are in alarm?" --llm http://localhost:11434/v1#qwen3 --examples plant --shots 3 --pot

[dim]The database is opened for reading only. The first question on a new database indexes its text values, which are
kept in the cache. Exit code 1: the question got no answer.[/]
"""


@with_asking_options
def ask(
    context: typer.Context,
    database: DatabasePlace,
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="In plain words; without one, a prompt asks on.", show_default=False),
    ] = None,
    *,
    alternatives: Annotated[bool, typer.Option("--alternatives", help="Show other queries, with how likely.")] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show what was read, and each word of the query with what was refused; of a model all attempts.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a question, on a line each.")] = False,
    parser: ParserPath = None,
    language: QuestionLanguage = None,
    beam: Beam = 4,
    access: AccessFile = None,
    description: DescriptionFile = None,
    feedback: FeedbackFile = None,
    asking: AskingOptions,
    evidence: Annotated[
        str,
        typer.Option(
            "--evidence",
            metavar="TEXT",
            help="Formulas for this question alone: long refers to distance > 100; tip rate = SUM(tip) / SUM(fare).",
            show_default="none",
        ),
    ] = "",
    schema_retriever: Annotated[
        Path | None,
        typer.Option(
            "--schema-retriever",
            metavar="FILE",
            help="What finds the tables of a large database; `querent train-retriever --schema` makes one.",
            show_default="the shipped one",
        ),
    ] = None,
    tables: Annotated[
        str,
        typer.Option(
            "--tables",
            metavar="A,B",
            help="Read these tables alone, whatever the question says; a language model is told no others.",
            show_default="all; of hundreds those likeliest to be meant",
        ),
    ] = "",
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="That the queries of an answer may take.")
    ] = 5.0,
) -> None:
    """Ask a database a question in plain words."""
    asking.refuse_others(context)
    if evidence and question is None:
        raise querent.InputError("evidence without a question", field="evidence", hint="give the question it is for")
    console = errors() if as_json else output()
    role = None if access is None else querent.Access.read(access)
    if question is not None and parser is None:
        language = language or querent.language_of(question)  # so that it is opened for that, and no other
    with errors().status("opening the database") as status:  # silent where that is no terminal
        told: dict[str, Any] = {"language": language, "access": role, "progress": status.update}
        told |= {"schema_retriever": schema_retriever, "timeout": timeout}
        how: dict[str, Any] = {"tables": tuple(name.strip() for name in tables.split(",") if name.strip())}
        connection: querent.Connection
        if asking.llm is None:
            how |= {"beam": beam, "evidence": evidence}
            own: dict[str, Any] = {"parser": parser, "description": description, "feedback": feedback}
            connection = querent.connect(database, **own, **asking.known, **told)
        else:
            connection = asking.connect_llm(context, database, **told)
    with connection:
        show_left_out(connection.schema, errors())
        prompt = Prompt(connection, explain=explain, **how)
        if question is not None:
            prompt.ask(question)
            _show(prompt, console, alternatives=alternatives, as_json=as_json, attempts=explain)
        for line in typed(console) if question is None else ():
            try:
                done = prompt.enter(line)
            except (querent.QuerentError, OSError) as error:  # one bad line ends no conversation
                fail(error)
                continue
            if done is None:
                _show(prompt, console, alternatives=alternatives, as_json=as_json, attempts=explain)
            else:
                console.print(Text(done, style="dim"), soft_wrap=True)
    if question is not None and prompt.answer is not None and prompt.answer.status in ("error", "no_answer"):
        raise typer.Exit(1)


def _show(prompt: Prompt, console: Console, *, alternatives: bool, as_json: bool, attempts: bool) -> None:
    """Show the last answer, to people or as a line of JSON, and how it came about."""
    answer, explanation = prompt.answer, prompt.explanation
    if answer is None:
        return
    if as_json:
        print_json(answer, **({} if explanation is None else {"explain": explanation.to_json()}))
        return
    show(answer, console, alternatives=alternatives)
    if explanation is not None:
        show_explanation(explanation, console)
    elif attempts and isinstance(answer, querent.LlmAnswer):
        show_attempts(answer, console)
