"""``functions.toml`` of a domain folder: functions that its queries may call besides the engine's own.

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
from pathlib import Path
from typing import Any, cast

from ..databases.schema_readers import read_schema
from ..errors import DomainError, did_you_mean
from ..schema.schema import Column, Function, Schema
from ..texts import UnreadableError, toml_of
from .files import file_in, read_text

__all__ = ["FILE", "read_functions", "schema_in"]

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
    text = read_text(file)
    try:
        tables: object = toml_of(text).get("function")
    except UnreadableError as error:
        raise DomainError(error.problem, file=file, line=error.line) from error
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise DomainError("no functions", file=file, hint="begin each with [[function]]")
    heads = [text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"^\[\[function\]\]", text, re.MULTILINE)]
    found: dict[str, Function] = {}
    for number, table in enumerate(cast("list[dict[str, Any]]", tables)):
        entry = _FunctionEntry(table, file, heads[number] if number < len(heads) else None)
        function = entry.function()
        if function.name in found:
            raise entry.error(f"{function.name} is there twice", "name")
        found[function.name] = function
    return tuple(found.values())


@dataclass(frozen=True)
class _FunctionEntry:
    """One table of the file; ``line`` is that of its head."""

    table: Mapping[str, Any] = field(repr=False)
    file: Path
    line: int | None

    def error(self, problem: str, field: str, hint: str | None = None) -> DomainError:
        return DomainError(problem, file=self.file, line=self.line, field=field, hint=hint)

    def function(self) -> Function:
        for key in self.table:
            if key not in _FIELDS:
                raise self.error("unknown field", key, did_you_mean(key, _FIELDS) or f"fields are {', '.join(_FIELDS)}")
        sql, arguments = self._text("sql"), self._arguments()
        names = [argument.name for argument in arguments]
        for match in _ARGUMENT.finditer(sql):
            if match[1] is not None and match[1] not in names:
                hint = did_you_mean(match[1], names) or f"arguments are {', '.join(names) or 'none'}"
                raise self.error(f"no argument {match[1]!r}", "sql", hint)
        description = self._text("description") if "description" in self.table else ""
        return Function(self._name(self.table, "name").upper(), arguments, self._text("returns"), sql, description)

    def _arguments(self) -> tuple[Column, ...]:
        given: object = self.table.get("arguments")
        if not isinstance(given, list) or not all(isinstance(argument, dict) for argument in given):
            hint = 'write arguments = [{ name = "year", type = "INTEGER" }]'
            raise self.error("missing" if given is None else "not a list of tables", "arguments", hint)
        made: list[Column] = []
        for table in cast("list[dict[str, Any]]", given):
            if table.keys() != {"name", "type"}:
                raise self.error(f"{table!r} is no argument", "arguments", "give each a name and a type")
            made.append(Column(self._name(table, "arguments"), str(table["type"])))
        if twice := next((a.name for i, a in enumerate(made) if a.name in [b.name for b in made[:i]]), None):
            raise self.error(f"{twice!r} is there twice", "arguments")
        return tuple(made)

    def _name(self, table: Mapping[str, Any], field: str) -> str:
        name: object = table.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            hint = "use letters, digits and _"
            raise self.error("missing" if name is None else f"{name!r} is no name", field, hint)
        return name

    def _text(self, field: str) -> str:
        value: object = self.table.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.error("missing" if value is None else "not a text with something in it", field)
        return value.strip()
