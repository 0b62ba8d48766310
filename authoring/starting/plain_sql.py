"""Sampled queries on a domain's database: plain SQL, written with the names and quotes of its dialect."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ...data.databases.database import Database
from ...data.databases.rows import Rows
from ...data.errors import DatabaseError
from ...data.schema.schema import Schema
from ...data.sql.parsing import PARSE_ERRORS, read_tree, told_error

__all__ = ["PlainSql", "Translating"]


class PlainSql:
    """Reads what `sampler` writes, and writes it in one dialect.

    Args:
        dialect: of the database.
        quote: writes a name as the dialect wants it.
        schema: whose tables may stand in a namespace.
    """

    def __init__(self, dialect: str, quote: Callable[[str], str], schema: Schema) -> None:
        self._dialect, self._quote = dialect, quote
        self._paths = {table.name: table.path for table in schema.tables}

    def tree(self, sql: str) -> exp.Expr:
        """Return a query's tree."""
        return read_tree(sql, "sqlite")

    def write(self, tree: exp.Expr) -> str:
        """Return a query in the dialect."""
        for table in tree.find_all(exp.Table):
            self._place(table, "this", "db")
        for column in tree.find_all(exp.Column):
            self._place(column, "table", "db")
        for name in tree.find_all(exp.Identifier):
            name.set("quoted", self._quote(name.name) != name.name)
        return tree.sql(dialect=self._dialect, unsupported_level=ErrorLevel.RAISE)

    def column(self, name: str) -> str:
        """Return a column's name as the dialect writes it."""
        return self._quote(name)

    def has(self, name: str) -> bool:
        """Say whether a name is a table's."""
        return name in self._paths

    def table(self, name: str) -> str:
        """Return a table's name as the dialect writes it, behind its namespace where it stands in one."""
        return ".".join(map(self._quote, self._paths[name]))

    def _place(self, node: exp.Expr, name: str, namespace: str) -> None:
        """Tell a table's namespace from its name: the sampler knows one name alone, ``Sales.orders``."""
        written = node.args.get(name)
        path = self._paths.get(written.name, ()) if written is not None else ()
        if len(path) > 1:
            node.set(name, exp.to_identifier(path[-1]))
            node.set(namespace, exp.to_identifier(path[0]))


class Translating(Database):
    """A database that is asked in the sampler's SQL, whatever its own dialect."""

    def __init__(self, database: Database, plain: PlainSql) -> None:
        super().__init__(database.session, database.place, timeout=database.timeout, max_rows=database.max_rows)
        self._plain = plain

    def fetch(self, sql: str) -> Rows:
        """Run a query of the sampler's; see `Database.fetch`."""
        try:
            written = self._plain.write(self._plain.tree(sql))
        except PARSE_ERRORS as error:
            raise DatabaseError(f"cannot be written in this dialect: {told_error(error)}") from error
        return super().fetch(written)
