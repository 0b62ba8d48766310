"""Counts the rows of tables, without reading large ones whole."""

from contextlib import suppress

from ..errors import DatabaseError, LockedError, TimeLimitError
from ..schema.schema import Schema, Table
from ..values.slots import quoted
from .catalogue import catalogue
from .database import Database

LARGE = 50_000
"""The number of rows beyond which a table is large, and counting stops."""

_AT_ONCE = 50  # tables that one query counts
_COUNT_SECONDS = 0.5  # the time limit for counting the rows of a SQLite table


def text_literal(text: str, dialect: str) -> str:
    """Return a text as an SQL literal."""
    return quoted(text.replace("\\", "\\\\") if dialect == "mysql" else text)


def counted(database: Database, table: Table) -> int:
    """Return how many rows a table or view has, `LARGE` + 1 of one that has more; it is counted once (`FoundTables`).

    Raises:
        DatabaseError: it cannot be read, or takes too long.
    """
    counts = database.found.counts
    if (late := database.found.late.get(table.name)) is not None:
        raise late
    if table.name not in counts:
        try:
            counts[table.name] = int(database.fetch(f"SELECT {_count(database, table)}").rows[0][0])
        except DatabaseError as error:
            counts[table.name] = error
            if isinstance(error, LockedError):
                database.found.late[table.name] = error
            if isinstance(error, TimeLimitError):
                database.hurry()
    if isinstance(count := counts[table.name], DatabaseError):
        raise count
    return count


def count_tables(database: Database, schema: Schema) -> None:
    """Count the rows of all tables, many in one query where none of them is locked or takes long."""
    counts, late = database.found.counts, database.found.late
    plain = [table for table in schema.tables if not table.behind and table.name not in {**counts, **late}]
    for start in range(0, len(plain), _AT_ONCE):
        some = plain[start : start + _AT_ONCE]
        try:
            (row,) = database.fetch(f"SELECT {', '.join(_count(database, table) for table in some)}").rows
            counts.update(zip((table.name for table in some), map(int, row), strict=True))
        except DatabaseError as error:  # single queries find the table
            if isinstance(error, TimeLimitError):
                database.hurry()
    for table in schema.tables:
        with suppress(DatabaseError):  # it is remembered
            counted(database, table)


def _count(database: Database, table: Table) -> str:
    some = f"SELECT 1 AS row_seen FROM {database.source(table)} LIMIT {LARGE + 1}"
    return f"(SELECT COUNT(*) FROM ({some}) AS rows_seen)"


def statistic(database: Database, table: Table) -> int | None:
    """Return the number of rows of a table in a server's statistics, None for views, files and tables without any.

    Raises:
        DatabaseError: the statistics cannot be read.
    """
    if database.dialect == "sqlite":
        return None
    estimates = database.found.estimates
    if table.name not in estimates:
        names = {"source": database.source(table), "table": table.name}
        literals = {key: text_literal(name, database.dialect) for key, name in names.items()}
        rows = database.fetch(catalogue(database.dialect)["estimate"].format_map(literals)).rows
        estimates[table.name] = None if not rows or rows[0][0] is None else int(rows[0][0])
    return estimates[table.name]


def cheap_count(database: Database, table: Table) -> int | None:
    """Return the number of rows of a table, None if it is expensive to get."""
    if table.behind:
        return None
    patience = database.timeout
    try:
        if database.dialect != "sqlite":
            return statistic(database, table)
        database.timeout = min(patience, _COUNT_SECONDS)
        return int(database.fetch(f"SELECT COUNT(*) FROM {database.source(table)}").rows[0][0])
    except DatabaseError:  # counting takes too long
        return None
    finally:
        database.timeout = patience
