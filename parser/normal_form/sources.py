"""What the SELECTs of one query read from: each FROM as a list of sources with their joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Table
from ...data.sql.scopes import conjuncts

__all__ = ["Joined", "QueryScope", "QuerySource", "own_keys"]


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
        columns: its columns and stars, without those of SELECTs in it, as they stood before anything was changed.
        merged: columns that USING made one, by key.
        named: the key of each output's name, empty where it has none.
        aliases: the places of outputs by the keys of their aliases.
    """

    select: exp.Select
    joined: list[Joined] = field(default_factory=list[Joined])
    columns: list[exp.Column] = field(default_factory=list[exp.Column])
    merged: set[str] = field(default_factory=set[str])
    named: list[str] = field(default_factory=list[str])
    aliases: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def sources(self) -> list[QuerySource]:
        """Return its sources in the order in which they stand."""
        return [joined.source for joined in self.joined]

    @property
    def outputs(self) -> list[exp.Expr]:
        """Return its outputs without the names that a derived table gives them."""
        return [output.unalias() for output in self.select.expressions]

    def showing(self, column: str, owners: Sequence[QuerySource]) -> list[QuerySource]:
        """Return those of some sources that show a column, which is given by its key.

        Raises:
            QueryError: more than one does, and nothing made the columns one.
        """
        found = [s for s in owners if column in s.shows]
        if len(found) > 1 and column not in self.merged:
            raise QueryError(f"column {column!r} is in {len(found)} sources", hint="say of which table it is")
        return found


def own_keys(node: exp.Expr) -> Iterator[str]:
    """Yield the keys of the sources whose columns or stars stand in a tree."""
    for column in node.find_all(exp.Column, bfs=False):
        if column.table:
            yield column.table
