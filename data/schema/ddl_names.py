"""The names in a CREATE script as the engine has them, and the tables by these names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from .schema import Column, Table

__all__ = ["DdlTables", "name_of", "named", "table_at"]

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_PUBLIC = "public"
"""The schema of PostgreSQL in which names without a schema are."""


def named(statement: exp.Expr, dialect: str) -> exp.Expr:
    """Return a statement with the names that the engine makes of those that stand there.

    PostgreSQL folds those without quotes, in UTF-8 the letters of ASCII alone. Elsewhere what stands before a table is
    its database, and a schema is all of one.
    """
    if dialect == "postgres":
        for name in statement.find_all(exp.Identifier):
            if not name.quoted:
                name.set("this", name.name.translate(_LOWER))
    else:
        for table in statement.find_all(exp.Table):
            table.set("db", None)
    return statement


def name_of(table: exp.Expr) -> str:
    """Return the name that tells a table from all others: ``Sales.orders``, ``orders`` of ``public.orders``."""
    return table.name if table.text("db") in {"", _PUBLIC} else f"{table.text('db')}.{table.name}"


def table_at(where: exp.Expr, columns: tuple[Column, ...]) -> Table:
    """Return a table of columns, with the names that a statement has for it."""
    name = name_of(where)
    return Table(name, columns, namespace=where.text("db"), qualified=name != where.name)


class DdlTables:
    """The tables of a script by their names; not ``cased``, names that differ in case alone are one."""

    def __init__(self, *, cased: bool) -> None:
        self._cased = cased
        self._found: dict[str, Table] = {}

    @property
    def all(self) -> tuple[Table, ...]:
        """Return the tables in order."""
        return tuple(self._found.values())

    def put(self, table: Table) -> None:
        """Keep a table, in place of one of its name."""
        self._found[self._key(table.name)] = table

    def drop(self, name: str) -> None:
        """Keep a table no longer, if there is one of that name."""
        self._found.pop(self._key(name), None)

    def get(self, name: str) -> Table | None:
        """Return the table of a name."""
        return self._found.get(self._key(name))

    def apart(self) -> Iterator[Table]:
        """Yield the tables; of those that are called the same in several schemas, each is written with its schema."""
        times = Counter(self._key(table.own_name) for table in self.all)
        for table in self.all:
            several = times[self._key(table.own_name)] > 1
            yield replace(table, namespace=table.namespace or _PUBLIC, qualified=True) if several else table

    def _key(self, name: str) -> str:
        return name if self._cased else name.lower()
