"""Makes commands of functions, whose signatures and docstrings are the arguments, options and help.

    def fill(domain: str, *, limit: Count = 5) -> dict[str, Any]:
        '''Make question-SQL pairs of a domain's prototypes and write them into its folder.

            querent fill plant   # an example with a comment

        Further paragraphs.

        Args:
            limit (N): How many. Default: five.
        '''

Positional parameters are arguments, the others options. The help of a parameter is in the docstring of its command, in
`_SHARED`, or in the field of that name of a dataclass of options; a parameter that is such a dataclass becomes options,
one for each field. A section other than Args is a heading in the list of options. A command that returns data has
the option ``--json``: then the data is the only line on standard output, and all text goes to standard error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, getdoc, signature
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import typer
from rich.markup import escape

import querent

from .. import rooms
from ..console import json_line, text_output

AskOptions = querent.AskOptions
ConnectOptions = querent.ConnectOptions
LlmOptions = querent.LlmOptions
Stated, stated_fields, statement_of = rooms.Stated, rooms.stated_fields, rooms.statement_of

Part = Literal["train", "dev", "test"]
Split = Literal["question", "query"]


class NumberBounds(NamedTuple):
    """The bounds of a number."""

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
    "schema": Stated(f"A script of CREATE TABLEs (.sql), a schema's .json, or: {_DATABASE}", metavar="SCHEMA"),
    "seed": Stated("Decides everything drawn at random.", least=0),
    "source": Stated(
        "Solved questions: a domain, or a .jsonl file with question and sql on each line.", metavar="DOMAIN|FILE"
    ),
    "split": Stated("What the parts share nothing of: questions, or query patterns, which is harder."),
}
"""The help of parameters that several commands have."""

_ITEM = re.compile(r"^(\w+)(?: \((.*?)\))?: (.*(?:\n .*)*)", re.MULTILINE)
_SECTION = re.compile(r"^(\S.*):\n((?:    \w+(?: \(.*?\))?: .*\n?(?:\n| {4}.*\n?)*))", re.MULTILINE)
_DEFAULT = re.compile(r"(.*) Default: (.*)\.", re.DOTALL)


@dataclass(frozen=True)
class CommandText:
    """The help of a command, from its docstring.

    Attributes:
        summary: its first paragraph.
        examples: the lines of its examples.
        epilog: the text below the list of options, as markup of rich.
        parameters: the descriptions of its parameters.
    """

    summary: str
    examples: tuple[str, ...]
    epilog: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, command: Callable[..., Any]) -> CommandText:
        """Read the docstring of a command."""
        text = f"{getdoc(command) or ''}\n"
        parameters = {
            item[1]: _described(item, None if title == "Args" else title)
            for title, body in _SECTION.findall(text)
            for item in _ITEM.finditer(dedent(body))
        }
        summary, *paragraphs = (part for part in _SECTION.sub("", text).split("\n\n") if part.strip())
        examples, more = list[str](), list[str]()
        for part in paragraphs:
            if part.startswith(("    ", "querent ")):
                (more if more else examples).extend(map(_example, part.splitlines()))
            else:
                more.append(f"[dim]{escape(' '.join(part.split()))}[/]")
        epilog = "\n\n".join(["[bold]Examples[/]", *examples, *more])
        return cls(" ".join(summary.split()), tuple(examples), epilog, parameters)


def _example(line: str) -> str:
    command, _, comment = line.strip().partition("   # ")
    return escape(command) + (f"   [dim]{escape(comment)}[/]" if comment else "")


def _described(item: re.Match[str], panel: str | None) -> Any:
    """Return the description of a parameter in a docstring, as `Stated`."""
    name, metavar, text = item[1], item[2], " ".join(item[3].split())
    found = _DEFAULT.fullmatch(text)
    help, unset = found.groups() if found else (text, None)
    flag = _SHARED[name].flag if name in _SHARED else ""
    return Stated(help, flag=flag, metavar=metavar or None, unset=unset, panel=panel)


def _statement(name: str, text: CommandText) -> Any:
    """Return the description of a parameter: that of its command, of all commands, or of the option of that name."""
    found = text.parameters.get(name) or _SHARED.get(name)
    if found is None:
        kinds: Any = (ConnectOptions, AskOptions, LlmOptions)
        found = next(statement_of(one) for kind in kinds for one in stated_fields(kind) if one.name == name)
    return found


def _parameter(one: Parameter, kind: Any, stated: Any, bounds: NumberBounds | None = None) -> Parameter:
    """Return a parameter in the form that typer needs, for a type without bounds."""
    flag = stated.flag or f"-{'-' * (len(one.name) > 1)}{one.name.strip('_').replace('_', '-')}"
    if kind is bool and one.default is True and "/" not in flag:
        flag += f"/--no-{flag.removeprefix('--')}"
    empty = one.default is False or one.default in (Parameter.empty, None, "", ())
    how: dict[str, Any] = {"help": stated.help, "metavar": stated.metavar, "show_default": stated.unset or not empty}
    if kind not in (str, str | None):  # a text has no bounds on the command line
        least, most = bounds or (stated.least, stated.most)
        how |= {"min": least, "max": most}
    if one.kind is Parameter.KEYWORD_ONLY:
        info = typer.Option(flag, rich_help_panel=stated.panel, **how)
    else:
        info = typer.Argument(**how)
    return one.replace(annotation=Annotated[kind, info])


class Failed(dict[str, Any]):
    """The data of a command that found an error, and ends with exit code 1."""


def _for_typer(command: Callable[..., Any], text: CommandText) -> Callable[..., None]:
    """Return a function with the signature that typer needs, which calls the command with its dataclasses."""
    hints, plain = get_type_hints(command, include_extras=True), get_type_hints(command)
    parts, made = list[Parameter](), dict[str, tuple[Any, list[Field[Any]]]]()
    for one in signature(command).parameters.values():
        kind, *names = get_args(hints[one.name]) or (hints[one.name],)
        if kind is typer.Context:
            parts.append(one.replace(annotation=kind))
        elif not is_dataclass(kind):
            hint = hints[one.name]
            found = [more for part in (hint, *get_args(hint)) for more in getattr(part, "__metadata__", ())]
            parts.append(_parameter(one, plain[one.name], _statement(one.name, text), *found))
        else:
            chosen = [field for field in stated_fields(kind) if not names or field.name in names]
            made[one.name] = kind, chosen
            for field in chosen:
                own = statement_of(field).kind or eval(str(field.type), vars(sys.modules[kind.__module__]))
                default = field.default if field.default not in ((), MISSING) else ("" if own is str else None)
                part = Parameter(field.name, Parameter.KEYWORD_ONLY, default=default)
                parts.append(_parameter(part, own, statement_of(field)))
    gives_data = hints["return"] is not type(None)
    if gives_data:
        part = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False)
        parts.append(_parameter(part, bool, _statement("as_json", text)))

    @wraps(command)
    def run(**given: Any) -> None:
        as_json = gives_data and given.pop("as_json")
        for name, (kind, chosen) in made.items():
            given[name] = kind(**{one.name: _read(one, given.pop(one.name)) for one in chosen})
        with text_output(as_json):
            data = command(**given)
        if as_json:
            print(json_line(data))
        if isinstance(data, Failed):
            raise typer.Exit(1)

    run.__dict__["__signature__"] = signature(command).replace(parameters=parts)
    return run


def _read(one: Field[Any], value: Any) -> Any:
    """Return the value of a field, which is a list of names for a text with commas."""
    if one.default == ():
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value or ()
    return value


def add_command(app: typer.Typer, command: Callable[..., Any], panel: str | None = None) -> None:
    """Add a function to an application under its own name."""
    text = CommandText.of(command)
    name = command.__name__.strip("_").replace("_", "-")
    app.command(name, help=text.summary, epilog=text.epilog, rich_help_panel=panel)(_for_typer(command, text))


def add_group(app: typer.Typer, name: str, help: str, commands: tuple[Callable[..., Any], ...], panel: str) -> None:
    """Add functions to an application as commands of a group, whose help has an example of each."""
    epilog = "\n\n".join(["[bold]Examples[/]", *(CommandText.of(one).examples[0] for one in commands)])
    group = typer.Typer(name=name, no_args_is_help=True, rich_markup_mode="rich", help=help, epilog=epilog)
    group.callback()(lambda: None)  # so that a group of one command is a group
    for one in commands:
        add_command(group, one)
    app.add_typer(group, rich_help_panel=panel)


def _is_given(context: typer.Context, name: str) -> bool:
    source: Any = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def connect_model(
    context: typer.Context, database: str | Path, spec: str, how: LlmOptions, opening: ConnectOptions, **more: Any
) -> querent.Connection:
    """Open a database for a language model, by default with the options that it was tuned with.

    Args:
        context: the context of the command, which knows the options of the command line.
        database: the database, as `querent.connect` takes it.
        spec: the model.
        how: the options of the model, with defaults for those that the command line lacks.
        opening: the options of the connection.
        more: further arguments of `querent.connect_llm`.

    Raises:
        QuerentError: as from `querent.load_backend` and `querent.connect_llm`.
    """
    backend = querent.load_backend(spec)
    given = {one.name: getattr(how, one.name) for one in fields(how) if _is_given(context, one.name)}
    options = replace(rooms.options_of(backend), **given)
    return querent.connect_llm(database, backend, options=options, **{**vars(opening), **more})


def refuse_idle(context: typer.Context, *, model: bool, only: Mapping[str, str] | None = None) -> None:
    """Refuse the options of the command line that would have no effect.

    Args:
        context: the context of the command.
        model: whether a language model answers, and no parser.
        only: the effect of the command's own options, see `Stated.only`.

    Raises:
        InputError: names the first of them.
    """
    kinds: Any = (AskOptions, ConnectOptions, LlmOptions)
    effects = {one.name: statement_of(one).only for kind in kinds for one in stated_fields(kind)} | {**(only or {})}
    idle = "parser" if model else "model"
    names = [name for name, effect in effects.items() if effect == idle]
    refuse_given(context, names, "leave it out" if model else "use it with --llm")


def refuse_given(context: typer.Context, names: Collection[str], hint: str) -> None:
    """Refuse the options of these names if the command line has one.

    Raises:
        InputError: names the first of them.
    """
    for one in context.command.params:
        if one.name in names and _is_given(context, one.name or ""):
            raise querent.InputError("means nothing here", field=one.opts[0], hint=hint)
