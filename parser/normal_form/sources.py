"""What the SELECTs of one query read from, while its tree is rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Table

__all__ = ["Joined", "QueryScope", "QuerySource", "conjuncts", "is_column", "own_keys", "plain"]


@dataclass(eq=False)
class QuerySource:
    """A table or derived table of one FROM.

    Attributes:
        key: stands in the tree for its name until names are given; no name in SQL looks so.
        called: the key of the name that the query gave it (`Quoting.key`).
        node: where it is written.
        table: None for a derived table.
        shows: its columns by the keys of their names, in order.
        name: what the normal form calls it.
    """

    key: str
    called: str
    node: exp.Expr
    table: Table | None
    shows: dict[str, str]
    name: str = ""


@dataclass(eq=False)
class Joined:
    """One source with how it is joined to those before it."""

    source: QuerySource
    join: exp.Join | None = None
    left: bool = False
    equal: list[exp.Expr] = field(default_factory=list[exp.Expr])

    def conditions(self) -> list[exp.Expr]:
        """Return what its ON asks for, the equalities of USING first."""
        on = self.join.args.get("on") if self.join is not None else None
        return [*self.equal, *conjuncts(on)]


@dataclass(eq=False)
class QueryScope:
    """One SELECT.

    Attributes:
        merged: columns that USING or NATURAL made one, by key.
        aliases: its outputs by the keys of their aliases, once they are bound.
        named: the key of each output's name, empty where it has none.
        derived: it is the left-most SELECT of a derived table, so that its outputs keep names.
    """

    select: exp.Select
    outer: QueryScope | None
    joined: list[Joined] = field(default_factory=list[Joined])
    merged: set[str] = field(default_factory=set[str])
    aliases: dict[str, exp.Expr] = field(default_factory=dict[str, exp.Expr])
    named: list[str] = field(default_factory=list[str])

    @property
    def sources(self) -> list[QuerySource]:
        """Return its sources in the order in which they stand."""
        return [joined.source for joined in self.joined]

    def showing(self, column: str, owners: Sequence[QuerySource]) -> list[QuerySource]:
        """Return those of some sources that show a column, which is given by its key.

        Raises:
            QueryError: more than one does, and nothing made the columns one.
        """
        found = [s for s in owners if column in s.shows]
        if len(found) > 1 and column not in self.merged:
            raise QueryError(f"column {column!r} is in {len(found)} sources", hint="say of which table it is")
        return found


def plain(node: exp.Expr) -> exp.Expr:
    """Return what stands in brackets."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return what a condition asks for, each by itself; TRUE asks for nothing."""
    if condition is None:
        return []
    inner = plain(condition)
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [] if isinstance(inner, exp.Boolean) and inner.this else [inner]


def is_column(node: exp.Expr) -> bool:
    """Say whether this is a column, no star."""
    return isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)


def own_keys(node: exp.Expr) -> Iterator[str]:
    """Yield the keys of the sources whose columns or stars stand in a tree."""
    for column in node.find_all(exp.Column, bfs=False):
        if column.table:
            yield column.table
