"""Queries that run and make no sense: their tables are joined past the keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...grammar import Grammar
from ..normal_form.keys import links

__all__ = ["JoinsPastKeys"]


class JoinsPastKeys:
    """What the keys of a schema say against a query.

    Args:
        grammar: of the schema.
    """

    def __init__(self, grammar: Grammar) -> None:
        write, schema = grammar.quoting.write, grammar.schema
        self._columns = {
            f"{write(table)}.{write(column.name)}": (table.name, column.name)
            for table in schema.tables
            for column in table.columns
        }
        self._linked: dict[tuple[str, str], tuple[str, str]] = {}
        for one, other, key in links(schema):
            for mine, theirs in key.columns:
                left, right = (one, mine), (other, theirs)
                for column in (left, right):
                    self._linked.setdefault(column, column)
                self._linked[self._root(left)] = self._root(right)

    def count(self, words: Sequence[str]) -> int:
        """Return how many comparisons of a query pass the keys.

        Two columns are not compared where only one can be a key of the other's rows: of tables that a declared key
        joins, or both keys, but of different things. A database that declares no keys knows none of this.

        Args:
            words: of the query, short form.
        """
        return sum(self._past_keys(one, other) for one, other in _compared(words))

    def _past_keys(self, one: str, other: str) -> bool:
        left, right = self._columns.get(one), self._columns.get(other)
        if left is None or right is None or left[0] == right[0] or left[1] == right[1]:
            return False
        if self._root(left) == self._root(right):
            return False
        keys = (left in self._linked) + (right in self._linked)
        return keys == 2 or (keys == 1 and bool(self._roots(left[0]) & self._roots(right[0])))

    def _root(self, column: tuple[str, str]) -> tuple[str, str]:
        """Return the column that stands for all whose values a column shares by keys."""
        while (above := self._linked.get(column, column)) != column:
            column = above
        return column

    def _roots(self, table: str) -> set[tuple[str, str]]:
        return {self._root(column) for column in self._linked if column[0] == table}


def _compared(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns that a query equates, or looks for among those of a subquery."""
    for i, word in enumerate(words[:-1]):
        if word == "=" and i:
            yield words[i - 1], words[i + 1]
        if word == "IN" and i and list(words[i + 1 : i + 3]) == ["(", "SELECT"]:
            # without the constraint a query may break off here
            shown = [one for one in words[i + 3 : i + 5] if one != "DISTINCT"]
            yield from ((words[i - 2 if words[i - 1] == "NOT" else i - 1], one) for one in shown[:1])
