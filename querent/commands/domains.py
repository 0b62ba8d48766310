"""`querent new`, `check`, `fill`, `train`, `learn`: a domain of your own, and a parser trained on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import querent

from .. import rooms
from ..console import count_bar, finish, made_by, speaking
from .options import AsJson, AsSummary, ConnectOptions, DomainName, Level, QuestionLanguage, Split, option_of

__all__ = ["CHECK_HELP", "FILL_HELP", "LEARN_HELP", "NEW_HELP", "TRAIN_HELP", "check", "fill", "learn", "new", "train"]

NEW_HELP = """
[bold]Examples[/]

querent new library --database library.sqlite

querent new klinik --database postgresql+psycopg://reader@host/clinic --language en

[dim]Then mend prototypes/start.toml, add your own, check, fill and train: docs/your-domain.md shows it step by step.[/]
"""


def new(
    domain: Annotated[Path, typer.Argument(metavar="DOMAIN", help="The folder to write.", show_default=False)],
    *,
    database: Annotated[
        str,
        typer.Option(
            "--database",
            metavar="FILE|URL",
            help="A SQLite file, CSV, Excel or Parquet files, or a SQLAlchemy URL; only read.",
            show_default=False,
        ),
    ],
    language: Annotated[Literal["en", "zh"], typer.Option("--language", help="Language of the questions.")] = "en",
    description: Annotated[Path | None, option_of(ConnectOptions, "description")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the domain.", show_default="the folder's")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the skeleton of a domain: schema, entities, and 30 to 50 prototypes made from the tables."""
    with speaking(as_json) as console:
        made = rooms.write_skeleton(domain, database, language=language, name=name, description=description)
        console.print(f"{domain}: {made.tables} tables, {made.columns} columns, {made.prototypes} prototypes to start")
        types = ", ".join(f"{kind} {count}" for kind, count in made.types.items()) or "none found"
        console.print(f"entities by type: {types}", soft_wrap=True, highlight=False)
        console.print(f"next: edit {domain / 'prototypes' / 'start.toml'}, then querent check {domain}", soft_wrap=True)
    finish(
        {"folder": str(domain), "files": list(made.files), "entities": made.types, "prototypes": made.prototypes},
        as_json=as_json,
    )


CHECK_HELP = """
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
            report = rooms.check(read, progress=bar)
        rooms.render_check(report, console, most=0 if summary else most)
    finish(made_by() | report.summary() if summary else report.to_json(), as_json=as_json or summary)
    if report.errors:
        raise typer.Exit(1)


FILL_HELP = """
[bold]Examples[/]

querent fill library

querent fill plant

[dim]Draws values for the slots of prototypes/*.toml from the domain's database and entities and writes
examples.LANGUAGE.jsonl beside them; the same prototypes and database give the same pairs.[/]
"""


def fill(domain: DomainName, *, as_json: AsJson = False) -> None:
    """Make question-SQL pairs of a domain's prototypes and write them into its folder."""
    with speaking(as_json) as console, count_bar("filling") as bar:
        filled = rooms.fill_domain(domain, progress=bar)
        for language, pairs in filled.pairs.items():
            short = len(filled.short[language])
            less = f"; nothing more was left to ask of {short} of them" if short else ""
            console.print(f"{language}: {pairs} pairs of {filled.prototypes} prototypes{less}", highlight=False)
    finish(
        {
            "folder": str(filled.folder),
            "prototypes": filled.prototypes,
            "pairs": filled.pairs,
            "short": {language: list(ids) for language, ids in filled.short.items()},
        },
        as_json=as_json,
    )


TRAIN_HELP = """
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
    finish(_summary(folder, summary), as_json=as_json)


def _summary(folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the summary with its numbers, but without single wrong answers and groups of queries."""
    scores = {
        name: {key: value for key, value in found.items() if not isinstance(value, (dict, list))}
        for name, found in summary["scores"].items()
    }
    return {"run": str(folder), "config": summary["config"], "best": summary["best"], "scores": scores}


LEARN_HELP = """
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
        domain = rooms.solved_domain(str(file), language=language, database=database)
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
