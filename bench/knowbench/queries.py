"""Gold queries: SELECTs over concepts, written with the tables and columns of a structure, joined along its keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from .layouts import Layout, Table

__all__ = ["COUNT", "Query", "column", "is_value", "write"]

COUNT = exp.Count(this=exp.Star())
_NOT_NULL = re.compile(r"NOT (\S+) IS NULL")


@dataclass(frozen=True)
class Query:
    """A SELECT over concepts; `order` is a direction and an expression, `base` the table whose rows are counted."""

    heads: Sequence[exp.Expr]
    base: Table
    where: Sequence[exp.Expr] = ()
    group: Sequence[exp.Expr] = ()
    having: exp.Expr | None = None
    order: tuple[str, exp.Expr] | None = None
    limit: int = 0
    distinct: bool = False

    def expressions(self) -> list[exp.Expr]:
        """Return all expressions in which concepts stand."""
        rest = [e for e in (self.having, self.order[1] if self.order else None) if e is not None]
        return [*self.heads, *self.where, *self.group, *rest]


def column(concept: str) -> exp.Column:
    return exp.column(exp.to_identifier(concept, quoted=True))


def is_value(concept: str, value: str) -> exp.Expr:
    return exp.EQ(this=column(concept), expression=exp.Literal.string(value))


def _unquoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=False)


class _Writer:
    """Writes one query: which tables it needs, and what each concept is called in them."""

    def __init__(self, layout: Layout, query: Query) -> None:
        self._layout, self._query = layout, query
        names = {node.name for e in query.expressions() for node in e.find_all(exp.Column)}
        self._things = sorted({self._thing(name) for name in names} - {query.base.thing})
        self._start = self._first()

    def _thing(self, name: str) -> str:
        table = self._layout.holder(name)
        return name if table is None else table.thing

    def _first(self) -> str:
        """Return the thing that FROM begins with; the entity's table stays out where one beside it has all columns."""
        base = self._query.base
        counted = any(e.find(exp.Star) for e in self._query.expressions())
        names = {node.name for e in self._query.expressions() for node in e.find_all(exp.Column)}
        at_base = any(self._thing(name) == base.thing for name in names)
        beside = [t for t in self._things if self._layout.tables[t].grain == 0]
        return beside[0] if base.grain == 0 and beside and not at_base and not counted else base.thing

    def _ends(self) -> list[str]:
        return [t for t in self._things if t != self._start]

    def source(self) -> str:
        """Return what stands behind FROM."""
        tables = self._layout.tables
        written = [tables[self._start].name]
        for here, there in self._layout.edges(self._start, self._ends()):
            up = there in tables[here].links
            child, parent = (tables[here], tables[there]) if up else (tables[there], tables[here])
            left, right = f"{child.name}.{child.links[parent.thing]}", f"{parent.name}.{parent.key}"
            written.append(f"JOIN {tables[there].name} ON {left} = {right}")
        return " ".join(written)

    def sql(self, expression: exp.Expr) -> str:
        written = expression.transform(self._named).sql("sqlite")
        return _NOT_NULL.sub(r"\1 IS NOT NULL", written)

    def _named(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Count) and isinstance(node.find(exp.Column), exp.Column):
            return self._counted(node)
        if not isinstance(node, exp.Column):
            return node
        table = self._layout.holder(node.name)
        assert table is not None, node.name
        return self._column(table, table.columns[node.name])

    def _column(self, table: Table, name: str) -> exp.Column:
        """Return a column as it is written; names in Chinese need no quotes either."""
        return exp.column(_unquoted(name), table=_unquoted(table.name) if self._ends() else None)

    def _counted(self, node: exp.Count) -> exp.Expr:
        """Return the count of a thing: of the rows, where each is one, and else of its keys."""
        inner = node.find(exp.Column)
        assert inner is not None
        table = self._layout.tables.get(inner.name)
        if self._layout.holder(inner.name) is not None or table is None:
            return node
        if table.thing == self._query.base.thing:
            return exp.Count(this=exp.Star())
        base = self._query.base
        up = base.links.get(table.thing)
        owner, key = (base, up) if up else (table, table.key)
        return exp.Count(this=exp.Distinct(expressions=[self._column(owner, key)]))


def write(layout: Layout, query: Query) -> str:
    """Return the query's SQL; tables are named before columns wherever more than one is joined."""
    writer = _Writer(layout, query)
    distinct = "DISTINCT " if query.distinct else ""
    parts = [f"SELECT {distinct}{', '.join(map(writer.sql, query.heads))} FROM {writer.source()}"]
    if query.where:
        conditions = [exp.paren(c) if isinstance(c, exp.Or) and len(query.where) > 1 else c for c in query.where]
        parts.append("WHERE " + " AND ".join(map(writer.sql, conditions)))
    if query.group:
        parts.append("GROUP BY " + ", ".join(map(writer.sql, query.group)))
    if query.having is not None:
        parts.append(f"HAVING {writer.sql(query.having)}")
    if query.order is not None:
        parts.append(f"ORDER BY {writer.sql(query.order[1])} {query.order[0]}")
    if query.limit:
        parts.append(f"LIMIT {query.limit}")
    return " ".join(parts)
