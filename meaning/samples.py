"""Some rows of each table, spread over it where that is cheap: what profiles are made of."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data.databases.database import Database
from ..data.databases.row_counts import cheap_count, statistic
from ..data.errors import DatabaseError, TimeLimitError
from ..data.schema.schema import Column, Schema, Table
from .cell_sample import CellSample

__all__ = ["ROWS", "TableSample", "sample_table", "sample_tables"]

ROWS = 500
"""Rows that are looked at of each table."""

_LONGEST = 160
"""Characters that are looked at of a cell."""

_UNREAD = re.compile(
    r"blob|binary|bytea|json|xml|point|line|lseg|polygon|^box|circle|path|geometry|geography|tsv|vector"
)
_TEXT = re.compile(r"char|text|clob|string|enum|^set\b|^name$")


@dataclass(frozen=True)
class TableSample:
    """Rows of one table, column by column.

    Attributes:
        cells: of each column that could be read.
        rows: how many rows were looked at.
        whole: are these all that the table has?
        count: how many it has, None if that is not cheap to know.
    """

    table: Table
    cells: Mapping[str, CellSample]
    rows: int
    whole: bool
    count: int | None


def sample_tables(database: Database, schema: Schema, *, narrowed: bool = False) -> dict[str, TableSample]:
    """Return rows of each table by its name; a table that cannot be read is left out.

    Args:
        narrowed: tables have columns that may not be read, the rowid perhaps among them.

    Warns:
        UserWarning: in one line, which tables could not be read, and why the first could not.
    """
    found: dict[str, TableSample] = {}
    failed: list[str] = []
    reason = ""
    for table in schema.tables:
        late = database.found.late.get(table.name)
        try:
            if late is not None:
                raise late
            found[table.name] = sample_table(database, table, narrowed=narrowed)
        except DatabaseError as error:
            if isinstance(error, TimeLimitError) and late is None:
                database.found.late[table.name] = error
                database.hurry()
            reason = reason or error.problem
            failed.append(table.name)
    if failed:
        named = ", ".join(failed[:5]) + (f" and {len(failed) - 5} more" if len(failed) > 5 else "")
        warnings.warn(f"{schema.name or database.name}: no profile of {named}: {reason}", stacklevel=3)
    return found


def sample_table(database: Database, table: Table, *, rows: int = ROWS, narrowed: bool = False) -> TableSample:
    """Return some rows of a table.

    Args:
        rows: how many at most.
        narrowed: as of `sample_tables`.

    Raises:
        DatabaseError: it cannot be read, or takes too long.
    """
    most = min(rows, database.max_rows)
    columns = [*table.columns]
    try:
        seen, whole = _rows(database, table, columns, most, narrowed)
    except TimeLimitError:
        raise
    except DatabaseError:  # of one column that may not be read, or fails on a row, the others are none the worse
        columns = [column for column in table.columns if _can_read(database, table, column)]
        if not columns:
            raise
        seen, whole = _rows(database, table, columns, most, narrowed)
    across: list[tuple[Any, ...]] = [*zip(*seen, strict=True)] or [()] * len(columns)
    cells = {
        column.name: CellSample.of(table, column, database.dialect, some)
        for column, some in zip(columns, across, strict=True)
    }
    return TableSample(table, cells, len(seen), whole, len(seen) if whole else cheap_count(database, table))


def _can_read(database: Database, table: Table, column: Column) -> bool:
    try:
        _rows(database, table, [column], min(ROWS, database.max_rows), True)
    except DatabaseError:
        return False
    return True


def _rows(
    database: Database, table: Table, columns: Sequence[Column], most: int, narrowed: bool
) -> tuple[list[tuple[Any, ...]], bool]:
    """Return rows of a table, and whether these are all that it has."""
    source = database.source(table)
    shown = ", ".join(_shown(f"{source}.{database.quote(column.name)}", column, database.dialect) for column in columns)
    if spread := _spread(database, table, most, narrowed):
        rows = database.fetch(f"SELECT {shown} FROM {source}{spread} LIMIT {most}").rows
        if len(rows) >= most // 2:  # else they stand close together in a few places
            return rows, False
    rows = database.fetch(f"SELECT {shown} FROM {source} LIMIT {most}").rows
    return rows, len(rows) < most


def _shown(cell: str, column: Column, dialect: str) -> str:
    """Return a cell as it is looked at: long ones cut, and nothing of bytes but that they are there."""
    kind = column.type.lower()
    if dialect == "sqlite":  # any column may hold anything
        return f"CASE WHEN TYPEOF({cell}) IN ('text', 'blob') THEN SUBSTR({cell}, 1, {_LONGEST}) ELSE {cell} END"
    if _UNREAD.search(kind) and "enum(" not in kind:
        return f"CASE WHEN {cell} IS NULL THEN NULL ELSE '' END"
    if dialect == "postgres" and (_TEXT.search(kind) or "." in kind or "[" in kind):
        return f"LEFT(CAST({cell} AS TEXT), {_LONGEST})"
    return f"LEFT({cell}, {_LONGEST})" if _TEXT.search(kind) else cell


def _spread(database: Database, table: Table, most: int, narrowed: bool) -> str:
    """Return what picks rows from all over a table that has many more than wanted; nothing of others."""
    if table.behind or table.partial:
        return ""
    if database.dialect == "sqlite":
        return "" if narrowed else _spread_by_rowid(database, table, most)
    count = database.found.counts.get(table.name)
    few = isinstance(count, int) and count < 5 * most
    estimate = statistic(database, table) if database.dialect == "postgres" and not few else None
    if estimate is None or estimate < 5 * most:
        return ""
    percent = 300.0 * most / estimate  # whole blocks, more than are wanted, of which some rows each are taken
    return f" TABLESAMPLE SYSTEM ({percent:.6f}) REPEATABLE (0) ORDER BY MD5(CAST(ctid AS TEXT))"


def _spread_by_rowid(database: Database, table: Table, most: int) -> str:
    """Rows at steps, each moved a little, so that what comes every so many rows is not all that is seen."""
    taken = {column.name.lower() for column in table.columns}
    rowid = next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), None)
    source = database.source(table)
    try:
        ends = database.fetch(f"SELECT MIN({rowid}), MAX({rowid}) FROM {source}").rows[0] if rowid else (None, None)
    except DatabaseError:  # a view, or a table WITHOUT ROWID
        return ""
    first, last = ends
    if not isinstance(first, int) or not isinstance(last, int) or last - first < 2 * most:
        return ""
    step = (last - first) // (most - 1)
    place = f"{first} + n * {step} + (CASE n WHEN 0 THEN 0 ELSE n * 7919 % {step} END)"
    steps = f"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < {most - 2})"
    near = f"(SELECT MIN(t.{rowid}) FROM {source} AS t WHERE t.{rowid} >= {place})"
    return f" WHERE {rowid} IN ({steps} SELECT {near} FROM i UNION SELECT {last})"
