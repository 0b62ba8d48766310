"""`querent check`: what a domain holds, and what is wrong with it."""

from __future__ import annotations

from typing import Annotated

import typer

import querent

from ..console import count_bar, finish, made_by, speaking
from .options import AsJson, AsSummary, DomainName, QuestionLanguage

__all__ = ["check"]

EPILOG = """
[bold]Examples[/]

querent check my-domain

querent check plant --language zh

querent check spider:data/spider --json

querent check css:data/css --summary

[dim]Lists the gold queries that the grammar does not cover (file, line, where it stopped), those that break a rule of
the constraint (a warning: no parser will write them) and what the database says of both, those that do not run,
questions with different queries, and what the parts of a split share; of a domain with prototypes also those that are
wrong, repeat one another, have no answer, or are newer than the pairs. Errors there end with exit code 1.[/]
"""


def check(
    domain: DomainName,
    *,
    language: QuestionLanguage = None,
    most: Annotated[int, typer.Option("--most", min=0, help="Findings of one kind to print.")] = 20,
    as_json: AsJson = False,
    summary: AsSummary = False,
) -> None:
    """Report what was read from a domain and what is wrong with it; changes nothing."""
    with speaking(as_json or summary) as console:
        read = querent.load_domain(domain, language=language)
        with count_bar("gold queries") as bar:
            report = querent.check(read, progress=bar)
        querent.render_check(report, console, most=0 if summary else most)
    finish(made_by() | report.summary() if summary else report.to_json(), as_json=as_json or summary)
    if report.errors:
        raise typer.Exit(1)
