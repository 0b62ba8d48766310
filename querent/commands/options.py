"""Commands from functions: the arguments, options and help of each are its signature and its docstring.

    def fill(domain: str, *, limit: Count = 5) -> dict[str, Any]:
        '''Make question-SQL pairs of a domain's prototypes and write them into its folder.

            querent fill plant   # an example with a comment

        What else is to be known, in paragraphs.

        Args:
            limit (N): How many. Default: five.
        '''

Positional parameters are arguments, the others options. What the docstring leaves out is said once for all commands,
below or by the field of that name of a dataclass of options; a parameter that is such a dataclass becomes an option for
each of its fields. A section that is not called Args is a heading of its own in the list of options. A command that
returns data gets the option ``--json``: then the data is the only line on standard output, and all text goes to
standard error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import reduce, wraps
from inspect import Parameter, getdoc, signature
from operator import or_
from pathlib import Path
from textwrap import dedent
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import typer
from rich.markup import escape

import querent

from .. import rooms
from ..console import json_line, speaking

AskOptions = querent.AskOptions
ConnectOptions = querent.ConnectOptions
LlmOptions = querent.LlmOptions
Stated, stated_fields, statement_of = rooms.Stated, rooms.stated_fields, rooms.statement_of

Part = Literal["train", "dev", "test"]
Split = Literal["question", "query"]


class NumberBounds(NamedTuple):
    """The least and the most that a number may be."""

    least: float | None = None
    most: float | None = None


Count = Annotated[int, NumberBounds(1)]

_FILES = "CSV, TSV, Excel or Parquet files"
_DATABASE = (
    f"A SQLite file; {_FILES} (one, a folder, 'exports/*.csv'); the URL of a MySQL, MariaDB or PostgreSQL server; or a "
    "shipped one (plant, shop, library)."
)
_DOMAIN = (
    "A domain folder, the name of a shipped domain (plant), or FORMAT:PATH of a public set "
    "(text2sql:…, css:…, spider:…)."
)
_SHARED = {
    "as_json": Stated("Print one JSON object as the only line on standard output.", flag="--json"),
    "base": Stated("What to start from: a shipped parser, nothing, or a saved one.", metavar="shipped|none|RUN"),
    "database": Stated(_DATABASE, metavar="DATABASE"),
    "databases": Stated(f"{_DATABASE} Several may be given; NAME=PLACE gives one a name.", metavar="DATABASE…"),
    "dialect": Stated(
        "What the queries are written in.", metavar="sqlite|mysql|postgres", unset="the database's; sqlite for a file"
    ),
    "domain": Stated(_DOMAIN, metavar="DOMAIN"),
    "llm": Stated(
        "Let a language model answer: smollm2, a folder or hub name of one that runs here, or URL#MODEL of a server "
        "with an interface like OpenAI's.",
        metavar="SPEC",
        unset="the parser answers",
        panel="A language model in the parser's place",
    ),
    "out": Stated("The run folder to write.", metavar="RUN"),
    "overrides": Stated(
        "Options by their dotted names, such as optim.lr=3e-4; they win over all others.", metavar="OPTION=VALUE"
    ),
    "question": Stated("In plain words.", metavar="QUESTION"),
    "schema": Stated(f"A script of CREATE TABLEs (.sql), a schema's .json, or: {_DATABASE}", metavar="SCHEMA"),
    "seed": Stated("Decides everything drawn at random.", least=0),
    "source": Stated(
        "Solved questions: a domain, or a .jsonl file with question and sql on each line.", metavar="DOMAIN|FILE"
    ),
    "split": Stated("What the parts share nothing of: questions, or query patterns, which is harder."),
}
"""What is said of the parameters that several commands have."""

_ITEM = re.compile(r"^(\w+)(?: \((.*?)\))?: (.*(?:\n .*)*)", re.MULTILINE)
_SECTION = re.compile(r"^(\S.*):\n((?:    \w+(?: \(.*?\))?: .*\n?(?:\n| {4}.*\n?)*))", re.MULTILINE)
_DEFAULT = re.compile(r"(.*) Default: (.*)\.", re.DOTALL)


@dataclass(frozen=True)
class CommandText:
    """What the docstring of a command says.

    Attributes:
        summary: its first paragraph.
        examples: lines with commands.
        more: what else stands below the list of options, as markup of rich.
        parameters: what is said of each.
    """

    summary: str
    examples: tuple[str, ...]
    more: tuple[str, ...]
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, command: Callable[..., Any]) -> CommandText:
        """Read the docstring of a command."""
        text = getdoc(command) or ""
        parameters = {
            name: said
            for title, body in _SECTION.findall(f"{text}\n")
            for name, said in _items(dedent(body), None if title == "Args" else title)
        }
        summary, *paragraphs = (part for part in _SECTION.sub("", f"{text}\n").split("\n\n") if part.strip())
        examples, more = list[str](), list[str]()
        for part in paragraphs:
            if not part.startswith(("    ", "querent ")):
                more.append(f"[dim]{escape(' '.join(part.split()))}[/]")
                continue
            lines = [_example(line) for line in part.splitlines()]
            (more if more else examples).extend(lines)
        return cls(" ".join(summary.split()), tuple(examples), tuple(more), parameters)

    @property
    def epilog(self) -> str:
        """Return what stands below the list of options."""
        return "\n\n".join(["[bold]Examples[/]", *self.examples, *self.more])


def _example(line: str) -> str:
    command, _, comment = line.strip().partition("   # ")
    return escape(command) + (f"   [dim]{escape(comment)}[/]" if comment else "")


def _items(body: str, panel: str | None) -> Iterator[tuple[str, Any]]:
    for name, metavar, lines in _ITEM.findall(body):
        text = " ".join(lines.split())
        found = _DEFAULT.fullmatch(text)
        flag = _SHARED[name].flag if name in _SHARED else ""
        help, unset = found.groups() if found else (text, None)
        yield name, Stated(help, flag=flag, metavar=metavar or None, unset=unset, panel=panel)


def _statement(name: str, text: CommandText) -> Any:
    """Return what is said of a parameter: by its command, for all commands, or by the options of that name."""
    found = text.parameters.get(name) or _SHARED.get(name)
    if found is None:
        kinds: Any = (ConnectOptions, AskOptions, LlmOptions)
        found = next(statement_of(one) for kind in kinds for one in stated_fields(kind) if one.name == name)
    return found


def _plain(kind: Any) -> Any:
    """Return a type without its bounds."""
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    return reduce(or_, map(_plain, get_args(kind))) if get_origin(kind) in (UnionType, Union) else kind


def _parameter(one: Parameter, kind: Any, said: Any) -> Parameter:
    """Return a parameter as typer takes it."""
    found = [one.__metadata__[0] for one in (kind, *get_args(kind)) if get_origin(one) is Annotated]
    bounds = found[0] if found else NumberBounds(said.least, said.most)
    kind = _plain(kind)
    flag = said.flag or f"-{'-' * (len(one.name) > 1)}{one.name.strip('_').replace('_', '-')}"
    if kind is bool and one.default is True and "/" not in flag:
        flag += f"/--no-{flag.removeprefix('--')}"
    empty = one.default is False or one.default in (Parameter.empty, None, "", ())
    how: dict[str, Any] = {"help": said.help, "metavar": said.metavar, "show_default": said.unset or not empty}
    if kind not in (str, str | None):  # the bounds of a text are of its length, and nothing for the command line
        how |= {"min": bounds.least, "max": bounds.most}
    if one.kind is Parameter.KEYWORD_ONLY:
        info = typer.Option(flag, rich_help_panel=said.panel, **how)
    else:
        info = typer.Argument(**how)
    return one.replace(annotation=Annotated[kind, info])


def _type_of(kind: Any, one: Field[Any]) -> Any:
    """Return the type of a field on the command line."""
    return statement_of(one).kind or eval(str(one.type), vars(sys.modules[kind.__module__]))


class Failed(dict[str, Any]):
    """The data of a command that found something wrong: the exit code is 1."""


def _for_typer(command: Callable[..., Any], text: CommandText) -> Callable[..., None]:
    """Return a function that typer reads, which calls the command with its dataclasses filled."""
    hints = get_type_hints(command, include_extras=True)
    parts, made = list[Parameter](), dict[str, tuple[Any, list[Field[Any]]]]()
    for one in signature(command).parameters.values():
        kind, *names = get_args(hints[one.name]) or (hints[one.name],)
        if kind is typer.Context:
            parts.append(one.replace(annotation=kind))
        elif not is_dataclass(kind):
            parts.append(_parameter(one, hints[one.name], _statement(one.name, text)))
        else:
            chosen = [field for field in stated_fields(kind) if not names or field.name in names]
            made[one.name] = kind, chosen
            for field in chosen:
                told = _type_of(kind, field)
                default = field.default if field.default not in ((), MISSING) else ("" if told is str else None)
                part = Parameter(field.name, Parameter.KEYWORD_ONLY, default=default)
                parts.append(_parameter(part, told, statement_of(field)))
    gives_data = hints["return"] is not type(None)
    if gives_data:
        part = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False)
        parts.append(_parameter(part, bool, _statement("as_json", text)))

    @wraps(command)
    def run(**given: Any) -> None:
        as_json = gives_data and given.pop("as_json")
        for name, (kind, chosen) in made.items():
            given[name] = kind(**{one.name: _read(one, given.pop(one.name)) for one in chosen})
        with speaking(as_json):
            data = command(**given)
        if as_json:
            print(json_line(data))
        if isinstance(data, Failed):
            raise typer.Exit(1)

    run.__dict__["__signature__"] = signature(command).replace(parameters=parts)
    return run


def _read(one: Field[Any], value: Any) -> Any:
    """Return what a field gets: a list of names where one text was given."""
    if one.default == ():
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value or ()
    return value


def add_command(app: typer.Typer, command: Callable[..., Any], panel: str | None = None) -> None:
    """Add a function to an application under its own name."""
    text = CommandText.of(command)
    name = command.__name__.strip("_").replace("_", "-")
    app.command(name, help=text.summary, epilog=text.epilog, rich_help_panel=panel)(_for_typer(command, text))


def add_group(app: typer.Typer, name: str, help: str, commands: tuple[Callable[..., Any], ...], panel: str) -> None:
    """Add functions to an application as commands of a group, whose help shows an example of each."""
    epilog = "\n\n".join(["[bold]Examples[/]", *(CommandText.of(one).examples[0] for one in commands)])
    group = typer.Typer(name=name, no_args_is_help=True, rich_markup_mode="rich", help=help, epilog=epilog)
    group.callback()(lambda: None)  # a group of one command is a group, too
    for one in commands:
        add_command(group, one)
    app.add_typer(group, rich_help_panel=panel)


def _is_given(context: typer.Context, name: str) -> bool:
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def connect_model(
    context: typer.Context, database: str | Path, spec: str, how: LlmOptions, told: ConnectOptions, **more: Any
) -> querent.Connection:
    """Open a database for a language model, asked as it was tuned where nobody said how.

    Args:
        context: of the command, which knows what was given.
        database: as `querent.connect` takes it.
        spec: of the model.
        how: the options of the command line, given or not.
        told: how the database is opened.
        more: further arguments of `querent.connect_llm`.

    Raises:
        QuerentError: as from `querent.load_backend` and `querent.connect_llm`.
    """
    backend = querent.load_backend(spec)
    given = {one.name: getattr(how, one.name) for one in fields(how) if _is_given(context, one.name)}
    options = replace(rooms.options_of(backend), **given)
    return querent.connect_llm(database, backend, options=options, **{**vars(told), **more})


def refuse_idle(context: typer.Context, *, model: bool, only: Mapping[str, str] | None = None) -> None:
    """Refuse options that somebody gave though nobody heeds them.

    Args:
        context: of the command, which knows what was given.
        model: whether a language model answers, and no parser.
        only: who heeds the command's own options, as `Stated.only` says it.

    Raises:
        InputError: says which.
    """
    heeds = {"": True, "model": model, "parser": not model}
    kinds: Any = (AskOptions, ConnectOptions, LlmOptions)
    whose = {one.name: statement_of(one).only for kind in kinds for one in stated_fields(kind)} | {**(only or {})}
    for one in context.command.params:
        if not heeds[whose.get(one.name or "", "")] and _is_given(context, one.name or ""):
            hint = "leave it out" if model else "use it with --llm"
            raise querent.InputError("means nothing here", field=one.opts[0], hint=hint)
