"""Queries that run and make no sense: tables joined past their keys, NULLs left out where there are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ...data.databases.database import Database
from ...data.errors import DatabaseError
from ...grammar import Grammar
from ...grammar.vocabulary.build import last_part
from ..normal_form.keys import links

__all__ = ["Sense"]


class Sense:
    """What the keys of a schema and the cells of its database say against a query.

    Args:
        grammar: of the schema.
        database: open for reading; without it nothing is known of NULLs.
    """

    def __init__(self, grammar: Grammar, database: Database | None) -> None:
        write, schema = grammar.quoting.write, grammar.schema
        self._columns = {
            f"{write(table)}.{write(column.name)}": (table.name, column.name)
            for table in schema.tables
            for column in table.columns
        }
        self._kin: dict[tuple[str, str], tuple[str, str]] = {}
        for one, other, key in links(schema):
            for mine, theirs in key.columns:
                left, right = (one, mine), (other, theirs)
                for column in (left, right):
                    self._kin.setdefault(column, column)
                self._kin[self._root(left)] = self._root(right)
        self._without_null = cache(lambda column: _without_null(column, database))

    def against(self, words: Sequence[str]) -> int:
        """Return how many comparisons and tests for NULL of a query make no sense.

        Two columns are not compared where only one can be a key of the other's rows: of tables that a declared key
        joins, or both keys, but of different things. A database that declares no keys knows none of this.

        Args:
            words: of the query, short form.
        """
        pairs = sum(self._strangers(one, other) for one, other in _compared(words))
        return pairs + sum(column in self._columns and self._without_null(column) for column in _not_null(words))

    def _strangers(self, one: str, other: str) -> bool:
        left, right = self._columns.get(one), self._columns.get(other)
        if left is None or right is None or left[0] == right[0] or left[1] == right[1]:
            return False
        if self._root(left) == self._root(right):
            return False
        keys = (left in self._kin) + (right in self._kin)
        return keys == 2 or (keys == 1 and bool(self._roots(left[0]) & self._roots(right[0])))

    def _root(self, column: tuple[str, str]) -> tuple[str, str]:
        """Return the column that stands for all whose values a column shares by keys."""
        while (above := self._kin.get(column, column)) != column:
            column = above
        return column

    def _roots(self, table: str) -> set[tuple[str, str]]:
        return {self._root(column) for column in self._kin if column[0] == table}


def _compared(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns that a query equates, or looks for among those of a subquery."""
    for i, word in enumerate(words[:-1]):
        if word == "=" and i:
            yield words[i - 1], words[i + 1]
        if word == "IN" and i and list(words[i + 1 : i + 3]) == ["(", "SELECT"]:
            # without the constraint a query may break off here
            shown = [one for one in words[i + 3 : i + 5] if one != "DISTINCT"]
            yield from ((words[i - 2 if words[i - 1] == "NOT" else i - 1], one) for one in shown[:1])


def _not_null(words: Sequence[str]) -> Iterator[str]:
    for i in range(1, len(words) - 2):
        if list(words[i : i + 3]) == ["IS", "NOT", "NULL"]:
            yield words[i - 1]


def _without_null(column: str, database: Database | None) -> bool:
    if database is None:
        return False
    table = column[: -len(last_part(column)) - 1]
    try:
        return not database.fetch(f"SELECT 1 FROM {table} WHERE {column} IS NULL LIMIT 1").rows
    except DatabaseError:  # it takes too long, say
        return False
