"""Options that `ask`, `predict` and `evaluate` share: formulas, solved questions, a model in the parser's place."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, fields, replace
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

import querent

from .options import KnowledgeBanks

__all__ = ["PARSER_ONLY", "AskingOptions", "with_asking_options"]

PARSER_ONLY = frozenset({"parser", "beam", "evidence", "description", "feedback"})
"""Parameters of these commands that mean nothing to a language model."""

_model = partial(typer.Option, rich_help_panel="A language model in the parser's place")
_solved = partial(typer.Option, rich_help_panel="Solved questions")


@dataclass(frozen=True)
class AskingOptions:
    """Who answers, and what is known beside the database; those of `querent.LlmOptions` are called as there."""

    knowledge: KnowledgeBanks = None
    llm: Annotated[
        str | None,
        _model(
            "--llm",
            metavar="SPEC",
            help="Let a language model answer: smollm2, a folder or hub name of one that runs here, URL#MODEL of a "
            "server with an interface like OpenAI's, or recorded:FILE, answers of before.",
            show_default="the parser answers",
        ),
    ] = None
    shots: Annotated[int, _model("--shots", min=0, help="Similar solved questions to show, of --examples.")] = 2
    examples: Annotated[
        str | None,
        _solved(
            "--examples",
            metavar="DOMAIN|FILE",
            help="A domain, or a .jsonl file with question and sql on each line. Where one is like the question asked, "
            "the parser writes its query with the values asked for; a language model is shown those most alike.",
            show_default="none",
        ),
    ] = None
    retriever: Annotated[
        str | None,
        _solved(
            "--retriever",
            metavar="e5|FOLDER",
            help="The bi-encoder that finds them; `querent train-retriever` makes one of your own questions.",
            show_default="e5",
        ),
    ] = None
    program: Annotated[bool, _model("--pot", help="Let it write a program of plain steps before the query.")] = False
    schema: Annotated[
        bool,
        _model("--schema/--no-schema", help="Tell it tables and functions.", show_default="as it was tuned, else told"),
    ] = True
    corrections: Annotated[
        int, _model("--correct", min=0, help="How often to ask again after a query that fails or finds nothing.")
    ] = 3
    constrain: Annotated[
        bool | None,
        _model(
            "--constrain/--no-constrain",
            help="Mask its tokens, so that its query runs.",
            show_default="where it runs here",
        ),
    ] = None
    samples: Annotated[
        int,
        _model(
            "--samples",
            min=1,
            help="Answers a prompt; the rows that most of them have are taken, and their share is the confidence.",
        ),
    ] = 1
    prompts: Annotated[
        Path | None,
        _model(
            "--prompts",
            metavar="FOLDER",
            help="Prompt files of your own.",
            show_default="those that ship for the language",
        ),
    ] = None
    cells: Annotated[
        int,
        _model("--cells", min=0, help="Values of each text column that the model is told, at most; 0 tells it none."),
    ] = 3
    max_tokens: Annotated[
        int | None,
        _model(
            "--max-tokens",
            min=1,
            help="Of one answer; a model that reasons first may need thousands.",
            show_default="256, with --pot 512",
        ),
    ] = None
    most_tables: Annotated[
        int,
        _model(
            "--most-tables",
            min=1,
            max=12,
            help="Of a database that is too large to be told, so many of the tables likeliest to be meant.",
        ),
    ] = 5
    table_tokens: Annotated[
        int | None,
        _model(
            "--table-tokens",
            min=1,
            help="That tables may take in a prompt; where all take more, the likeliest are told.",
            show_default="what the model's context leaves",
        ),
    ] = None

    @property
    def known(self) -> dict[str, Any]:
        """Return what a parser and a language model are told alike, as `querent.connect` takes it."""
        return {"examples": self.examples, "retriever": self.retriever, "knowledge": self.knowledge or ()}

    def connect_llm(self, context: typer.Context, database: str | Path, **more: Any) -> querent.Connection:
        """Open a database for the language model, asked as it was tuned where nobody said how.

        Args:
            more: further arguments of `querent.connect_llm`.

        Raises:
            QuerentError: as from `querent.load_backend` and `querent.connect_llm`.
        """
        backend = querent.load_backend(self.llm or "")
        names = [one.name for one in fields(querent.LlmOptions)]
        options = replace(
            querent.options_of(backend), **{name: getattr(self, name) for name in names if _is_given(context, name)}
        )
        told: dict[str, Any] = {**self.known, **more}
        return querent.connect_llm(database, backend, options=options, **told)

    def refuse_others(
        self, context: typer.Context, *, llm: Set[str] = frozenset(), parser: Set[str] = PARSER_ONLY
    ) -> None:
        """Refuse options that somebody gave though they mean nothing to the one who answers.

        Args:
            llm: parameters that only a language model heeds, beside those here.
            parser: those that only a parser heeds.

        Raises:
            InputError: one was given to the other.
        """
        both = {"knowledge", "llm", "examples", "retriever"}
        models = {one.name for one in fields(self)} - both | llm
        refused = models if self.llm is None else parser
        for one in context.command.params:
            if one.name in refused and _is_given(context, one.name):
                hint = "leave it out" if self.llm else "use it with --llm"
                raise querent.InputError("means nothing here", field=one.opts[0], hint=hint)


def _is_given(context: typer.Context, name: str) -> bool:
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def with_asking_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `AskingOptions`; they come to it in its parameter ``asking``."""
    hints = get_type_hints(AskingOptions, include_extras=True)
    options = [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(AskingOptions)
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        asking = AskingOptions(**{option.name: given.pop(option.name) for option in options})
        command(**given, asking=asking)

    own = signature(command, eval_str=True)
    told = [part for one in own.parameters.values() for part in (options if one.name == "asking" else [one])]
    run.__dict__["__signature__"] = own.replace(parameters=told)
    return run
