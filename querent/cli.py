"""The command line: one application, and the one place where errors become lines and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import querent

from .commands import (
    ask,
    check,
    connect_check,
    demo,
    describe,
    evaluate,
    fill,
    grammar,
    knowledge,
    learn,
    mcp,
    new,
    predict,
    retrieve,
    serve,
    train,
    train_retriever,
    tune,
    validate,
)
from .console import errors, one_line_errors, tell_warnings

__all__ = ["app", "main"]

_RESUMING = {"train", "learn", "train-retriever", "tune", "predict"}


class _Careful(TyperGroup):
    """Turns what a user can cause into one line on standard error; a traceback means a bug."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with one_line_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            again = "; the same command goes on where it stopped" if ctx.invoked_subcommand in _RESUMING else ""
            errors().print(f"interrupted{again}")
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Careful,
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

_TRY, _WORK, _OTHERS = "Try it", "Your own database", "SQL of other models"
app.command(epilog=demo.EPILOG, rich_help_panel=_TRY)(demo.demo)
app.command(epilog=ask.EPILOG, rich_help_panel=_TRY)(ask.ask)
app.command(epilog=mcp.EPILOG, rich_help_panel=_WORK)(mcp.mcp)
app.command(epilog=serve.EPILOG, rich_help_panel=_TRY)(serve.serve)
app.command(epilog=new.EPILOG, rich_help_panel=_WORK)(new.new)
app.command(epilog=check.EPILOG, rich_help_panel=_WORK)(check.check)
app.command(epilog=describe.EPILOG, rich_help_panel=_WORK)(describe.describe)
app.command(epilog=connect_check.EPILOG, rich_help_panel=_WORK)(connect_check.connect_check)
app.command(epilog=fill.EPILOG, rich_help_panel=_WORK)(fill.fill)
app.command(epilog=train.EPILOG, rich_help_panel=_WORK)(train.train)
app.command(epilog=predict.EPILOG, rich_help_panel=_WORK)(predict.predict)
app.command(epilog=evaluate.EPILOG, rich_help_panel=_WORK)(evaluate.evaluate)
app.command(epilog=retrieve.EPILOG, rich_help_panel=_WORK)(retrieve.retrieve)
app.add_typer(knowledge.app, rich_help_panel=_WORK)
app.command(epilog=learn.EPILOG, rich_help_panel=_WORK)(learn.learn)
app.command(epilog=train_retriever.EPILOG, rich_help_panel=_WORK)(train_retriever.train_retriever)
app.command(epilog=tune.EPILOG, rich_help_panel=_WORK)(tune.tune)
app.command(epilog=validate.EPILOG, rich_help_panel=_OTHERS)(validate.validate)
app.add_typer(grammar.app, rich_help_panel=_OTHERS)


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
    """Run the command line; ``arguments`` default to the process's own."""
    tell_warnings()
    app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="querent")
