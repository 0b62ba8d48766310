"""Queries clause by clause, with the joins that their columns need."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .layouts import Edge, Layout

__all__ = ["Query"]

_NAMED = re.compile(r"([^\W\d]\w*)\.\w")


@dataclass(frozen=True)
class Query:
    """A query; ``base`` is the table whose rows it is about, and columns are written with their tables.

    Attributes:
        alone: it has no FROM of its own.
        ordered: the question asks for an order.
    """

    base: str
    select: tuple[str, ...]
    where: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    having: str = ""
    order: str = ""
    limit: str = ""
    offset: str = ""
    distinct: bool = False
    alone: bool = False
    ordered: bool = False

    def sql(self, layout: Layout) -> str:
        """Return it as text.

        Raises:
            KeyError: no keys lead to one of its tables.
        """
        shown = "SELECT " + "DISTINCT " * self.distinct + ", ".join(self.select)
        told = {"WHERE": " AND ".join(self.where), "GROUP BY": ", ".join(self.group), "HAVING": self.having}
        told |= {"ORDER BY": self.order, "LIMIT": self.limit, "OFFSET": self.offset}
        rest = " ".join(f"{word} {text}" for word, text in told.items() if text)
        source = "" if self.alone else f"FROM {_sources(layout, self.base, f'{shown} {rest}')}"
        return " ".join(part for part in (shown, source, rest) if part)

    def without(self, place: int) -> Query:
        """Return it without one of its conditions."""
        return replace(self, where=(*self.where[:place], *self.where[place + 1 :]))


def _outside(text: str) -> str:
    """Return the text without what stands in brackets that begin a subquery."""
    start = text.find("(SELECT")
    if start < 0:
        return text
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return text[:start] + _outside(text[place + 1 :])
    raise ValueError(f"brackets do not close: {text}")


def _sources(layout: Layout, base: str, text: str) -> str:
    """Return FROM's tables: the base, joined with all that a text names, along keys from a row to its one row."""
    joined: dict[Edge, None] = {}
    for table in sorted(set(_NAMED.findall(_outside(text))) & layout.tables):
        joined |= dict.fromkeys(_way(layout, base, table))
    joins = [f"JOIN {one.other} ON {one.table}.{one.column} = {one.other}.{one.key}" for one in joined]
    return " ".join([base, *joins])


def _way(layout: Layout, start: str, end: str) -> list[Edge]:
    """Return the shortest way of keys between two tables.

    Raises:
        KeyError: there is none.
    """
    ways: list[tuple[str, list[Edge]]] = [(start, [])]
    for table, way in ways:
        if table == end:
            return way
        ways += [(edge.other, [*way, edge]) for edge in layout.edges if edge.table == table]
    raise KeyError(f"no way from {start} to {end}")
