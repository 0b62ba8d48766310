"""What tables and columns hold, told from their names, types and rows: names, categories, numbers, dates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from ..database import Database
from ..errors import DatabaseError
from ..schema import Column, Schema, Table
from .deeds import Deed, deed_of
from .meanings import adds_up, meaning_of
from .naming import find_names
from .roles import Role, role_of
from .spoken import Noun, column_noun, table_noun
from .writing import quoted

__all__ = ["ColumnFacts", "TableFacts", "look"]

_ROWS = 1000
"""Rows that are looked at of each table."""
_FEW = 8
"""Different values of a column whose values are adjectives, at most."""


@dataclass(frozen=True)
class ColumnFacts:
    """A column: what it is called in SQL and in words, and what it holds.

    Attributes:
        table: the table's name, as SQL writes it.
        sql: the column's.
        meaning: of `meanings`, empty if another column of its table means the same.
        cells: of the rows looked at, without NULL.
        nulls: some rows have none.
        deed: what a date is the date of.
    """

    column: Column
    table: str
    sql: str
    noun: Noun
    role: Role
    meaning: str
    cells: tuple[Any, ...]
    nulls: bool
    deed: Deed | None = None

    def ref(self, qualified: bool = False) -> str:
        """Return the column as a query writes it."""
        return f"{self.table}.{self.sql}" if qualified else self.sql

    @property
    def kind(self) -> str:
        """Return what the column means, even where another one of its table means the same."""
        return meaning_of(self.column.name, self.column.description)

    @property
    def status(self) -> bool:
        """Are its values few words that may stand before a noun, as pending does?"""
        plain = all(isinstance(v, str) and v.replace("-", "").isalpha() and len(v) > 2 for v in self.values)
        return 1 < len(self.values) <= _FEW and plain

    @cached_property
    def values(self) -> list[Any]:
        """Return the different cells, smallest first."""
        return sorted(set(self.cells), key=lambda v: (isinstance(v, str), v))

    @property
    def sums(self) -> bool:
        """May its numbers be added up? Shares of one and limits may not."""
        shares = bool(self.values) and self.role == "number" and max(self.values) <= 1
        return adds_up(self.kind) and not shares

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

    @property
    def identity(self) -> tuple[ColumnFacts, ...]:
        """Return the columns that a list of rows shows: their names, else their key; empty if there is neither."""
        key = [c for c in map(self.column, self.table.primary_key) if c is not None and not c.ordered]
        return self.names or (tuple(key) if len(self.table.primary_key) == 1 else ())

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
    keys = {c.lower() for key in table.foreign_keys for c in key.columns}
    keys |= {table.primary_key[0].lower()} if len(table.primary_key) == 1 else set()
    columns = [
        _column(
            table,
            column,
            None if rows is None else [row[index] for row in rows],
            noun=noun,
            language=language,
            keys=keys,
        )
        for index, column in enumerate(table.columns)
    ]
    names = find_names(columns, noun, None if rows is None else len(rows))
    whole = rows is not None and database is not None and len(rows) < min(_ROWS, database.max_rows)
    unique = whole and bool(names) and _unique([[row[columns.index(n)] for n in names] for row in rows or []])
    facts = tuple(_only_meaning(column, columns) for column in columns)
    names = tuple(facts[columns.index(n)] for n in names)
    return TableFacts(table, quoted(table.name), noun, facts, names, None if rows is None else len(rows), unique)


def _column(
    table: Table, column: Column, cells: list[Any] | None, *, noun: Noun, language: str, keys: set[str]
) -> ColumnFacts:
    filled = tuple(c for c in cells or () if c is not None and c != "")
    role = role_of(column, None if cells is None else filled, column.name.lower() in keys)
    meaning = role if role in {"date", "year"} else meaning_of(column.name, column.description)
    named = role in {"text", "category"}
    said = column_noun(column.name, column.description, noun, language, named=named)
    nulls = cells is not None and len(filled) < len(cells)
    deed = deed_of(column.name, said.one, noun.one, language) if role in {"date", "year"} else None
    return ColumnFacts(column, quoted(table.name), quoted(column.name), said, role, meaning, filled, nulls, deed)


def _only_meaning(column: ColumnFacts, columns: list[ColumnFacts]) -> ColumnFacts:
    """Forget what a column means where others mean the same: «the latest loan» would not say by which date."""
    dates = [c for c in columns if c.role in {"date", "year"}]
    if column in dates:
        return replace(column, meaning=f"{column.role}s") if len(dates) > 1 else column
    alike = [c for c in columns if c.meaning == column.meaning]
    return replace(column, meaning="") if len(alike) > 1 else column


def _rows(table: Table, database: Database) -> list[tuple[Any, ...]]:
    columns = ", ".join(quoted(c.name) for c in table.columns)
    try:
        rows = database.query(f"SELECT {columns} FROM {quoted(table.name)} LIMIT {_ROWS}").rows
    except DatabaseError:  # a table of the schema that the database has not
        return []
    return [tuple(map(_cell, row)) for row in rows]


def _cell(value: Any) -> Any:
    """Return a cell as SQLite has it, and as a query can say it: servers give decimals and dates as objects."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, int | float | str | bytes) else str(value)


def _unique(rows: list[list[Any]]) -> bool:
    return len({tuple(row) for row in rows}) == len(rows)
