"""`querent new`, `check`, `fill` and `train`: make a domain, and train a parser on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import querent

from .. import rooms
from ..console import made_by, output, progress_bar
from .options import Failed, Split


def new(
    domain: Path, *, database: str, language: Literal["en", "zh"] = "en", description: Path | None = None
) -> dict[str, Any]:
    """Write the skeleton of a domain: schema, entities, and 30 to 50 prototypes made from the tables.

        querent new library --database library.sqlite
        querent new klinik --database postgresql+psycopg://reader@host/clinic --language en

    Then edit prototypes/start.toml, add your own, check, fill and train: docs/your-domain.md shows each step.

    Args:
        domain (DOMAIN): The folder to write.
        language: Language of the questions.
    """
    made, console = rooms.write_skeleton(domain, database, language=language, description=description), output()
    console.print(f"{domain}: {made.tables} tables, {made.columns} columns, {made.prototypes} prototypes to start")
    types = ", ".join(f"{kind} {count}" for kind, count in made.types.items()) or "none found"
    console.print(f"entities by type: {types}", soft_wrap=True, highlight=False)
    console.print(f"next: edit {domain / 'prototypes' / 'start.toml'}, then querent check {domain}", soft_wrap=True)
    return {"folder": str(domain), "files": [*made.files], "entities": made.types, "prototypes": made.prototypes}


def check(domain: str, *, language: str | None = None, summary: bool = False) -> dict[str, Any]:
    """Report what a domain contains and what is wrong with it; changes nothing.

        querent check my-domain
        querent check plant --language zh
        querent check spider:data/spider --json
        querent check css:data/css --summary --json

    It lists gold queries outside of the grammar (file, line, the word where it stopped), gold queries that break a
    rule of the constraint (a warning: no parser will write them), queries that do not run, questions with different
    queries, and what the parts of a split share. For prototypes it lists wrong ones, repeated ones, ones without an
    answer, and ones newer than the pairs. Exit code 1: there are errors.

    Args:
        summary: With --json, leave out the texts of the domain, and add the command, the machine and the versions: a
            result that may be published if the domain may not.
    """
    read = querent.load_domain(domain, language=language)
    with progress_bar("gold queries") as bar:
        report = rooms.check(read, progress=bar)
    rooms.render_check(report, output(), most=0 if summary else 20)
    data = made_by() | report.summary() if summary else report.to_json()
    return Failed(data) if report.errors else data


def fill(domain: str) -> dict[str, Any]:
    """Make question-SQL pairs from the prototypes of a domain, and write them into its folder.

        querent fill library
        querent fill plant

    It draws values for the slots of prototypes/*.toml from the database and the entities of the domain, and writes
    examples.LANGUAGE.jsonl. The same prototypes and database always give the same pairs.
    """
    with progress_bar("filling") as bar:
        filled = rooms.fill_domain(domain, progress=bar)
    for language, pairs in filled.pairs.items():
        short = len(filled.short[language])
        less = f"; nothing more was left to ask of {short} of them" if short else ""
        output().print(f"{language}: {pairs} pairs of {filled.prototypes} prototypes{less}", highlight=False)
    return {**vars(filled), "folder": str(filled.folder)}


def train(
    domain: str,
    overrides: list[str] | None = None,
    *,
    out: Path,
    database: str | None = None,
    config: Path | None = None,
    split: Split | None = None,
    seed: int | None = None,
    base: str | None = None,
    language: str | None = None,
) -> dict[str, Any]:
    """Train a parser on a domain or on solved questions, starting from the shipped one; score it; write a report.

        querent train plant --out runs/plant
        querent train my-domain --out runs/mine --base none optim.epochs=40
        querent train text2sql:../shared/data/text2sql/geography --split query --seed 0 --out runs/geo
        querent train css:../shared/data/css-yibao --out runs/css --config options.yaml constraint.global=hard
        querent train feedback.jsonl --database my.sqlite --out runs/mine   # on feedback

    Without training, --feedback already applies a verdict to similar questions. Training changes how all questions
    are read; it pays with some dozens of solved questions or more. Every fifth of them is kept apart as dev part.

    If a run is killed, the same command resumes it.

    Args:
        domain (DOMAIN|FILE): A domain folder, the name of a shipped domain (plant), FORMAT:PATH of a public set
            (text2sql:…, css:…, spider:…), or a .jsonl file of --feedback, or of question and sql on each line.
        database (DB): The database of the questions in a .jsonl file. Default: that of the domain.
        config (FILE.yaml): Options from a file.
    """
    flags = {"data.split": split, "seed": seed, "model.base": base, "data.language": language}
    given = [f"{name}={value}" for name, value in flags.items() if value is not None]
    options = querent.TrainConfig.load(config, [*given, *(overrides or [])])
    if domain.endswith(".jsonl"):
        read = _split(rooms.solved_domain(domain, language=options.data.language, database=database), domain)
    else:
        read = querent.load_domain(domain, language=options.data.language)
    folder, console = querent.train(options, read, out, console=output()), output()
    console.print(f"parser {folder / 'best'}, report {folder / 'report.md'}", soft_wrap=True)
    return _summary(folder, querent.RunFolder(folder).summary())


_FEWEST = 10
_EVERY = 5


def _split(domain: rooms.Domain, file: str) -> rooms.Domain:
    """Return solved questions with every fifth in the part dev, and the others in train."""
    count = len(domain.examples)
    if count < _FEWEST:
        hint = f"from {_FEWEST} on; --feedback learns from each of them at once"
        raise querent.InputError(f"{count} solved questions are too few to train on", file=file, hint=hint)
    parts = ["dev" if place % _EVERY == 0 else "train" for place in range(count)]
    marked = (replace(one, question_split=part) for one, part in zip(domain.examples, parts, strict=True))
    return replace(domain, examples=tuple(marked))


def _summary(folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the summary of a run without single answers and groups of queries."""
    scores = {
        name: {key: value for key, value in found.items() if not isinstance(value, (dict, list))}
        for name, found in summary["scores"].items()
    }
    return {"run": str(folder), "config": summary["config"], "best": summary["best"], "scores": scores}
