"""Queries clause by clause, with the joins that their columns need."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .layouts import Edge, Layout, Placed, PlacedThing

__all__ = ["Query", "Term", "column", "own", "term"]

_SLOT = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Term:
    """A piece of SQL and the tables that must stand in FROM for it."""

    sql: str
    tables: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Query:
    """A query; ``base`` is the table whose rows it is about.

    Attributes:
        alone: it has no FROM of its own.
        ordered: the question asks for an order.
    """

    base: str
    select: tuple[Term, ...]
    where: tuple[Term, ...] = ()
    group: tuple[Term, ...] = ()
    having: Term | None = None
    order: Term | None = None
    limit: str = ""
    offset: str = ""
    distinct: bool = False
    alone: bool = False
    ordered: bool = False

    def sql(self, layout: Layout) -> str:
        """Return it as text."""
        parts = ["SELECT " + "DISTINCT " * self.distinct + ", ".join(one.sql for one in self.select)]
        if not self.alone:
            parts.append(f"FROM {_sources(layout, self.base, self._tables())}")
        if self.where:
            parts.append("WHERE " + " AND ".join(one.sql for one in self.where))
        if self.group:
            parts.append("GROUP BY " + ", ".join(one.sql for one in self.group))
        told = (("HAVING", self.having), ("ORDER BY", self.order))
        parts += [f"{word} {one.sql}" for word, one in told if one]
        parts += [f"{word} {number}" for word, number in (("LIMIT", self.limit), ("OFFSET", self.offset)) if number]
        return " ".join(parts)

    def _tables(self) -> set[str]:
        single = [one for one in (self.having, self.order) if one]
        return {table for one in (*self.select, *self.where, *self.group, *single) for table in one.tables}

    def without(self, place: int) -> Query:
        """Return it without one of its conditions."""
        return replace(self, where=(*self.where[:place], *self.where[place + 1 :]))


def column(placed: Placed) -> Term:
    """Return a column as it is reckoned with."""
    full = f"CAST({placed.full} AS REAL)" if placed.style == "text" else placed.full
    return Term(full, frozenset({placed.table}))


def own(thing: PlacedThing, name: str) -> Term:
    """Return a key or the label of a thing."""
    return Term(f"{thing.table}.{name}", frozenset({thing.table}))


def term(text: str, slots: Mapping[str, Term]) -> Term:
    """Fill the slots of a clause; tables within a subquery are its own.

    Raises:
        KeyError: there is no such slot.
    """
    outside = _outside(text)
    tables = {table for found in _SLOT.finditer(outside) for table in slots[found[1]].tables}
    return Term(_SLOT.sub(lambda found: slots[found[1]].sql, text), frozenset(tables))


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


def _sources(layout: Layout, base: str, tables: Iterable[str]) -> str:
    """Return FROM's tables: the base, joined with all that the query needs, along keys from a row to its one row."""
    joined: list[Edge] = []
    for table in sorted(tables):
        for edge in _way(layout, base, table):
            if edge not in joined:
                joined.append(edge)
    joins = [f"JOIN {one.other} ON {one.table}.{one.column} = {one.other}.{one.key}" for one in joined]
    return " ".join([base, *joins])


def _way(layout: Layout, start: str, end: str) -> list[Edge]:
    """Return the shortest way of keys between two tables.

    Raises:
        KeyError: there is none.
    """
    waiting: deque[tuple[str, list[Edge]]] = deque([(start, [])])
    seen = {start}
    while waiting:
        table, way = waiting.popleft()
        if table == end:
            return way
        for edge in layout.edges:
            if edge.table == table and edge.other not in seen:
                seen.add(edge.other)
                waiting.append((edge.other, [*way, edge]))
    raise KeyError(f"no way from {start} to {end}")
