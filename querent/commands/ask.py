"""`querent ask` and `demo`: answer questions in plain words."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import querent

from .. import rooms
from ..console import errors, fail, output
from .options import AskOptions, ConnectOptions, LlmOptions, connect_model, refuse_idle
from .printing import print_json, show, show_attempts, show_explanation, show_left_out
from .prompt import Prompt, typed


def ask(
    context: typer.Context,
    database: str,
    question: str | None = None,
    *,
    alternatives: bool = False,
    explain: bool = False,
    as_json: bool = False,
    asking: AskOptions,
    connecting: Annotated[
        ConnectOptions,
        *("parser", "language", "access", "description", "feedback", "timeout"),
        *("knowledge", "examples", "retriever", "schema_retriever"),
    ],
    llm: str | None = None,
    model: LlmOptions,
) -> None:
    """Ask a database a question in plain words.

        querent ask sales.csv "what is the total amount of each month?"   # so do Excel, Parquet, folders
        querent ask shop.sqlite "which customers ordered nothing this year?"
        querent ask plant "which tags have the unit kPa?" --alternatives
        querent ask shop "how many orders are there?" --explain
        querent ask shop "which customers live in Oslo?" --access role.toml
        querent ask library "which books are about bridges?" --examples library   # uses solved questions
        querent ask shop "what is the average order value of each customer?" --knowledge retail   # with formulas
        querent ask shop --feedback feedback.jsonl   # learns from your verdicts
        querent ask shop "how many bulk items are there?" --evidence "bulk items refers to qty > 5"
        querent ask warehouse.sqlite "how many returns came last week?" --tables returns,shops
        querent ask postgresql+psycopg://me@host/db   # a prompt, until Ctrl-D
        querent ask shop "how many orders are there?" --llm smollm2 --explain
        querent ask warehouse.sqlite "how many returns came last week?" --llm smollm2 --most-tables 3
        querent ask plant "which tags are in alarm?" --llm http://localhost:11434/v1#qwen3 --examples plant --shots 3

    The database is opened for reading only. The first question on a new database indexes its text values into the
    cache. Exit code 1: the question got no answer.

    Args:
        question (QUESTION): A question in plain words. Without one, a prompt starts.
        alternatives: Also show other queries, with their probability.
        explain: Show what was read, and for each word of the query the refused ones; for a model all attempts.
        as_json: Print one JSON object per question, each on a line.
    """
    refuse_idle(context, model=llm is not None)
    if asking.evidence and question is None:
        raise querent.InputError("evidence without a question", field="evidence", hint="give the question it is for")
    console = errors() if as_json else output()
    if question is not None and connecting.parser is None:  # opens the reader of that language alone
        connecting = replace(connecting, language=connecting.language or rooms.language_of(question))
    with errors().status("opening the database") as status:  # prints nothing if that is no terminal
        if llm is None:
            connection = rooms.open_connection(database, connecting, status.update)
        else:
            connection = connect_model(context, database, llm, model, connecting, progress=status.update)
    with connection:
        show_left_out(connection.schema, errors())
        prompt = Prompt(connection, asking, explain=explain)
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
    """Print the last answer with its explanation, as text or as a line of JSON."""
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


DEMO = ("shop", "plant")
"""The databases of the demo."""

_NEXT = """
Next:
  querent ask shop                           ask on; Ctrl-D ends
  querent ask my.sqlite "how many …?"        a database of your own
  querent new my-domain --database my.sqlite a parser tuned to it"""


def demo() -> None:
    """Answer questions on two databases that ship with Querent, without training.

    querent demo
    """
    console = output()
    for name in DEMO:
        console.rule(f"[bold]{name}", align="left")
        with querent.connect(name, progress=lambda what: console.print(what, style="dim")) as connection:
            for question in demo_questions(name):
                console.print(f"\n[bold]{question}[/]", highlight=False)
                show(connection.ask(question), console, most=5)
    console.print(_NEXT, highlight=False)


def demo_questions(name: str) -> list[str]:
    """Return the example questions of a shipped database."""
    return (files(f"querent.data.{name}") / "demo.en.txt").read_text("utf-8").splitlines()
