"""Facts of tables and columns, told from their names, types and rows: names, categories, numbers, dates."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ...data.databases.database import Database
from ...data.databases.sqlite_session import quoted
from ...data.errors import DatabaseError
from ...data.schema.events import event_of
from ...data.schema.schema import Column, Schema, Table
from ...meaning.profile import ColumnProfile, DatabaseProfile, NumberText
from .facts import ColumnFacts, TableFacts
from .moments import with_days
from .naming import find_names
from .roles import role_of
from .verbalisation import Noun, column_noun, table_noun

_ROWS = 1000
"""Rows that are looked at of each table."""


def profile(schema: Schema, database: Database | None, language: str, known: DatabaseProfile) -> list[TableFacts]:
    """Return the tables that have rows, or all of them if there is no database to look into."""
    found = [_table(table, database, language, known) for table in schema.tables]
    return [table for table in found if table.columns and table.rows != 0]


def _table(table: Table, database: Database | None, language: str, known: DatabaseProfile) -> TableFacts:
    rows = None if database is None else _rows(table, database)
    noun = table_noun(table.name, table.description, language)
    keys = {c.lower() for key in table.foreign_keys for c in key.columns}
    keys |= {table.primary_key[0].lower()} if len(table.primary_key) == 1 else set()
    columns = [
        _column(
            (table, column, known.column(table.name, column.name)),
            None if rows is None else [row[index] for row in rows],
            noun=noun,
            language=language,
            keys=keys,
        )
        for index, column in enumerate(table.columns)
    ]
    names = find_names(columns, noun, None if rows is None else len(rows))
    facts = with_days([_told_apart(column, columns) for column in columns], database)
    names = tuple(facts[columns.index(n)] for n in names)
    seen, first = None if rows is None else len(rows), known.first_time(table.name)
    time = next((one for one in facts if one.column.name == first and one.days), None)
    return TableFacts(table, quoted(table.name), noun, facts, names, seen, time)


def _column(
    place: tuple[Table, Column, ColumnProfile | None],
    cells: list[Any] | None,
    *,
    noun: Noun,
    language: str,
    keys: set[str],
) -> ColumnFacts:
    table, column, known = place
    filled = tuple(c for c in cells or () if c is not None and c != "")
    role = role_of(column, None if cells is None else filled, known, column.name.lower() in keys)
    named = role in {"text", "category"}
    said = column_noun(column.name, column.description, noun, language, named=named)
    nulls = cells is not None and len(filled) < len(cells)
    if role == "number" and known is not None and known.number is not None:
        filled = tuple(_numbers(filled, known.number))
    event = event_of(column.name, said.one, noun.one, language) if role in {"date", "year"} else None
    if event is not None and language == "en" and said.one == event.past:  # nobody has «a founded», but a year founded
        said = Noun(f"{role} {said.one}", f"{role}s {said.one}")
    facts = ColumnFacts(column, quoted(table.name), quoted(column.name), said, role, filled, nulls, event)
    return facts if known is None else replace(facts, profile=known)


def _numbers(cells: Iterable[Any], said: NumberText) -> Iterator[int | float]:
    """Yield the numbers that texts say, as `number_of` reads them."""
    for cell in cells:
        text = str(cell)
        for removed in said.removed:
            text = text.replace(removed, "")
        text = text.replace(",", ".") if said.decimal_comma else text
        with suppress(ValueError):
            if str(cell) not in said.nothing:
                yield int(text) if said.whole else float(text)


def _told_apart(column: ColumnFacts, columns: list[ColumnFacts]) -> ColumnFacts:
    """Forget the event of a date where another one has the same: it would not say which is meant."""
    same = [one for one in columns if one.event is not None and one.event == column.event]
    return replace(column, event=None) if len(same) > 1 else column


def _rows(table: Table, database: Database) -> list[tuple[Any, ...]]:
    columns = ", ".join(quoted(c.name) for c in table.columns)
    try:
        rows = database.fetch(f"SELECT {columns} FROM {quoted(table.name)} LIMIT {_ROWS}").rows
    except DatabaseError:  # a table of the schema that the database has not
        return []
    return [tuple(map(_cell, row)) for row in rows]


def _cell(value: Any) -> Any:
    """Return a cell as SQLite has it, and as a query can say it: servers give decimals and dates as objects."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, int | float | str | bytes) else str(value)
