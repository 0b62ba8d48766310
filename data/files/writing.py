"""Tables of files into a SQLite file: each is read twice, once to know its types, once to be stored."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from ..databases.sqlite_schema import quoted
from ..schema.noun_forms import singular
from ..schema.plain_names import plain_name
from .column_reading import ColumnReading, StoredColumn
from .names import identifiers, readable
from .source import RowBlock, SourceTable

__all__ = ["write_tables"]

_LOOKING = 0.5
"""Share of the work that is done when the types of a table are known."""

_KEY = re.compile(r"(?:^| )(?:id|code|key|no|number|nr)$|(?:编号|代码|号|(?<=[\u3400-\u9fff])id)$")


def write_tables(
    database: sqlite3.Connection, tables: Sequence[SourceTable], progress: Callable[[float], None]
) -> None:
    """Write tables into a database that has none.

    Args:
        progress: told the share of the work that is done, 0 to 1.

    Raises:
        InputError: a file cannot be read.
    """
    whole = sum(table.size for table in tables) or 1
    before = 0
    for name, table in zip(identifiers([table.name for table in tables], "table"), tables, strict=True):

        def told(share: float, before: int = before, size: int = table.size) -> None:
            progress((before + share * size) / whole)

        _write(database, name, table, told)
        before += table.size


def _write(database: sqlite3.Connection, name: str, table: SourceTable, progress: Callable[[float], None]) -> None:
    readings = [ColumnReading(typed=table.typed) for _ in table.headings]
    for block in table.blocks():
        for reading, cells in zip(readings, zip(*block.rows, strict=True), strict=False):
            reading.see(cells)
        progress(_LOOKING * block.read)
    columns = _stored(readings, table)
    names = identifiers(table.headings, "column")
    for key in (_key(name, names, columns, readings), None):
        database.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        database.execute(_ddl(name, names, table.headings, columns, key))
        into = f"INSERT INTO {quoted(name)} VALUES ({', '.join('?' * len(names))})"
        try:
            for block in table.blocks():
                database.executemany(into, _rows(block, columns))
                progress(_LOOKING + (1 - _LOOKING) * block.read)
            return
        except sqlite3.IntegrityError:  # the likely key has a value twice: once more without one
            continue


def _stored(readings: Sequence[ColumnReading], table: SourceTable) -> list[StoredColumn]:
    said = {reading.numbers.decimal_comma for reading in readings} - {None}
    comma = said.pop() if len(said) == 1 else None
    return [reading.stored(comma=comma, semicolons=table.semicolons) for reading in readings]


def _rows(block: RowBlock, columns: Sequence[StoredColumn]) -> Iterator[tuple[object, ...]]:
    cells = zip(*block.rows, strict=True)
    return zip(*(map(column.store, one) for column, one in zip(columns, cells, strict=True)), strict=True)


def _key(
    table: str, names: Sequence[str], columns: Sequence[StoredColumn], readings: Sequence[ColumnReading]
) -> int | None:
    """Return the column that is likely to identify rows by its name, None if there is none without gaps.

    It is ``id`` or alike, or the id of what the table is called by, or the first column where that is an id.
    """
    own = plain_name(table)
    likely: list[tuple[int, int]] = []
    for place, (name, column, reading) in enumerate(zip(names, columns, readings, strict=True)):
        said = plain_name(name)
        if reading.nulls or column.type not in ("INTEGER", "TEXT") or not _KEY.search(said):
            continue
        stem = _KEY.sub("", said).strip()
        mine = stem and (singular(own) == stem or singular(own).endswith(stem))
        if not stem or mine or place == 0:
            likely.append((0 if not stem else 1 if mine else 2, place))
    return min(likely)[1] if likely else None


def _ddl(
    name: str, names: Sequence[str], headings: Sequence[str], columns: Sequence[StoredColumn], key: int | None
) -> str:
    """Return what makes a table; comments say what columns are called in the file."""
    lines: list[str] = []
    for place, (column, heading, stored) in enumerate(zip(names, headings, columns, strict=True)):
        comma = "," if place < len(names) - 1 else ""
        said = readable(heading, column, stored.unit)
        primary = " PRIMARY KEY NOT NULL" if place == key else ""
        comment = f" -- {said}" if said else ""
        lines.append(f"  {quoted(column)} {stored.type}{primary}{comma}{comment}")
    return f"CREATE TABLE {quoted(name)} (\n" + "\n".join(lines) + "\n)"
