"""What tables and columns hold, told from their names, types and rows: names, categories, numbers, dates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..database import Database
from ..errors import DatabaseError
from ..schema import Column, Schema, Table
from .meanings import meaning_of
from .naming import find_names
from .roles import Role, role_of
from .spoken import Noun, column_noun, table_noun
from .writing import quoted

__all__ = ["ColumnFacts", "TableFacts", "look"]

_ROWS = 1000
"""Rows that are looked at of each table."""


@dataclass(frozen=True)
class ColumnFacts:
    """A column: what it is called in SQL and in words, and what it holds.

    Attributes:
        table: the table's name, as SQL writes it.
        sql: the column's.
        meaning: of `meanings`, empty if another column of its table means the same.
        cells: of the rows looked at, without NULL.
        nulls: some rows have none.
    """

    column: Column
    table: str
    sql: str
    noun: Noun
    role: Role
    meaning: str
    cells: tuple[Any, ...]
    nulls: bool

    def ref(self, qualified: bool = False) -> str:
        """Return the column as a query writes it."""
        return f"{self.table}.{self.sql}" if qualified else self.sql

    @property
    def kind(self) -> str:
        """Return what the column means, even where another one of its table means the same."""
        return meaning_of(self.column.name, self.column.description)

    @cached_property
    def values(self) -> list[Any]:
        """Return the different cells, smallest first."""
        return sorted(set(self.cells), key=lambda v: (isinstance(v, str), v))

    @property
    def ordered(self) -> bool:
        """Can rows be compared by it?"""
        return self.role in {"number", "date", "year"}


@dataclass(frozen=True)
class TableFacts:
    """A table; ``names`` are the columns that say which row is meant, ``rows`` those looked at, None for not any."""

    table: Table
    sql: str
    noun: Noun
    columns: tuple[ColumnFacts, ...]
    names: tuple[ColumnFacts, ...]
    rows: int | None
    unique_names: bool

    def having(self, *roles: Role) -> list[ColumnFacts]:
        """Return the columns of these roles that are no name."""
        return [c for c in self.columns if c.role in roles and c not in self.names]

    def column(self, name: str) -> ColumnFacts | None:
        """Return a column by its name, whatever its case."""
        return next((c for c in self.columns if c.column.name.lower() == name.lower()), None)


def look(schema: Schema, database: Database | None, language: str) -> list[TableFacts]:
    """Return the tables that have rows, or all of them if there is no database to look into."""
    found = [_table(table, database, language) for table in schema.tables]
    return [table for table in found if table.columns and table.rows != 0]


def _table(table: Table, database: Database | None, language: str) -> TableFacts:
    rows = None if database is None else _rows(table, database)
    noun = table_noun(table.name, table.description, language)
    foreign = {c.lower() for key in table.foreign_keys for c in key.columns}
    primary = {table.primary_key[0].lower()} if len(table.primary_key) == 1 else set[str]()
    meanings = [meaning_of(c.name, c.description) for c in table.columns]
    columns: list[ColumnFacts] = []
    for index, column in enumerate(table.columns):
        cells = None if rows is None else [row[index] for row in rows]
        filled = tuple(c for c in cells or () if c is not None and c != "")
        role = role_of(column, None if cells is None else filled, column.name.lower() in primary | foreign)
        meaning = role if role in {"date", "year"} else meanings[index]
        meaning = meaning if meanings.count(meanings[index]) == 1 or role in {"date", "year"} else ""
        named = role in {"text", "category"}
        said = column_noun(column.name, column.description, noun, language, named=named)
        nulls = cells is not None and len(filled) < len(cells)
        columns.append(ColumnFacts(column, quoted(table.name), quoted(column.name), said, role, meaning, filled, nulls))
    facts = _only_meanings(columns)
    names = find_names(facts, noun, None if rows is None else len(rows))
    unique = rows is not None and _unique([[row[columns.index(n)] for n in names] for row in rows]) if names else False
    return TableFacts(table, quoted(table.name), noun, facts, names, None if rows is None else len(rows), unique)


def _only_meanings(columns: list[ColumnFacts]) -> tuple[ColumnFacts, ...]:
    """Forget which column is the date where there are several: «the latest loan» would say neither."""
    dated = [c for c in columns if c.role in {"date", "year"}]
    if len(dated) > 1:
        for column in dated:
            object.__setattr__(column, "meaning", f"{column.role}s")
    return tuple(columns)


def _rows(table: Table, database: Database) -> list[tuple[Any, ...]]:
    columns = ", ".join(quoted(c.name) for c in table.columns)
    try:
        return database.query(f"SELECT {columns} FROM {quoted(table.name)} LIMIT {_ROWS}").rows
    except DatabaseError:  # a table of the schema that the database has not
        return []


def _unique(rows: list[list[Any]]) -> bool:
    return len({tuple(row) for row in rows}) == len(rows)
