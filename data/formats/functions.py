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
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ..databases.schema_readers import read_schema
from ..errors import DomainError, did_you_mean
from ..schema.schema import Column, Function, Schema
from .files import Record, file_in, read_text, read_toml

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
    tables: object = read_toml(file).get("function")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise DomainError("no functions", file=file, hint="begin each with [[function]]")
    text = read_text(file)
    heads = [text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"^\[\[function\]\]", text, re.MULTILINE)]
    found: dict[str, Function] = {}
    for number, table in enumerate(cast("list[dict[str, Any]]", tables)):
        entry = Record(table, file, heads[number] if number < len(heads) else 0)
        function = _function(entry)
        if function.name in found:
            raise entry.error(f"{function.name} is there twice", "name")
        found[function.name] = function
    return tuple(found.values())


def _function(entry: Record) -> Function:
    entry.known(_FIELDS)
    sql, arguments = entry.text("sql").strip(), _arguments(entry)
    names = [argument.name for argument in arguments]
    for match in _ARGUMENT.finditer(sql):
        if match[1] is not None and match[1] not in names:
            hint = did_you_mean(match[1], names) or f"arguments are {', '.join(names) or 'none'}"
            raise entry.error(f"no argument {match[1]!r}", "sql", hint)
    name, returns = _name(entry, entry.text("name"), "name"), entry.text("returns").strip()
    return Function(name.upper(), arguments, returns, sql, entry.text("description", ""))


def _arguments(entry: Record) -> tuple[Column, ...]:
    if "arguments" not in entry.data:
        raise entry.error("missing", "arguments", 'write arguments = [{ name = "year", type = "INTEGER" }]')
    made: list[Column] = []
    for one in entry.objects("arguments"):
        if {*one.data} != {"name", "type"}:
            raise entry.error(f"{one.data!r} is no argument", "arguments", "give each a name and a type")
        made.append(Column(_name(entry, one.data["name"], "arguments"), str(one.data["type"])))
    if twice := next((a.name for i, a in enumerate(made) if a.name in [b.name for b in made[:i]]), None):
        raise entry.error(f"{twice!r} is there twice", "arguments")
    return tuple(made)


def _name(entry: Record, name: object, field: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise entry.error(f"{name!r} is no name", field, "use letters, digits and _")
    return name
