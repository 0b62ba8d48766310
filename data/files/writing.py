"""Tables of files into a SQLite file: types are found while they are written, which is begun anew where one changes."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import InputError
from ..schema.likely_keys import holds_codes, key_candidates
from ..schema.schema import Column, Table
from .column_reading import ColumnReading, StoredColumn
from .source import SourceTable, checked_room, identifiers, readable

_LONGEST_ROW = 10_000_000  # bytes; longer values no query reads (`databases/sqlite_session.py`)
_KEYS = ("INTEGER", "TEXT")  # types of columns that identify rows


def write_tables(
    database: sqlite3.Connection, tables: Sequence[SourceTable], report: Callable[[float | Path], None]
) -> None:
    """Write tables into a database that has none.

    Args:
        report: receives the file that is read, and the finished share of the work, 0 to 1.

    Raises:
        InputError: a file cannot be read, or unpacks to too much.
    """
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
    whole = sum(table.size for table in tables) or 1
    before = 0
    for name, table in zip(identifiers([table.name for table in tables], "table"), tables, strict=True):

        def progress(share: float, before: int = before, size: int = table.size, file: Path = table.file) -> None:
            pages, size_of = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            checked_room(pages * size_of, "its rows", file, whole)
            report((before + share * size) / whole)

        report(table.file)
        _write(database, name, table, progress)
        before += table.size


def _write(database: sqlite3.Connection, name: str, table: SourceTable, progress: Callable[[float], None]) -> None:
    """Write a table while its types are still being found; where a later block changes them, it is begun anew.

    Before that, the writer looks ahead as far again as it has come, so that many changes cost little more than one.
    """
    names = identifiers(table.headings, "column")
    likely = _likely_keys(name, names)
    typed, plain = table.typed, table.plain
    readings = [ColumnReading(typed=typed, plain=plain, gaps=place in likely) for place in range(len(names))]
    insert = f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(names))})'
    looked_at, until, before = 0, 1, None
    while until:
        until = 0  # the block up to which the writer only looks, once one has changed the types
        for number, block in enumerate(table.blocks(), start=1):
            cells = list(zip(*block.rows, strict=True))
            if number > looked_at:
                looked_at = number
                for reading, column in zip(readings, cells, strict=False):
                    reading.see(column)
            columns = _stored(readings, table)
            key = next((place for place in likely if not readings[place].nulls and columns[place].type in _KEYS), None)
            if number == 1:
                before = columns, key
                database.execute(f'DROP TABLE IF EXISTS "{name}"')
                database.execute(_ddl(name, names, table.headings, columns, key))
            until = until or (2 * number if before != (columns, key) else 0)
            if until and number >= until:
                break
            if not until:
                try:
                    stored = [column.store(one) for column, one in zip(columns, cells, strict=False)]
                    database.executemany(insert, zip(*stored, strict=True))
                except sqlite3.IntegrityError:  # the likely key has a value twice: once more without one
                    likely, until = [], number
                    break
                except sqlite3.DataError as error:
                    problem = f"a row of more than {_LONGEST_ROW // 1_000_000} MB, about {block.read:.0%} of the way in"
                    raise InputError(problem, file=table.file, hint="keep long texts elsewhere") from error
            progress(block.read)


def _stored(readings: Sequence[ColumnReading], table: SourceTable) -> list[StoredColumn]:
    decimal_commas = {reading.numbers.decimal_comma for reading in readings} - {None}
    comma = decimal_commas.pop() if len(decimal_commas) == 1 else None
    return [reading.stored(comma=comma, semicolons=table.semicolons) for reading in readings]


def _likely_keys(table: str, names: Sequence[str]) -> list[int]:
    """Return the columns that are likely to identify rows by their names, the likeliest first."""
    columns = [Column(name) for name in names]
    likely = [*key_candidates(Table(table, tuple(columns))), *filter(holds_codes, columns[:1])]
    return [*dict.fromkeys(names.index(column.name) for column in likely)]


def _ddl(
    name: str, names: Sequence[str], headings: Sequence[str], columns: Sequence[StoredColumn], key: int | None
) -> str:
    """Return the statement that creates a table, with the headings of the file as comments."""
    lines: list[str] = []
    for place, (column, heading, stored) in enumerate(zip(names, headings, columns, strict=True)):
        comma = "," if place < len(names) - 1 else ""
        description = readable(heading, column, stored.unit)
        primary = " PRIMARY KEY NOT NULL" if place == key else ""
        comment = f" -- {description}" if description else ""
        lines.append(f'  "{column}" {stored.type}{primary}{comma}{comment}')
    return f'CREATE TABLE "{name}" (\n' + "\n".join(lines) + "\n)"
