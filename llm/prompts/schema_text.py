"""A schema as a model reads it: CREATE TABLE, a line a column, with descriptions and a few cells as comments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...data.schema.ddl_writer import to_ddl
from ...data.schema.schema import Column, Function, Schema, Table
from ...grammar import Grammar

__all__ = ["Cells", "functions_text", "schema_text"]

Cells = Mapping[tuple[str, str], Sequence[str]]
"""A few values of columns, by the names of table and column."""


def schema_text(schema: Schema, dialect: str, cells: Cells | None = None) -> str:
    """Return the tables of a schema.

    Args:
        dialect: says which names need quotes.
        cells: values that are told beside their columns.
    """
    write = Grammar.for_schema(schema, dialect=dialect).quoting.write
    told = replace(schema, tables=tuple(_with_cells(table, cells or {}) for table in schema.tables))
    return re.sub(r"\n\s*", "\n", to_ddl(told, write)).strip()


def functions_text(schema: Schema) -> str:
    """Return the functions of a schema, one a line: name, arguments, what it returns, what it is."""
    return "\n".join(_function(function) for function in schema.functions)


def _with_cells(table: Table, cells: Cells) -> Table:
    return replace(table, columns=tuple(_with(c, cells.get((table.name, c.name), ())) for c in table.columns))


def _with(column: Column, cells: Sequence[str]) -> Column:
    if not cells:
        return column
    shown = "e.g. " + ", ".join(_quoted(cell) for cell in cells)
    return replace(column, description=f"{column.description}; {shown}" if column.description else shown)


def _quoted(cell: str) -> str:
    doubled = cell.replace("'", "''")
    return f"'{doubled}'"


def _function(function: Function) -> str:
    arguments = ", ".join(f"{a.name} {a.type}" for a in function.arguments)
    told = f"{function.name}({arguments}) -> {function.returns}"
    return f"{told}: {' '.join(function.description.split())}" if function.description else told
