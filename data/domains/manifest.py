"""The front page of a domain folder, ``domain.toml``, and the functions that its queries may call.

    [[function]]
    name = "AGE_IN"
    arguments = [{ name = "person", type = "TEXT" }, { name = "year", type = "INTEGER" }]
    returns = "INTEGER"
    description = "how old somebody was in a year"
    sql = ":year - (SELECT birth FROM authors WHERE name = :person)"

``sql`` is one expression with ``:name`` where an argument stands. It may hold subqueries, WITH RECURSIVE in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from glob import has_magic
from pathlib import Path

from ..databases.schema_readers import read_schema
from ..errors import DomainError, did_you_mean
from ..files.database_of_files import database_of_files, table_files
from ..languages import LANGUAGES
from ..records import Record, file_in, read_toml, tables_in
from ..schema.schema import Column, Function, Schema
from ..shipped import DATABASES, shipped_database
from .domain import DIALECTS, GROUPINGS
from .slot_rules import Rule, parsed_rule

FILE = "functions.toml"
"""Where functions stand in a domain folder."""

_FIELDS = ("name", "arguments", "returns", "description", "sql")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_ARGUMENT = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|:([A-Za-z_][A-Za-z_0-9]*)""")


def schema_in(folder: Path, dialect: str) -> Schema:
    """Return the schema of a domain folder: ``schema.sql``, with the functions of ``functions.toml`` if it is there.

    Raises:
        SchemaError: ``schema.sql`` cannot be read.
        DomainError: it is missing, or ``functions.toml`` is wrong.
    """
    schema, file = read_schema(file_in(folder, "schema.sql"), dialect), folder / FILE
    return replace(schema, functions=read_functions(file)) if file.is_file() else schema


def read_functions(file: Path) -> tuple[Function, ...]:
    """Return the functions of a file, in order.

    Raises:
        DomainError: it is no TOML, a field is missing, unknown or wrong, or a name comes twice.
    """
    found: dict[str, Function] = {}
    for entry in tables_in(file, "function"):
        function = _function(entry)
        if function.name in found:
            raise entry.error(f"{function.name} is there twice", "name")
        found[function.name] = function
    return tuple(found.values())


def _function(entry: Record) -> Function:
    entry.known(_FIELDS)
    sql, arguments = entry.text("sql").strip(), _arguments(entry)
    for match in _ARGUMENT.finditer(sql):
        if match[1] is not None:
            entry.choice("sql", [argument.name for argument in arguments], match[1], "argument")
    name, returns = _name(entry, entry.text("name"), "name"), entry.text("returns").strip()
    return Function(name.upper(), arguments, returns, sql, entry.text("description", ""))


def _arguments(entry: Record) -> tuple[Column, ...]:
    if "arguments" not in entry.data:
        raise entry.error("missing", "arguments", 'write arguments = [{ name = "year", type = "INTEGER" }]')
    made: dict[str, Column] = {}
    for one in entry.objects("arguments"):
        if {*one.data} != {"name", "type"}:
            raise entry.error(f"{one.data!r} is no argument", "arguments", "give each a name and a type")
        name = _name(entry, one.data["name"], "arguments")
        if name in made:
            raise entry.error(f"{name!r} is there twice", "arguments")
        made[name] = Column(name, str(one.data["type"]))
    return tuple(made.values())


def _name(entry: Record, name: object, field: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise entry.error(f"{name!r} is no name", field, "use letters, digits and _")
    return name


_KEYS = (*("name", "language", "languages", "dialect", "grouping"), *("database", "now", "instances", "fill"))
_MAX_INSTANCES = 1000


@dataclass(frozen=True)
class Manifest:
    """The content of ``domain.toml``.

    ``name``, ``language`` and ``dialect`` are due; ``languages`` where there are several, ``database`` (a file or
    pattern of files, relative to the folder, a URL, or the name of a shipped one) to run queries on.

    Attributes:
        now: the moment that «yesterday» is seen from; None where questions name no such times.
        instances: pairs that each prototype is filled to.
        fills: the ``[fill]`` table: ways to fill slots that prototypes name.
        grouping: whether the server lets columns stand beside aggregates without GROUP BY; see `Domain`.
        shipped: whether it is of a domain that comes with Querent, whose database has its name.
    """

    file: Path
    name: str
    dialect: str
    languages: tuple[str, ...]
    record: Record
    now: datetime | None = None
    instances: int = 5
    fills: Mapping[str, Rule] = field(default_factory=dict[str, Rule])
    grouping: str = "strict"
    shipped: bool = False

    @classmethod
    def read(cls, file: Path, *, shipped: bool) -> Manifest:
        """Read and check the file.

        Raises:
            DomainError: it is no TOML, or a field is unknown, missing or wrong.
        """
        record = Record(read_toml(file), file)
        record.known(_KEYS)
        dialect = record.choice("dialect", DIALECTS, record.text("dialect"))
        language = record.choice("language", LANGUAGES, record.text("language"))
        languages = record.texts("languages", record.data.get("languages", [language]))
        if language not in languages:
            hint = f"list all of them, {language!r} included"
            raise record.error("not a list with the domain's language", "languages", hint)
        grouping = record.choice("grouping", tuple(GROUPINGS), record.text("grouping", "strict"))
        if grouping == "loose" and dialect != "mysql":
            raise record.error(f"{dialect} has no loose grouping", "grouping", "leave it out; only mysql can be loose")
        return cls(
            file=file,
            name=record.text("name"),
            dialect=dialect,
            languages=tuple(dict.fromkeys([language, *(record.choice("languages", LANGUAGES, x) for x in languages)])),
            record=record,
            now=record.moment("now"),
            instances=record.whole("instances", 1, _MAX_INSTANCES, 5),
            fills={
                name: parsed_rule(record, name, value)
                for name, value in record.table("fill", "write [fill] and below it a line for each name").items()
            },
            grouping=grouping,
            shipped=shipped,
        )

    def pick(self, language: str | None) -> str:
        """Return ``language`` if the domain has it, its default for None.

        Raises:
            DomainError: it has not.
        """
        if language not in (None, *self.languages):
            hint = f"use {' or '.join(map(repr, self.languages))}"
            raise DomainError(f"no questions in {language!r}", file=self.file, field="language", hint=hint)
        return language or self.languages[0]

    def database(self) -> str | None:
        """Return path or URL of the database; one that ships, or is read from files of tables, is in the cache by now.

        Raises:
            DomainError: there is no such file.
        """
        if self.shipped:
            return str(shipped_database(self.name))
        if "database" not in self.record.data:
            return None
        text = self.record.text("database")
        if "://" in text:
            return text
        path = self.file.parent / text
        if text in DATABASES and not path.exists():
            return str(shipped_database(text))
        if (path.exists() or has_magic(text)) and (files := table_files(str(path))) is not None:
            return str(database_of_files(files))
        if not path.is_file():
            hint = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else None
            raise self.record.error(f"no such file as {str(path)!r}", "database", hint)
        return str(path)
