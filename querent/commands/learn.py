"""`querent learn`: what people said of answers in, a parser that was trained on it out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import querent

from ..console import finish, speaking
from .options import AsJson, QuestionLanguage

__all__ = ["learn"]

EPILOG = """
[bold]Examples[/]

querent learn feedback.jsonl --database my.sqlite --out runs/mine

querent ask my.sqlite --parser runs/mine --feedback feedback.jsonl

[dim]--feedback alone learns at once what was said of a question, and follows it in questions like it; training changes
how all questions are read, and pays from some dozens of solved ones on. Every fifth is kept apart to choose by.[/]
"""

_FEWEST = 10
_EVERY = 5


def learn(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A .jsonl file of --feedback, or of question and sql on each line.",
            show_default=False,
        ),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OPTION=VALUE", help="Options of querent train, by their dotted names.", show_default=False
        ),
    ] = None,
    *,
    database: Annotated[
        str,
        typer.Option(
            "--database", metavar="PATH|URL", help="The database that the questions are about.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="The run folder to write.", show_default=False)],
    base: Annotated[
        str,
        typer.Option("--base", metavar="shipped|RUN", help="What to start from."),
    ] = "shipped",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides everything drawn at random.")] = 0,
    language: QuestionLanguage = None,
    as_json: AsJson = False,
) -> None:
    """Train a parser on what people said of its answers."""
    with speaking(as_json) as console:
        domain = querent.solved_domain(str(file), language=language, database=database)
        count = len(domain.examples)
        if count < _FEWEST:
            hint = f"from {_FEWEST} on; --feedback learns from each of them at once"
            raise querent.InputError(f"{count} solved questions are too few to train on", file=file, hint=hint)
        parts = ["dev" if place % _EVERY == 0 else "train" for place in range(count)]
        marked = (replace(one, question_split=part) for one, part in zip(domain.examples, parts, strict=True))
        options = querent.TrainConfig.load(None, [f"model.base={base}", f"seed={seed}", *(overrides or [])])
        folder = querent.train(options, replace(domain, examples=tuple(marked)), out, console=console)
        console.print(f"parser {folder / 'best'}, report {folder / 'report.md'}", soft_wrap=True)
    finish({"run": str(folder), "solved": count}, as_json=as_json)
