"""A schema as a model reads it: CREATE TABLE, a line a column, with descriptions and a few cells as comments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...data.databases.database import Database
from ...data.errors import DatabaseError
from ...data.schema.ddl_writer import to_ddl
from ...data.schema.schema import Column, Function, Schema, Table
from ...grammar import Grammar

__all__ = ["Cells", "example_cells", "functions_text", "schema_text"]

Cells = Mapping[tuple[str, str], Sequence[str]]
"""A few values of columns, by the names of table and column."""

_LONGEST = 30
"""Characters of a cell that is told; names and codes are shorter, prose is longer."""


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


def example_cells(schema: Schema, database: Database, most: int = 3) -> Cells:
    """Return the first different short texts of each column, which tell a model how values are written.

    A column that cannot be read within the database's time limit has none.

    Args:
        most: cells of a column.
    """
    found = {
        (table.name, column.name): _cells(database, table, column.name, most) for table, column in schema.columns()
    }
    return {place: cells for place, cells in found.items() if cells}


def _cells(database: Database, table: Table, column: str, most: int) -> tuple[str, ...]:
    try:
        cells = database.distinct(table, column, limit=2 * most)
    except DatabaseError:
        return ()
    texts = [" ".join(cell.split()) for cell in cells if isinstance(cell, str)]
    return tuple(text for text in texts if 0 < len(text) <= _LONGEST)[:most]
