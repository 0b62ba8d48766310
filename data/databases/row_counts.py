"""How many rows a table has, without reading a large one whole."""

from __future__ import annotations

from ..errors import DatabaseError
from ..schema.schema import Table
from .database import Database

__all__ = ["LARGE", "cheap_count", "counted", "statistic", "text_literal"]

LARGE = 50_000
"""Rows beyond which a table is large: its rows are not counted one by one."""

_COUNT_SECONDS = 0.5
"""How long it may take to count the rows of a SQLite table."""


def text_literal(text: str, dialect: str) -> str:
    """Return a text as SQL, so that it cannot end the literal that it stands in."""
    text = text.replace("'", "''")
    return "'" + (text.replace("\\", "\\\\") if dialect == "mysql" else text) + "'"


def counted(database: Database, table: Table) -> int:
    """Return how many rows a table or view has, `LARGE` + 1 of one that has more.

    Raises:
        DatabaseError: it cannot be read, or takes too long.
    """
    some = f"SELECT 1 AS row_seen FROM {database.source(table)} LIMIT {LARGE + 1}"
    return int(database.fetch(f"SELECT COUNT(*) FROM ({some}) AS rows_seen").rows[0][0])


def statistic(database: Database, table: Table) -> int | None:
    """Return how many rows a server's statistics give a table; None of a view, of a file, and where nobody counted.

    Raises:
        DatabaseError: the statistics cannot be read.
    """
    if database.dialect == "postgres":
        named = text_literal(database.source(table), "postgres")
        kinds = "relkind IN ('r', 'm', 'p') AND reltuples >= 0"
        sql = f"SELECT reltuples FROM pg_catalog.pg_class WHERE oid = {named}::regclass AND {kinds}"
    elif database.dialect == "mysql":
        known = f"table_schema = DATABASE() AND table_name = {text_literal(table.name, 'mysql')}"
        sql = f"SELECT table_rows FROM information_schema.tables WHERE {known}"
    else:
        return None
    rows = database.fetch(sql).rows
    return None if not rows or rows[0][0] is None else int(rows[0][0])


def cheap_count(database: Database, table: Table) -> int | None:
    """Return how many rows a table has as far as the engine tells cheaply."""
    if table.behind:
        return None
    patience = database.timeout
    try:
        if database.dialect != "sqlite":
            return statistic(database, table)
        database.timeout = min(patience, _COUNT_SECONDS)
        return int(database.fetch(f"SELECT COUNT(*) FROM {database.source(table)}").rows[0][0])
    except DatabaseError:  # it takes long to count them
        return None
    finally:
        database.timeout = patience
