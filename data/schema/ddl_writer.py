"""A schema as DDL that a person reads and mends; the opposite of `ddl`."""

from __future__ import annotations

from collections.abc import Callable

from .enumerations import labels_of, name_of, quoted
from .schema import Column, Schema, Table

__all__ = ["to_ddl"]

Quote = Callable[[str], str]


def to_ddl(schema: Schema, quote: Quote) -> str:
    """Return CREATE TABLE statements with keys, descriptions as comments behind the columns.

    Enumerations that have names are created first. Types stand as the source wrote them; `ddl.from_ddl` reads the same
    tables from it.

    Args:
        quote: writes a name as the dialect wants it.
    """
    named = dict.fromkeys(column.type for _, column in schema.columns() if name_of(column.type))
    types = [f"CREATE TYPE {name_of(kind)} AS ENUM ({_labels(kind)});\n" for kind in named]
    return "\n".join([*types, *(_table(table, schema, quote) for table in schema.tables)])


def _table(table: Table, schema: Schema, quote: Quote) -> str:
    columns = [(f"    {quote(c.name)} {name_of(c.type) or c.type or 'text'}", _comment(c)) for c in table.columns]
    keys: list[str] = []
    if table.primary_key:
        keys.append(f"    PRIMARY KEY ({_names(table.primary_key, quote)})")
    keys += [f"    UNIQUE ({quote(column)})" for column in table.unique]
    for key in table.foreign_keys:
        other = schema.by_name.get(key.table)
        target = quote(key.table) if other is None else _whole(other, quote)
        target += f" ({_names(key.references, quote)})" if key.references else ""
        keys.append(f"    FOREIGN KEY ({_names(key.columns, quote)}) REFERENCES {target}")
    rows = [*columns, *((key, "") for key in keys)]
    lines = [f"{text}{',' if i < len(rows) - 1 else ''}{comment}" for i, (text, comment) in enumerate(rows)]
    head = [f"-- {_line(table.description)}"] if table.description else []
    return "\n".join([*head, f"CREATE TABLE {_whole(table, quote)} (", *lines, ");", ""])


def _whole(table: Table, quote: Quote) -> str:
    return ".".join(map(quote, table.path))


def _labels(kind: str) -> str:
    return ", ".join(map(quoted, labels_of(kind)))


def _comment(column: Column) -> str:
    return f" -- {_line(column.description)}" if column.description else ""


def _names(names: tuple[str, ...], quote: Quote) -> str:
    return ", ".join(quote(name) for name in names)


def _line(text: str) -> str:
    return " ".join(text.split())
