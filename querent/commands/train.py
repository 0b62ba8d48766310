"""`querent train`: a domain in, a run folder with a parser and a report out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import querent

from ..console import finish, speaking
from .options import AsJson, DomainName, Level, QuestionLanguage, Split

__all__ = ["train"]

EPILOG = """
[bold]Examples[/]

querent train plant --out runs/plant

querent train my-domain --out runs/mine --base none optim.epochs=40

querent train text2sql:../shared/data/text2sql/geography --split query --seed 0 --out runs/geo

querent train css:../shared/data/css-yibao --out runs/css --config options.yaml constraint.global=hard

[dim]A run that was killed goes on where it stopped when the same command is given again.[/]
"""


def train(
    domain: DomainName,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OPTION=VALUE",
            help="Options by their dotted names, such as optim.lr=3e-4; they win over --config.",
            show_default=False,
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="The run folder to write.", show_default=False)],
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE.yaml", help="Options from a file.", show_default=False)
    ] = None,
    split: Annotated[
        Split | None,
        typer.Option(
            "--split",
            help="What the parts share nothing of: questions, or query patterns, which is harder.",
            show_default="question",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Decides everything drawn at random.", show_default="0")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="shipped|none|RUN",
            help="What to start from: a shipped parser, nothing, or a saved one.",
            show_default="shipped",
        ),
    ] = None,
    language: QuestionLanguage = None,
    level: Level = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on with the run that --out holds, or refuse to.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Train a parser on a domain, from the shipped one on, score it, and write a report."""
    flags = {"data.split": split, "seed": seed, "model.base": base, "data.language": language}
    flags["constraint.level"] = level
    given = [f"{name}={value}" for name, value in flags.items() if value is not None]
    with speaking(as_json) as console:
        options = querent.TrainConfig.load(config, [*given, *(overrides or [])])
        read = querent.load_domain(domain, language=options.data.language)
        folder = querent.train(options, read, out, resume=resume, console=console)
        console.print(f"parser {folder / 'best'}, report {folder / 'report.md'}", soft_wrap=True)
        summary = querent.RunFolder(folder).summary()
    finish(_told(folder, summary), as_json=as_json)


def _told(folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the summary with its numbers, but without single wrong answers and groups of queries."""
    scores = {
        name: {key: value for key, value in found.items() if not isinstance(value, (dict, list))}
        for name, found in summary["scores"].items()
    }
    return {"run": str(folder), "config": summary["config"], "best": summary["best"], "scores": scores}
