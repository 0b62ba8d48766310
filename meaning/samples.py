"""Samples of tables, from which profiles are computed: rows from all over a table, where that is cheap."""

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

ROWS = 500
"""The number of rows in the sample of a table."""

_LONGEST = 160  # the number of characters that are read of a cell
_UNREAD = re.compile(
    r"blob|binary|bytea|json|xml|point|line|lseg|polygon|^box|circle|path|geometry|geography|tsv|vector"
)
_TEXT = re.compile(r"char|text|clob|string|enum|^set\b|^name$")


@dataclass(frozen=True)
class TableSample:
    """The sample of one table, column by column.

    Attributes:
        cells: the cells of each column that could be read.
        rows: the number of rows in the sample.
        whole: whether the sample has all rows of the table.
        count: the number of rows of the table, None if it is expensive to get.
    """

    table: Table
    cells: Mapping[str, CellSample]
    rows: int
    whole: bool
    count: int | None


def sample_tables(database: Database, schema: Schema, *, narrowed: bool = False) -> dict[str, TableSample]:
    """Return the samples of tables by name, without those that cannot be read.

    Args:
        narrowed: whether tables have columns that may not be read, perhaps the rowid.

    Warns:
        UserWarning: some tables could not be read; the line names them, and the reason of the first.
    """
    samples: dict[str, TableSample] = {}
    failed: list[str] = []
    reason = ""
    for table in schema.tables:
        late = database.found.late.get(table.name)
        try:
            if late is not None:
                raise late
            samples[table.name] = sample_table(database, table, narrowed=narrowed)
        except DatabaseError as error:
            if isinstance(error, TimeLimitError) and late is None:
                database.found.late[table.name] = error
                database.hurry()
            reason = reason or error.problem
            failed.append(table.name)
    if failed:
        named = ", ".join(failed[:5]) + (f" and {len(failed) - 5} more" if len(failed) > 5 else "")
        warnings.warn(f"{schema.name or database.name}: no profile of {named}: {reason}", stacklevel=3)
    return samples


def sample_table(database: Database, table: Table, *, rows: int = ROWS, narrowed: bool = False) -> TableSample:
    """Return a sample of a table.

    Args:
        rows: the largest number of rows.
        narrowed: the same as in `sample_tables`.

    Raises:
        DatabaseError: the table cannot be read, or reading takes too long.
    """
    most = min(rows, database.max_rows)
    columns = [*table.columns]
    try:
        seen, whole = _rows(database, table, columns, most, narrowed)
    except TimeLimitError:
        raise
    except DatabaseError:  # one column is forbidden or fails on a row, and the others can be read
        columns = [column for column in table.columns if _can_read(database, table, column)]
        if not columns:
            raise
        seen, whole = _rows(database, table, columns, most, narrowed)
    across: list[tuple[Any, ...]] = [*zip(*seen, strict=True)] or [()] * len(columns)
    cells = {
        column.name: CellSample.of(table, column, database.dialect, cells)
        for column, cells in zip(columns, across, strict=True)
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
    """Return rows of a table, and whether they are all its rows."""
    source = database.source(table)
    cells = ", ".join(
        _cell_sql(f"{source}.{database.quote(column.name)}", column, database.dialect) for column in columns
    )
    if spread := _spread(database, table, most, narrowed):
        rows = database.fetch(f"SELECT {cells} FROM {source}{spread} LIMIT {most}").rows
        if len(rows) >= most // 2:  # fewer rows would be clustered in a few places
            return rows, False
    rows = database.fetch(f"SELECT {cells} FROM {source} LIMIT {most}").rows
    return rows, len(rows) < most


def _cell_sql(cell: str, column: Column, dialect: str) -> str:
    """Return the SQL that reads a cell, with long texts cut, and bytes replaced by a mark."""
    kind = column.type.lower()
    if dialect == "sqlite":  # any column may hold cells of any type
        return f"CASE WHEN TYPEOF({cell}) IN ('text', 'blob') THEN SUBSTR({cell}, 1, {_LONGEST}) ELSE {cell} END"
    if _UNREAD.search(kind) and "enum(" not in kind:
        return f"CASE WHEN {cell} IS NULL THEN NULL ELSE '' END"
    if dialect == "postgres" and (_TEXT.search(kind) or "." in kind or "[" in kind):
        return f"LEFT(CAST({cell} AS TEXT), {_LONGEST})"
    return f"LEFT({cell}, {_LONGEST})" if _TEXT.search(kind) else cell


def _spread(database: Database, table: Table, most: int, narrowed: bool) -> str:
    """Return a clause that samples rows from all over a large table, "" for a small one."""
    if table.behind or table.partial:
        return ""
    if database.dialect == "sqlite":
        return "" if narrowed else _spread_by_rowid(database, table, most)
    count = database.found.counts.get(table.name)
    few = isinstance(count, int) and count < 5 * most
    estimate = statistic(database, table) if database.dialect == "postgres" and not few else None
    if estimate is None or estimate < 5 * most:
        return ""
    percent = 300.0 * most / estimate  # whole blocks with more rows than wanted, of which some rows each are taken
    return f" TABLESAMPLE SYSTEM ({percent:.6f}) REPEATABLE (0) ORDER BY MD5(CAST(ctid AS TEXT))"


def _spread_by_rowid(database: Database, table: Table, most: int) -> str:
    """Return a clause for rows at jittered steps, so that no periodic pattern of the rows is missed."""
    taken = {column.name.lower() for column in table.columns}
    rowid = next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), None)
    source = database.source(table)
    try:
        ends = database.fetch(f"SELECT MIN({rowid}), MAX({rowid}) FROM {source}").rows[0] if rowid else (None, None)
    except DatabaseError:  # it is a view, or a table WITHOUT ROWID
        return ""
    first, last = ends
    if not isinstance(first, int) or not isinstance(last, int) or last - first < 2 * most:
        return ""
    step = (last - first) // (most - 1)
    place = f"{first} + n * {step} + (CASE n WHEN 0 THEN 0 ELSE n * 7919 % {step} END)"
    steps = f"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < {most - 2})"
    near = f"(SELECT MIN(t.{rowid}) FROM {source} AS t WHERE t.{rowid} >= {place})"
    return f" WHERE {rowid} IN ({steps} SELECT {near} FROM i UNION SELECT {last})"
