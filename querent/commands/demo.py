"""`querent demo`: train on the domain that ships with the package, then answer its example questions."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

from ..console import speaking
from ..saved_runs import load_parser

__all__ = ["OPTIONS", "demo", "demo_folder"]

EPILOG = """
[bold]Examples[/]

querent demo

querent demo --language zh --out runs/demo
"""

OPTIONS = (
    *("model.encoder=scratch", "device=cpu", "threads=1", "optim.precision=auto", "optim.epochs=45"),
    *("data.longest=24", "classifiers.epochs=12", "ner.epochs=12", "eval.every=200", "eval.train_examples=100"),
)
"""What the demo trains with: no download, no GPU, the shortest queries alone, and one thread, since two wait for each
other on a busy machine."""

_SHOWN = 5  # rows of a result


def demo(
    *,
    language: Annotated[Literal["en", "zh"], typer.Option("--language", help="Language of the questions.")] = "en",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="RUN", help="The run folder.", show_default="a folder of your cache"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Train again, removing the earlier demo run.")] = False,
) -> None:
    """Train on the shipped refinery database in minutes, then ask it its example questions."""
    folder = out or demo_folder(language)
    with speaking(False) as console:
        if fresh:
            _remove(folder)
        domain = querent.load_domain("plant", language=language)
        options = querent.TrainConfig.load(None, [*OPTIONS, f"data.language={language}"])
        querent.train(options, domain, folder, console=console)
        console.print(f"the demo's run is {folder}; `querent demo --fresh` trains it again", soft_wrap=True)
        answer_examples(folder, domain, console)


def demo_folder(language: str) -> Path:
    """Return where the demo's run of this version is kept between two calls."""
    return querent.cache_folder() / f"demo-{language}-{querent.__version__}"


def answer_examples(folder: Path, domain: querent.Domain, console: Console) -> None:
    """Answer the domain's example questions and print question, query and rows."""
    with as_file(files("querent.data.plant") / f"demo.{domain.language}.txt") as file:
        questions = [question.text for question in querent.read_questions(file)]
    answers = load_parser(folder, device="cpu")(questions)
    table = Table(title="Example questions", title_justify="left", show_lines=True)
    for head, ratio in (("question", 3), ("SQL", 5), ("rows", 3)):
        table.add_column(head, ratio=ratio, overflow="fold")
    if domain.database is None:
        raise querent.InputError("the shipped domain has no database", file=domain.source)
    with querent.Database.open(domain.database) as database:
        for question, answer in zip(questions, answers, strict=True):
            table.add_row(Text(question), Text(answer.sql), Text(_rows(database, answer.sql)))
    console.print(table)


def _rows(database: querent.Database, sql: str) -> str:
    try:
        found = database.query(sql)
    except querent.DatabaseError as error:
        return f"error: {error.problem}"
    lines = [" | ".join(_cell(value) for value in row) for row in found.rows[:_SHOWN]]
    if len(found.rows) > _SHOWN:
        lines.append(f"… {len(found.rows)}{'+' if found.truncated else ''} rows")
    return "\n".join(lines) or "no rows"


def _cell(value: Any) -> str:
    return "NULL" if value is None else str(value)


def _remove(folder: Path) -> None:
    """Remove an earlier run, and nothing that is not one."""
    if (folder / "config.yaml").exists() and (folder / "stages").is_dir():
        shutil.rmtree(folder)
