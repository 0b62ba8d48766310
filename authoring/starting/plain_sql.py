"""Sampled queries on a domain's database: plain SQL, written with the names and quotes of its dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ...data.database import Database
from ...data.errors import DatabaseError
from ...data.parsing import PARSE_ERRORS, told_error
from ...data.rows import Rows
from ...data.schema import Function, Schema

__all__ = ["PlainSql", "Translating"]


class PlainSql:
    """Reads what `sampler` writes, and writes it in one dialect.

    Args:
        dialect: of the database.
        quote: writes a name as the dialect wants it.
    """

    def __init__(self, dialect: str, quote: Callable[[str], str]) -> None:
        self._dialect, self._quote = dialect, quote

    def tree(self, sql: str) -> exp.Expr:
        """Return a query's tree."""
        return sqlglot.parse_one(sql, dialect="sqlite")

    def write(self, tree: exp.Expr) -> str:
        """Return a query in the dialect."""
        for name in tree.find_all(exp.Identifier):
            name.set("quoted", self._quote(name.name) != name.name)
        return tree.sql(dialect=self._dialect, unsupported_level=ErrorLevel.RAISE)

    def name(self, name: str) -> str:
        """Return a name as the dialect writes it."""
        return self._quote(name)


class Translating(Database):
    """A database that is asked in the sampler's SQL, whatever its own dialect."""

    def __init__(self, database: Database, plain: PlainSql) -> None:
        super().__init__(database.name, timeout=database.timeout, max_rows=database.max_rows)
        self._database, self._plain = database, plain

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions; see `Database.define`."""
        self._database.define(functions)

    def confine(self, schema: Schema) -> None:
        """Let queries read the tables of a schema alone; see `Database.confine`."""
        self._database.confine(schema)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _run(self, sql: str, cap: int) -> Rows:
        try:
            written = self._plain.write(self._plain.tree(sql))
        except PARSE_ERRORS as error:
            raise DatabaseError(f"cannot be written in this dialect: {told_error(error)}") from error
        return self._database.query(written)

    def _quote(self, name: str) -> str:
        escaped = name.replace('"', '""')
        return f'"{escaped}"'
