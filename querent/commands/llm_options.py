"""Options of commands that let a language model answer, or are given solved questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

__all__ = [
    "LLM_ONLY",
    "PARSER_ONLY",
    "Cells",
    "Constrain",
    "Correct",
    "Examples",
    "Llm",
    "MaxTokens",
    "Pot",
    "PromptFolder",
    "RetrieverName",
    "Samples",
    "Shots",
    "TellSchema",
    "options_given",
    "refuse",
    "show_attempts",
]

LLM_ONLY = {
    "shots": "--shots",
    "pot": "--pot",
    "schema": "--schema",
    "correct": "--correct",
    "constrain": "--constrain",
    "samples": "--samples",
    "prompts": "--prompts",
    "cells": "--cells",
    "max_tokens": "--max-tokens",
}
"""Parameters that mean nothing without --llm, and how they are written."""

PARSER_ONLY = {"parser": "--parser", "beam": "--beam", "evidence": "--evidence"}
"""Parameters that mean nothing with it."""

_PANEL = "A language model in the parser's place"
_SOLVED = "Solved questions"

Llm = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="SPEC",
        help="Let a language model answer: smollm2, a folder or hub name of one that runs here, URL#MODEL of a server "
        "with an interface like OpenAI's, or recorded:FILE, answers of before.",
        show_default="the parser answers",
        rich_help_panel=_PANEL,
    ),
]
Shots = Annotated[
    int,
    typer.Option("--shots", min=0, help="Similar solved questions to show, of --examples.", rich_help_panel=_PANEL),
]
Examples = Annotated[
    str | None,
    typer.Option(
        "--examples",
        metavar="DOMAIN|FILE",
        help="A domain, or a .jsonl file with question and sql on each line. Where one is like the question asked, the "
        "parser writes its query with the values asked for; a language model is shown those most alike.",
        show_default="none",
        rich_help_panel=_SOLVED,
    ),
]
RetrieverName = Annotated[
    str | None,
    typer.Option(
        "--retriever",
        metavar="minilm|e5|FOLDER",
        help="The bi-encoder that finds them; `querent train-retriever` makes one of your own questions.",
        show_default="how alike they are spelled",
        rich_help_panel=_SOLVED,
    ),
]
Pot = Annotated[
    bool,
    typer.Option("--pot", help="Let it write a program of plain steps before the query.", rich_help_panel=_PANEL),
]
TellSchema = Annotated[
    bool,
    typer.Option(
        "--schema/--no-schema",
        help="Tell it tables and functions.",
        show_default="as it was tuned, else told",
        rich_help_panel=_PANEL,
    ),
]
Correct = Annotated[
    int,
    typer.Option(
        "--correct",
        min=0,
        help="How often to ask again after a query that fails or finds nothing.",
        rich_help_panel=_PANEL,
    ),
]
Constrain = Annotated[
    bool | None,
    typer.Option(
        "--constrain/--no-constrain",
        help="Mask its tokens, so that its query runs.",
        show_default="where it runs here",
        rich_help_panel=_PANEL,
    ),
]
Samples = Annotated[
    int,
    typer.Option(
        "--samples",
        min=1,
        help="Answers a prompt; the rows that most of them have are taken, and their share is the confidence.",
        rich_help_panel=_PANEL,
    ),
]
PromptFolder = Annotated[
    Path | None,
    typer.Option(
        "--prompts",
        metavar="FOLDER",
        help="Prompt files of your own.",
        show_default="those that ship for the language",
        rich_help_panel=_PANEL,
    ),
]
Cells = Annotated[
    int,
    typer.Option(
        "--cells",
        min=0,
        help="Values of each text column that the model is told, at most; 0 tells it none.",
        rich_help_panel=_PANEL,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        min=1,
        help="Of one answer; a model that reasons first may need thousands.",
        show_default="256, with --pot 512",
        rich_help_panel=_PANEL,
    ),
]


_FIELDS = {
    "shots": "shots",
    "pot": "program",
    "schema": "schema",
    "correct": "corrections",
    "constrain": "constrain",
    "samples": "samples",
    "max_tokens": "max_tokens",
}
"""Parameters of a command, and what `LlmOptions` calls them."""


def options_given(context: typer.Context, backend: querent.Backend) -> querent.LlmOptions:
    """Return how a model is asked: as somebody said, and where nobody did, as it was tuned, or by the defaults."""
    given = {field: context.params[name] for name, field in _FIELDS.items() if _is_given(context, name)}
    return replace(querent.options_of(backend), **given)


def refuse(context: typer.Context, options: dict[str, str], hint: str) -> None:
    """Refuse options that somebody gave though they mean nothing here.

    Raises:
        InputError: one was given.
    """
    for name, written in options.items():
        if _is_given(context, name):
            raise querent.InputError("means nothing here", field=written, hint=hint)


def _is_given(context: typer.Context, name: str) -> bool:
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def show_attempts(answer: querent.LlmAnswer, console: Console) -> None:
    """Print what the model wrote, and what was wrong with it."""
    table = Table("attempt", "wrote", "problem", "seconds", show_edge=False)
    for number, attempt in enumerate(answer.attempts, start=1):
        wrote = "\n".join(part for part in (attempt.program, attempt.sql) if part) or attempt.text
        table.add_row(str(number), Text(wrote), Text(attempt.problem or ""), f"{attempt.seconds:.2f}")
    console.print(table)
    counts = (answer.prompt_tokens, answer.completion_tokens)
    told = "tokens are not counted" if None in counts else f"{counts[0]} tokens read, {counts[1]} written"
    console.print(Text(told, style="dim"))
