"""Arguments that several commands share, and options that dataclasses state: `with_options` makes one of each field."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

import querent

from .. import rooms

__all__ = [
    "AsJson",
    "AsJsonLines",
    "AsSummary",
    "AskOptions",
    "ConnectOptions",
    "DatabasePlace",
    "DatabasePlaces",
    "Dialect",
    "DomainName",
    "Level",
    "LlmOptions",
    "MaskedDatabase",
    "ModelSpec",
    "Part",
    "QuestionLanguage",
    "SchemaPlace",
    "SolvedSource",
    "Split",
    "connect_model",
    "option_of",
    "refuse_idle",
    "with_options",
]

AskOptions = querent.AskOptions
ConnectOptions = querent.ConnectOptions
LlmOptions = querent.LlmOptions
stated_fields, statement_of = rooms.stated_fields, rooms.statement_of

Part = Literal["train", "dev", "test"]
Split = Literal["question", "query"]

_SHIPPED = "shipped ones (plant, shop, library)"
_DOMAIN = (
    "A domain folder, the name of a shipped domain (plant), or FORMAT:PATH of a public set "
    "(text2sql:…, css:…, spider:…)."
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object as the only line on standard output.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object for each, on a line.")]
AsSummary = Annotated[
    bool,
    typer.Option(
        "--summary",
        help="As --json, without the domain's own texts and with the command, the machine and the versions: a result "
        "that may be shown where the domain may not.",
    ),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        metavar="sqlite|mysql|postgres",
        help="What the queries are written in.",
        show_default="the database's; sqlite for a file",
    ),
]
DomainName = Annotated[str, typer.Argument(metavar="DOMAIN", help=_DOMAIN, show_default=False)]
SolvedSource = Annotated[
    str,
    typer.Argument(
        metavar="DOMAIN|FILE",
        help="Solved questions: a domain, or a .jsonl file with question and sql on each line.",
        show_default=False,
    ),
]
MaskedDatabase = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="DB",
        help="Whose values are masked: a SQLite file, a URL, or a shipped one.",
        show_default="the domain's own",
    ),
]
DatabasePlace = Annotated[
    str,
    typer.Argument(
        metavar="DATABASE",
        help="A SQLite file; CSV, TSV, Excel or Parquet files (one, a folder, 'exports/*.csv'); the URL of a MySQL, "
        "MariaDB or PostgreSQL server; or a shipped one (plant, shop, library).",
        show_default=False,
    ),
]
DatabasePlaces = Annotated[
    list[str],
    typer.Argument(
        metavar="DATABASE…",
        help=f"SQLite files; CSV, TSV, Excel or Parquet files (sales.csv, a folder); URLs of servers; {_SHIPPED}; "
        "NAME=PLACE gives one a name.",
        show_default=False,
    ),
]
SchemaPlace = Annotated[
    str,
    typer.Argument(
        metavar="SCHEMA",
        help="A SQLite file, a script of CREATE TABLEs (.sql), a schema's .json, CSV, Excel or Parquet files, the URL "
        "of a MySQL, MariaDB or PostgreSQL server, or a shipped database (plant, shop, library).",
        show_default=False,
    ),
]
ModelSpec = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="SPEC",
        help="Let a language model answer: smollm2, a folder or hub name of one that runs here, URL#MODEL of a server "
        "with an interface like OpenAI's, or recorded:FILE, answers of before.",
        show_default="the parser answers",
        rich_help_panel="A language model in the parser's place",
    ),
]


def _type_of(kind: Any, one: Field[Any]) -> Any:
    """Return the type of a field on the command line."""
    return statement_of(one).kind or eval(str(one.type), vars(sys.modules[kind.__module__]))


def option_of(kind: Any, name: str, **more: Any) -> Any:
    """Return the option of a command that is one field of a dataclass.

    Args:
        more: what the command says otherwise, as `typer.Option` takes it.
    """
    (one,) = (one for one in stated_fields(kind) if one.name == name)
    said, text = statement_of(one), _type_of(kind, one) in (str, str | None)
    bounds = {} if text else {"min": said.least, "max": said.most}
    shown: Any = said.unset if said.unset is not None else one.default not in (None, "", ())
    how: dict[str, Any] = {
        "metavar": said.metavar,
        "help": said.help,
        "show_default": shown,
        "rich_help_panel": said.panel,
        **bounds,
    }
    flag = said.flag or f"--{name.replace('_', '-')}"
    return typer.Option(flag, **{**how, **more})


Level = Annotated[str | None, option_of(ConnectOptions, "level", show_default="runs")]
QuestionLanguage = Annotated[str | None, option_of(ConnectOptions, "language")]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of its parameters that are dataclasses.

    ``asking: Annotated[AskOptions, "beam", "tables"]`` takes two fields; without names it takes all. Where a command
    keeps ``asking: AskOptions``, its dataclass comes filled.
    """
    own = signature(command).replace(parameters=[])
    hints = get_type_hints(command, include_extras=True)
    parts, made = list[Parameter](), dict[str, tuple[Any, list[Field[Any]]]]()
    for one in signature(command).parameters.values():
        kind, *names = get_args(hints[one.name]) or (hints[one.name],)
        if not is_dataclass(kind):
            parts.append(one.replace(annotation=hints[one.name]))
            continue
        chosen = [one for one in stated_fields(kind) if not names or one.name in names]
        made[one.name] = kind, chosen
        for field in chosen:
            told = _type_of(kind, field)
            default = field.default if field.default != () else ("" if told is str else None)
            annotation = Annotated[told, option_of(kind, field.name)]
            parts.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, (kind, chosen) in made.items():
            told = {one.name: _read(one, given.pop(one.name)) for one in chosen}
            given[name] = kind(**told)
        command(**given)

    run.__dict__["__signature__"] = own.replace(parameters=parts)
    return run


def _read(one: Field[Any], value: Any) -> Any:
    """Return what a field gets: a list of names where one text was given."""
    if one.default == ():
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value or ()
    return value


def _is_given(context: typer.Context, name: str) -> bool:
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def connect_model(
    context: typer.Context, database: str | Path, spec: str, how: LlmOptions, told: ConnectOptions, **more: Any
) -> querent.Connection:
    """Open a database for a language model, asked as it was tuned where nobody said how.

    Args:
        spec: of the model.
        more: further arguments of `querent.connect_llm`.

    Raises:
        QuerentError: as from `querent.load_backend` and `querent.connect_llm`.
    """
    backend = querent.load_backend(spec)
    given = {one.name: getattr(how, one.name) for one in fields(how) if _is_given(context, one.name)}
    options = replace(rooms.options_of(backend), **given)
    return querent.connect_llm(database, backend, options=options, **{**vars(told), **more})


def refuse_idle(
    context: typer.Context, *, model: bool, parser: bool | None = None, only: Mapping[str, str] | None = None
) -> None:
    """Refuse options that somebody gave though nobody heeds them.

    Args:
        model: whether a language model answers.
        parser: whether a parser does; if None, whether no model does.
        only: who heeds the command's own options, as `Stated.only` says it; ``alone`` is a parser without a model.

    Raises:
        InputError: says which.
    """
    parser = not model if parser is None else parser
    heeds = {"": True, "model": model, "parser": parser, "alone": not model}
    kinds: Any = (AskOptions, ConnectOptions, LlmOptions)
    whose = {one.name: statement_of(one).only for kind in kinds for one in stated_fields(kind)} | {**(only or {})}
    for one in context.command.params:
        if not heeds[whose.get(one.name or "", "")] and _is_given(context, one.name or ""):
            hint = "leave it out" if model else "use it with --llm"
            raise querent.InputError("means nothing here", field=one.opts[0], hint=hint)
