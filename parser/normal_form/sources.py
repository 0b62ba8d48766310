"""What the SELECTs of one query read from: FROM as a list, USING written out as equalities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Table
from ...data.sql.scopes import conjuncts

__all__ = ["Joined", "QueryScope", "QuerySource", "own_keys", "read_from"]


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


Make = Callable[[exp.Expr], QuerySource]
Meant = Callable[[exp.Expr | None], str]


def read_from(scope: QueryScope, make: Make, meant: Meant) -> None:
    """Fill in the sources of a SELECT.

    Args:
        scope: of the SELECT.
        make: returns the source that a table or derived table is.
        meant: returns the key of the name that an identifier means.

    Raises:
        QueryError: a join that the normal form cannot say.
    """
    start = scope.select.args.get("from_")
    if start is not None:
        _open(scope, start.this, None, make, meant)
        for join in scope.select.args.get("joins") or []:
            _open(scope, join.this, join, make, meant)


def _open(scope: QueryScope, node: exp.Expr, join: exp.Join | None, make: Make, meant: Meant) -> None:
    """Add a source, with what is joined to it before its ON: ``a JOIN b JOIN c ON … ON …``."""
    inside = node.args.get("joins") or []
    if isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Query):
        raise QueryError("a join in brackets has no normal form", hint="join the tables one by one")
    if inside and join is not None and (join.args.get("side") or join.args.get("using")):
        raise QueryError("an outer join before another's ON", hint="write each ON behind its table")
    node.set("joins", None)
    scope.joined.append(_joined(scope, make(node), join, meant))
    for inner in inside:
        _open(scope, inner.this, inner, make, meant)


def _joined(scope: QueryScope, source: QuerySource, join: exp.Join | None, meant: Meant) -> Joined:
    if join is None:
        return Joined(source)
    side, kind = (str(join.args.get(part) or "").upper() for part in ("side", "kind"))
    odd = side if side in {"FULL", "RIGHT"} else kind if kind not in {"", "INNER", "OUTER", "CROSS"} else ""
    if odd := odd or str(join.args.get("method") or "").upper():
        raise QueryError(f"a {odd} JOIN has no normal form", hint="write JOIN or LEFT JOIN")
    return Joined(source, join, side == "LEFT", _merged(scope, source, join, meant))


def _merged(scope: QueryScope, source: QuerySource, join: exp.Join, meant: Meant) -> list[exp.Expr]:
    """Return the equalities that USING stands for."""
    equal: list[exp.Expr] = []
    for name in [meant(identifier) for identifier in join.args.get("using") or []]:
        earlier = next((s for s in scope.sources if name in s.shows), None)
        if earlier is None or name not in source.shows:
            raise QueryError(f"USING ({name}), which not both sides have")
        equal.append(exp.EQ(this=_column(earlier, name), expression=_column(source, name)))
        scope.merged.add(name)
    return equal


def _column(source: QuerySource, name: str) -> exp.Column:
    return exp.Column(this=exp.to_identifier(source.shows[name]), table=exp.to_identifier(source.key))
