"""`querent suite`: databases that tell a domain's gold queries from queries that are slightly wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import querent

from ..console import count_bar, finish, made_by, speaking
from .options import AsJson, AsSummary, DomainName, Language

__all__ = ["suite"]

EPILOG = """
[bold]Examples[/]

querent suite my-domain

querent suite css:../shared/data/css-yibao --out suites/yibao --databases 40

[dim]`querent evaluate` finds the suite at its usual place and reports test-suite accuracy.[/]
"""


def suite(
    domain: DomainName,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where it goes.", show_default="the domain's folder or the cache"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all chance.")] = 0,
    databases: Annotated[int, typer.Option("--databases", min=1, help="Databases kept at most.")] = 200,
    language: Language = None,
    as_json: AsJson = False,
    summary: AsSummary = False,
) -> None:
    """Make the databases on which answers are tested: each tells gold queries from mutants of theirs."""
    with speaking(as_json or summary) as console:
        read = querent.load_domain(domain, language=language)
        folder = out or querent.suite_folder(read)
        with count_bar("suite") as bar:
            made = querent.distill(read, seed=seed, databases=databases, progress=lambda _, *counts: bar(*counts))
        written = querent.save_suite(made, read, folder, seed=seed)
        if not summary:
            _show(written, folder, console)
    shown = {key: value for key, value in written.items() if key != "values"}
    shown = made_by() | _summary(shown, folder) if summary else {"folder": str(folder), **shown}
    finish(shown, as_json=as_json or summary)


def _summary(written: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what holds none of the domain's queries, and the size of the suite."""
    return written | {
        "left_out": [left["reason"] for left in written["left_out"]],
        "bytes": sum(file.stat().st_size for file in folder.iterdir()),
    }


def _show(written: dict[str, Any], folder: Path, console: Console) -> None:
    title = f"{written['domain']}: {written['queries']} gold queries, {written['databases']} databases"
    table = Table(title=title, title_justify="left")
    for head in ("mutants of kind", "mutants", "told apart", "not told apart", "share", "invalid"):
        table.add_column(head, justify="left" if head == "mutants of kind" else "right")
    for kind, row in written["figures"].items():
        counts = (row["mutants"], row["told"], row["mutants"] - row["told"])
        share = f"{row['told'] / row['mutants']:.3f}" if row["mutants"] else "–"
        table.add_row(kind, *map(str, counts), share, str(row["invalid"]))
    console.print(table)
    for left in written["left_out"]:
        console.print(f"left out: {left['sql']}: {left['reason']}", soft_wrap=True, markup=False)
    console.print(f"the suite is in {folder}", soft_wrap=True, markup=False)
