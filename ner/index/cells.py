"""The cells of a database, column by column, and how often each is there."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...data.databases.database import Database
from ...data.errors import DatabaseError
from ...data.schema.enumerations import as_text, labels_of
from ...data.schema.schema import Column, Schema, Table

__all__ = ["LONGEST", "SAMPLES", "ColumnCells", "is_text", "read_columns"]

LONGEST = 120
"""Characters of the longest cell that is kept: nobody says a longer one."""

SAMPLES = 32
"""The most frequent cells that are kept of every column, numbers too."""

_VIEW_SECONDS = 20.0
"""How long the columns of one view may take together."""

_NUMERIC = re.compile(r"int|num|dec|real|doub|float|bool|bit|serial|money|date|time|year|blob|binary|bytea|json", re.I)
_UNGROUPED = re.compile(r"json$|xml|point|line|lseg|polygon|^box$|circle|path|geometry|geography", re.I)
"""Types of servers whose cells are not compared."""

_TOO_BIG = "string or blob too big"  # what SQLite says of a value above the connection's limit
_UNCOMPARED = re.compile(r"could not identify an (?:equality|ordering) operator", re.I)
"""What PostgreSQL says of types that people have made without."""


@dataclass(frozen=True)
class ColumnCells:
    """What one column holds.

    Attributes:
        cells: every different cell that a question could name, with its count, the most frequent first.
        samples: the most frequent cells of any type, as text.
        said: what people call cells, with the cell and how often they do.
        distinct: number of different cells of any type, NULL left out; 0 if they were not all read.
        skipped: number of different texts too long to keep.
        problem: why its cells cannot be read, empty where they can.
    """

    table: str
    column: str
    cells: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    samples: list[str] = field(default_factory=list[str])
    said: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    distinct: int = 0
    skipped: int = 0
    problem: str = ""


def is_text(column: Column) -> bool:
    """Is the column declared to hold texts, so that even its numbers are written in quotes?"""
    kind = as_text(column.type).lower()
    return not _NUMERIC.search(kind) or "char" in kind or "text" in kind


def read_columns(database: Database, schema: Schema) -> Iterator[ColumnCells]:
    """Read every column of a schema, one column in memory at a time.

    A view whose query takes long is read no further, since it runs anew for each column; a column that fails on some
    row shows no cells.

    Raises:
        DatabaseError: the database is gone or locked.
    """
    spent: dict[str, float] = defaultdict(float)
    for table, column in schema.columns():
        if spent[table.name] > _VIEW_SECONDS:
            yield ColumnCells(table.name, column.name)
            continue
        start = time.monotonic()
        try:
            yield _read(database, table, column)
        except DatabaseError as error:
            database.schema_state()  # fails where the database does, and not the column
            big = _TOO_BIG in error.problem
            known = big or _UNCOMPARED.search(error.problem)
            problem = "" if known else error.problem.removeprefix(f"{database.name}: ")
            yield ColumnCells(table.name, column.name, skipped=int(big), problem=problem)
        if table.behind:
            spent[table.name] += time.monotonic() - start


def _read(database: Database, table: Table, column: Column) -> ColumnCells:
    sqlite = database.dialect == "sqlite"
    if not sqlite and _UNGROUPED.search(column.type):
        return ColumnCells(table.name, column.name)
    text = is_text(column)
    source = database.source(table)
    cell = f"{source}.{database.quote(column.name)}"
    counted = f"FROM {source} WHERE {cell} IS NOT NULL"
    short = f"{counted} AND {_length(cell, sqlite)} <= {LONGEST}"
    if sqlite:
        # any column of SQLite may hold texts
        kinds = "'text', 'integer', 'real'" if text else "'text'"
        wanted = f"{short} AND TYPEOF({cell}) IN ({kinds})"
    else:
        wanted = short
    read = _counts(database, cell, wanted) if text or sqlite else []
    cells = [(str(value), count) for value, count in read]
    held = {value for value, _ in cells}
    cells += [(label, 0) for label in labels_of(column.type) if label not in held and len(label) <= LONGEST]
    if text:
        samples = [value for value, _ in cells[:SAMPLES]]
        distinct = len(cells)
    else:
        frequent = _counts(database, cell, counted, f" LIMIT {SAMPLES + 1}")
        samples = [written for value, _ in frequent[:SAMPLES] if (written := _written(value)) is not None]
        distinct = len(frequent)
    skipped = 0
    if text:
        longer = f"SELECT COUNT(DISTINCT {cell}) {counted} AND {_length(cell, sqlite)} > {LONGEST}"
        skipped = int(database.fetch(longer).rows[0][0])
    return ColumnCells(table.name, column.name, cells, samples, distinct=distinct, skipped=skipped)


def _counts(database: Database, cell: str, source: str, limit: str = "") -> list[tuple[Any, int]]:
    """The order of equal counts is the cells' own, so that the same database makes the same index."""
    sql = f"SELECT {cell}, COUNT(*) {source} GROUP BY {cell} ORDER BY COUNT(*) DESC, {cell}{limit}"
    return [(row[0], int(row[1])) for row in database.fetch(sql).rows]


def _written(value: Any) -> str | None:
    """Return a sample as text; bytes are nothing to show."""
    return None if isinstance(value, bytes | bytearray | memoryview) else str(value)


def _length(cell: str, sqlite: bool) -> str:
    return f"LENGTH({cell})" if sqlite else f"CHAR_LENGTH(CAST({cell} AS CHAR({LONGEST + 1})))"
