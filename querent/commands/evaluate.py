"""`querent evaluate`: how well a parser answers one part of a domain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

import querent

from ..console import finish, progress_bar, speaking
from ..saved_runs import options_of
from .options import AsJson, Beam, DomainName, Language, Level, Part, RunPath, Split

__all__ = ["evaluate"]

EPILOG = """
[bold]Examples[/]

querent evaluate runs/plant plant --part test

querent evaluate runs/geo text2sql:../shared/data/text2sql/geography --values gold --beam 5 --json

querent evaluate en plant --part dev --split query   [dim]the shipped parser, without training[/]

[dim]em is exact match of normal forms, em_by_query its mean over distinct gold queries; execution compares bags of
rows, in order only under ORDER BY; execution_filled leaves out gold queries without rows; suite is right on every
database of the suite that `querent suite` made.[/]
"""


def evaluate(
    run: RunPath,
    domain: DomainName,
    *,
    part: Annotated[Part, typer.Option("--part", help="The part to answer.")] = "test",
    split: Annotated[
        Split | None,
        typer.Option("--split", help="The split that the part belongs to.", show_default="the one trained on"),
    ] = None,
    values: Annotated[
        Literal["gold", "own"],
        typer.Option("--values", help="Hand over the gold values, or have the parser find its own."),
    ] = "own",
    beam: Beam = 4,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Questions asked, spread evenly over the part.", show_default="all"),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option("--suite", metavar="FOLDER", help="A suite of `querent suite`.", show_default="the domain's own"),
    ] = None,
    language: Language = None,
    level: Level = None,
    wanted: Annotated[
        Literal["hard", "soft", "off"], typer.Option("--global", help="How far the classifiers are followed.")
    ] = "soft",
    as_json: AsJson = False,
) -> None:
    """Answer one part of a domain and score the answers against its gold queries."""
    with speaking(as_json) as console:
        options = options_of(run)
        loaded = querent.load_network(querent.parser_folder(run))
        read = querent.load_domain(domain, language=language or loaded.language)
        chosen = split or (options.data.split if options else "question")
        folder = suite or querent.find_suite(read)
        tests = None if folder is None else querent.load_suite(folder, read)
        count = len(read.part(part, split=chosen))
        with progress_bar("answering") as bar:
            task = bar.add_task("", total=min(count, limit or count))
            scores = querent.evaluate(
                loaded,
                read,
                part=part,
                split=chosen,
                values=values,
                beam=beam,
                level=level or "runs",
                wanted=wanted,
                limit=limit,
                suite=tests,
                progress=lambda: bar.advance(task, 1),
            )
        found = scores.to_json()
        _show(found, read.name, console)
    finish({"run": str(run), "domain": read.name, **found}, as_json=as_json)


_TITLES = {
    "em": "exact match",
    "em_by_query": "exact match by query",
    "jaccard": "Jaccard similarity",
    "validity": "validity",
    "runs": "queries that run",
    "late": "  stopped at the time limit",
    "execution": "execution accuracy",
    "execution_filled": "  where gold returns rows",
    "empty_gold": "  share of gold without rows",
    "suite": "test-suite accuracy",
    "table_f1": "table classifier, F1",
    "function_f1": "function classifier, F1",
    "column_f1": "column classifier, F1",
    "all_values_found": "every value found",
    "refused": "would rather not answer",
    "inside_global": "gold inside the hard global constraint",
    "share_left": "share of the vocabulary left",
}


def _show(scores: dict[str, Any], name: str, console: Console) -> None:
    title = (
        f"{name}, {scores['part']} of the {scores['split']} split, {scores['values']} values, {scores['n']} questions"
    )
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for key, text in _TITLES.items():
        if scores[key] is not None:
            table.add_row(text, f"{scores[key]:.3f}")
    console.print(table)
    for key, text in (("by_feature", "SQL feature"), ("by_length", "words of the gold query")):
        console.print(_groups(scores[key], text))


def _groups(groups: dict[str, dict[str, Any]], title: str) -> Table:
    table = Table(title=f"by {title}", title_justify="left")
    table.add_column("")
    for head in ("questions", "exact match", "execution"):
        table.add_column(head, justify="right")
    for name, row in groups.items():
        shares = ("–" if row[kind] is None else f"{row[kind]:.3f}" for kind in ("em", "execution"))
        table.add_row(name, str(row["n"]), *shares)
    return table
