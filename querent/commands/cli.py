"""The command line: one application, which turns errors into lines and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import querent

from ..console import errors, one_line_errors, print_warnings
from . import databases, domains, knowledge, serving
from .ask import ask, demo
from .evaluate import evaluate
from .options import add_command, add_group
from .predict import predict
from .tune import train_retriever, tune
from .validate import validate

_RESUMING = {"train", "train-retriever", "tune", "predict"}


class _OneLineErrors(TyperGroup):
    """Prints a user's mistake as one line on standard error; a traceback means a bug."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with one_line_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            again = "; the same command goes on where it stopped" if ctx.invoked_subcommand in _RESUMING else ""
            errors().print(f"interrupted{again}")
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_OneLineErrors,
    name="querent",
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""
[bold]Start here[/]

querent demo   [dim]answers questions on two databases that ship with Querent[/]

querent ask my.sqlite "how many customers are there?"   [dim]asks a database of your own[/]

querent new my-domain --database my.sqlite   [dim]begins a domain of your own[/]

querent check my-domain   [dim]tells what is wrong with your question-SQL pairs[/]

querent train my-domain --out runs/mine   [dim]trains a parser on them[/]

querent predict questions.txt --parser runs/mine --out answers.jsonl   [dim]answers new questions[/]
""",
)

_COMMANDS = {
    "Try it": (demo, ask, serving.serve),
    "Your own database": (
        *(serving.mcp, domains.new, domains.check, databases.describe, databases.connect_check, domains.fill),
        *(domains.train, predict, evaluate, train_retriever, tune),
    ),
    "SQL of other models": (validate,),
}
for _panel, _several in _COMMANDS.items():
    for _one in _several:
        add_command(app, _one, _panel)
add_group(
    app,
    "knowledge",
    "Formulas: check and ground them, and take them from files of others.",
    (knowledge.check, knowledge.import_),
    "Your own database",
)
add_group(app, "grammar", "Give the grammar to other people's servers.", (databases.export,), "SQL of other models")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"querent {querent.__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Questions about one database into SQL that always parses and always runs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line with ``arguments``, by default those of the process."""
    print_warnings()
    app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="querent")
